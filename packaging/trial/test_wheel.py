"""The wheel: what is in it, and what a user has of it in a fresh environment of each Python."""

import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from released import ROOT, interpreters

LARGEST_BASE, LARGEST_REPORT = 60e6, 60e6
"""Bytes on disk of the base installation and of that with `report`, with all they depend on, without pip."""
LONGEST_S = 15.0
"""From `pip install` to the first report, with the packages in pip's cache."""
DATA = ("studies", "reference", "profiles", "examples", "installations")
SHARED = (
    "man/man1/sojourn.1",
    "bash-completion/completions/sojourn",
    "zsh/site-functions/_sojourn",
    "fish/vendor_completions.d/sojourn.fish",
)
ENGINE = "sojourn/web/sojourn.wasm.gz"
CAPTURES = "sojourn/web/captures.wasm.gz"
EDITOR = "sojourn/web/editor.js.gz"


def built(*names):
    """Those of the files that `make wasm` and `make editor` build for pages which are there."""
    return {name for name in names if (ROOT / "python" / name).is_file()}


def tracked(*folders):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def test_a_wheel_has_the_package_its_data_its_pages_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
    shared = info.replace(".dist-info", ".data")

    package = {name.removeprefix("python/") for name in tracked("python/sojourn")}
    data = {f"sojourn/data/{name}" for name in tracked(*DATA)}
    pages = {f"{shared}/data/share/{name}" for name in SHARED}
    about = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    boms = {name for name in names if name.startswith(f"{info}/sboms/")}
    own = built(ENGINE, CAPTURES, EDITOR) | {"sojourn/_sojourn.abi3.so"}
    assert names - boms == package | data | pages | about | own


def test_a_wheel_is_for_every_python_from_311_and_holds_no_path_of_its_builder(wheel):
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            compiled = name.endswith(".so") or "/sboms/" in name  # where a panic was, and which crates
            assert compiled or str(ROOT).encode() not in archive.read(name), name


def test_the_wheels_of_all_platforms_have_the_same_but_for_the_extension(wheel):
    def same(path):
        names = zipfile.ZipFile(path).namelist()
        return {name for name in names if "/sboms/" not in name and not name.startswith("sojourn/_sojourn.")} | {
            "sojourn/_sojourn.pyi"
        }

    every = sorted(wheel.parent.glob("*.whl"))
    for path in every:
        print(f"\n{path.name}: {path.stat().st_size / 1e6:.1f} MB", end="")
        assert same(path) == same(wheel), path.name


@pytest.mark.parametrize("version", sorted(interpreters()))
def test_the_base_installation_answers_and_stays_small(version, wheel, tmp_path, stranger):
    venv = environment(interpreters()[version], tmp_path)
    began = time.monotonic()
    install(venv, wheel)
    done = sojourn(venv, stranger, "study", "lontalk-response-time", "--quick")
    elapsed = time.monotonic() - began

    assert done.returncode == 0, done.stderr
    assert "published" in done.stdout
    assert "sojourn[report]" in done.stderr
    size = size_of(venv)
    print(f"\nPython {version}: installed and answered in {elapsed:.1f} s, {size / 1e6:.1f} MB")
    assert size < LARGEST_BASE
    assert measured_through_an_agent(venv, stranger) == 0


@pytest.mark.parametrize("version", sorted({min(interpreters()), max(interpreters())}))
def test_the_extra_report_draws_and_stays_small(version, wheel, tmp_path, stranger):
    venv = environment(interpreters()[version], tmp_path)
    install(venv, f"{wheel}[report]")  # into pip's cache
    venv = environment(interpreters()[version], tmp_path / "again")
    began = time.monotonic()
    install(venv, f"{wheel}[report]")
    done = sojourn(venv, stranger, "study", "lontalk-response-time", "--quick", "--out", "out")
    elapsed = time.monotonic() - began

    assert done.returncode == 0, done.stderr
    report = (stranger["cwd"] / "out/report.html").read_text(encoding="utf-8")
    assert ('id="live-engine"' in report) == bool(built(ENGINE))
    assert report.count("<figure ") > 10
    print(f"\nPython {version} with report: installed and reported in {elapsed:.1f} s, {size_of(venv) / 1e6:.1f} MB")
    assert elapsed < LONGEST_S
    assert size_of(venv) < LARGEST_REPORT


def test_the_extra_images_writes_figures_as_files(wheel, tmp_path, stranger):
    venv = environment(interpreters()[max(interpreters())], tmp_path)
    install(venv, f"{wheel}[report,images]")
    size = ("--set", "run.duration=5 s", "--replications", "2", "--experiment", "D")
    done = sojourn(venv, stranger, "study", "lontalk-response-time", *size, "--out", "out", "--figures", "svg,png")

    assert done.returncode == 0, done.stderr
    figures = stranger["cwd"] / "out/figures"
    assert len(list(figures.glob("*.png"))) == len(list(figures.glob("*.svg"))) > 0


def test_the_extra_all_brings_every_package_that_the_tool_asks_for_but_those_under_the_lgpl(wheel, tmp_path):
    venv = environment(interpreters()[max(interpreters())], tmp_path)
    install(venv, f"{wheel}[all]")
    script = "from sojourn.extras import PACKAGES, has; print([name for name in PACKAGES if not has(name)])"
    done = subprocess.run([venv / "bin/python", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "['can', 'cantools']\n"
    print(f"\nwith all: {size_of(venv) / 1e6:.1f} MB")


def environment(python, folder):
    """A fresh virtual environment."""
    folder.mkdir(exist_ok=True)
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    return folder / "venv"


def install(venv, what):
    command = [venv / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
    subprocess.run(command, check=True)


def sojourn(venv, stranger, *arguments):
    command = [venv / "bin/sojourn", *arguments]
    return subprocess.run(command, **stranger, capture_output=True, text=True, timeout=300, check=False)


def measured_through_an_agent(venv, stranger):
    """The exit code of a measurement of the agent of the same installation."""
    url = "sojourn://127.0.0.1:18651"
    with subprocess.Popen([venv / "bin/sojourn", "agent", url, "--count", "1"], **stranger) as agent:
        try:
            time.sleep(1)
            done = sojourn(venv, stranger, "measure", url, "--duration", "500 ms")
            assert "Loss: None of" in done.stdout, done.stderr
            return done.returncode
        finally:
            agent.terminate()


def size_of(venv):
    """Bytes of the packages on disk, without those of pip that every environment begins with."""
    (site,) = Path(venv).glob("lib/python*/site-packages")
    files = [
        path
        for path in site.rglob("*")
        if path.is_file()
        and not path.relative_to(site)
        .parts[0]
        .startswith(("pip", "setuptools", "_distutils", "distutils", "pkg_resources"))
    ]
    return sum(path.stat().st_blocks * 512 for path in files)
