"""The source distribution: it holds what a build of the wheel reads."""

import subprocess
import tarfile
import tomllib

import pytest
from released import DIST, ROOT


@pytest.fixture
def source(tmp_path):
    (archive,) = DIST.glob("sojourn-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    return folder


def test_the_data_and_the_pages_are_files_and_not_links(source):
    for name in (
        "studies/lontalk-response-time/study.toml",
        "reference",
        "profiles",
        "examples/queue-mm1.toml",
        "installations/office.toml",
    ):
        path = source / "python/sojourn/data" / name
        assert path.exists() and not path.is_symlink()
    assert (source / "packaging/data/data/share/man/man1/sojourn.1").exists()


def test_its_crates_are_complete_and_of_the_versions_that_are_locked(source):
    """Packages of the benches and of the agent, which it does not hold, leave the lock file."""
    locked = packages(source)
    command = ["cargo", "metadata", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert packages(source) <= locked


def test_a_wheel_is_built_from_it(source, tmp_path):
    """It shares the artefacts of the clone: what is not the crates themselves is compiled already."""
    build = [ROOT / ".venv/bin/maturin", "build", "--release", "--quiet", "--out", tmp_path / "built"]
    build += ["--target-dir", ROOT / "target", "--interpreter", ROOT / ".venv/bin/python"]
    subprocess.run(build, cwd=source, check=True)
    (wheel,) = (tmp_path / "built").glob("*.whl")
    names = subprocess.run(["unzip", "-Z1", wheel], capture_output=True, text=True, check=True).stdout
    assert "sojourn/data/studies/lontalk-response-time/study.toml" in names


def packages(source):
    """The packages of the lock file with their versions."""
    lock = tomllib.loads((source / "Cargo.lock").read_text())
    return {(package["name"], package["version"]) for package in lock["package"]}
