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


def test_a_dependency_against_the_order_of_crates_is_refused():
    seams = load("check_seams")

    assert seams.wrong_dependencies({"sojourn-core": {"sojourn-engine"}}) == ["core must not depend on engine"]
    assert seams.wrong_dependencies({"sojourn-engine": {"sojourn-core", "serde"}}) == []
    assert "no place" in seams.wrong_dependencies({"sojourn-cloud": set()})[0]


def test_the_reference_of_python_has_types_as_sources_write_them():
    page = load("generate_reference").python_page()

    assert "- `seed: int | None`: The same seed gives the same bytes.\n" in page
    assert "- `out: Path | None`: " in page
    assert "ForwardRef" not in page


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("The packet finds its way through the queue.", ["way"]),
        ("pub struct DoorKeeper;", ["door"]),
        ("let bytes_under_way = 0;", ["way", "under way"]),
        ("One-way delay through a gateway, always.", []),
        ("Delay from mouth-to-ear", []),
    ],
)
def test_a_banned_word_is_found_in_prose_and_in_parts_of_names_but_not_in_terms_of_the_field(
    line, words, tmp_path, monkeypatch
):
    language = load("check_language")
    monkeypatch.setattr(language, "ROOT", tmp_path)
    file = tmp_path / "page.md"
    file.write_text(line)

    assert [word for _, word, _ in language.findings([file])] == words


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("/// A search of which somebody else computes the replications.", ["of which somebody", "somebody else"]),
        ("/// A datagram of so many octets.", ["so many"]),
        ("/// There are so many that they do not fit.", []),
        ("/// The link, as it is now.", ["as it is now"]),
        ("# The users of whom the half waits.", ["of whom"]),
        ("/// State of a capture, for who watches it.", ["for who"]),
        ("/// A bound is no estimate.", ["is no estimate"]),
        ("/// There is no bound; it is no longer than a slot and is no wider than a link.", []),
        ("/// For how long at most it does not work.", ["for how long at most it"]),
        ("/// How long at most it does not work though packets wait.", ["at most it does not work though"]),
        ("fn a_file_of_somebody_else_is_no_folder() {", []),
        ("bad.append(f\"{name} is no budget\")", []),
    ],
)  # fmt: skip
def test_a_banned_sentence_shape_is_found_in_prose_but_not_in_names_or_known_messages(
    line, shapes, tmp_path, monkeypatch
):
    language = load("check_language")
    monkeypatch.setattr(language, "ROOT", tmp_path)
    file = tmp_path / "page.md"
    file.write_text(line)

    assert sorted(shape for _, shape, _ in language.findings([file])) == sorted(shapes)


def test_a_banned_word_in_a_file_name_is_found(tmp_path, monkeypatch):
    language = load("check_language")
    monkeypatch.setattr(language, "ROOT", tmp_path)
    file = tmp_path / "clerk.rs"
    file.write_text("")

    assert [(place, word) for place, word, _ in language.findings([file])] == [("clerk.rs", "clerk")]


def test_a_new_file_is_checked_before_it_is_added_unless_git_ignores_it(tmp_path, monkeypatch, capsys):
    language = load("check_language")
    monkeypatch.setattr(language, "ROOT", tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("built.md\n")
    for name in ("added.md", "new.md", "built.md"):
        (tmp_path / name).write_text("the door")
    subprocess.run(["git", "add", "added.md"], cwd=tmp_path, check=True)

    assert language.main([]) == 1

    places = [line.partition(": ")[0] for line in capsys.readouterr().err.splitlines()]
    assert sorted(places) == ["added.md:1", "new.md:1"]


def test_locks_hold_hashes_and_no_addresses():
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        pins = re.findall(r"^\S+==\S+", text, re.MULTILINE)

        assert pins, lock
        assert "://" not in text
        assert len(re.findall(r"^\S+==\S+ \\\n    --hash=sha256:", text, re.MULTILINE)) == len(pins)


@pytest.mark.nightly
def test_a_new_network_keeps_all_the_promises_of_a_network(tmp_path):
    clone = tmp_path / "clone"
    built = {"target", ".venv", ".git", "out"}
    shutil.copytree(ROOT, clone, ignore=lambda folder, names: built & set(names) if Path(folder) == ROOT else ())

    subprocess.run([sys.executable, clone / "tools/new_network.py", "token-ring"], check=True)
    subprocess.run(["cargo", "fmt", "--all", "--check"], cwd=clone, check=True)

    target = ("--target-dir", ROOT / "target/scaffold")
    packages = [word for name in ("token-ring", "catalogue", "lab") for word in ("-p", f"sojourn-{name}")]
    command = ["cargo", "test", "--offline", "--locked", "--no-fail-fast", *target, *packages, "--test", "all"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a_server_with_random_arrivals_has_the_response_time_of_an_m_m_1_queue" in done.stdout
