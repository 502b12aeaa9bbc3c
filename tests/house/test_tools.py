"""The small programs behind `make`: each can fail."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("expression", "permissive"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0", False),
        ("MIT AND LGPL-2.1", False),
        ("none given", False),
    ],
)
def test_a_licence_is_permissive_when_every_part_of_it_can_be_met(expression, permissive):
    assert load("check_licences").is_permissive(expression) is permissive


def test_an_arrow_that_points_back_between_crates_is_refused():
    seams = load("check_seams")

    assert seams.wrong_arrows({"sojourn-core": {"sojourn-engine"}}) == ["core must not know engine"]
    assert seams.wrong_arrows({"sojourn-engine": {"sojourn-core", "serde"}}) == []
    assert "no place" in seams.wrong_arrows({"sojourn-cloud": set()})[0]


def test_news_fragments_become_a_section_of_the_changelog(tmp_path, monkeypatch):
    news = load("collect_news")
    monkeypatch.setattr(news, "ROOT", tmp_path)
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d/caret.fixed.md").write_text("The caret points\nat the value.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nIntroduction.\n\n## 0.1.0\n\n### Added\n\n- All.\n")

    news.main("0.2.0")

    text = (tmp_path / "CHANGELOG.md").read_text()
    assert text.index("## 0.2.0") < text.index("- The caret points at the value.") < text.index("## 0.1.0")
    assert list((tmp_path / "changelog.d").iterdir()) == []


def test_a_news_fragment_of_an_unknown_kind_is_refused(tmp_path, monkeypatch):
    news = load("collect_news")
    monkeypatch.setattr(news, "ROOT", tmp_path)
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d/caret.mended.md").write_text("x")

    with pytest.raises(SystemExit, match=re.escape("caret.mended.md")):
        news.main("0.2.0")


def test_locks_hold_hashes_and_no_addresses():
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        pins = re.findall(r"^\S+==\S+", text, re.MULTILINE)

        assert pins, lock
        assert "://" not in text
        assert len(re.findall(r"^\S+==\S+ \\\n    --hash=sha256:", text, re.MULTILINE)) == len(pins)


@pytest.mark.nightly
def test_a_scaffolded_network_keeps_all_the_promises_of_its_template(tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns("target", ".venv", ".git", "out", "*.so"))

    subprocess.run([sys.executable, clone / "tools/new_network.py", "token-ring"], check=True)

    target = ("--target-dir", ROOT / "target/scaffold")
    command = [
        "cargo",
        "test",
        "--offline",
        "--locked",
        "--no-fail-fast",
        *target,
        "-p",
        "sojourn-networks",
        "-p",
        "sojourn-scenario",
    ]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "token_ring::tests" in done.stdout
