"""`./sojourn` at the root runs the built tool from any folder, and warns if the build is older than the source."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path):
    """A clone with a tool that prints its arguments, built after its only source was written."""
    root = tmp_path / "a clone"
    (root / ".venv/bin").mkdir(parents=True)
    (root / "crates/core").mkdir(parents=True)
    shutil.copy(ROOT / "sojourn", root / "sojourn")
    (root / "crates/core/lib.rs").write_text("")
    tool = root / ".venv/bin/sojourn"
    tool.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
    tool.chmod(0o755)
    (root / ".venv/built").touch()
    os.utime(root / "crates/core/lib.rs", (1, 1))
    return root


def launch(clone, *arguments):
    return subprocess.run([clone / "sojourn", *arguments], cwd="/", capture_output=True, text=True, check=False)


def test_arguments_and_exit_status_pass_through_unchanged(clone):
    done = launch(clone, "run", "a file.toml", "--set", "a=300 /s")

    assert done.stdout == "run|a file.toml|--set|a=300 /s|"
    assert done.returncode == 7
    assert done.stderr == ""


def test_a_source_newer_than_the_build_is_named_and_the_tool_still_runs(clone):
    os.utime(clone / "crates/core/lib.rs")
    os.utime(clone / ".venv/built", (1, 1))

    done = launch(clone, "networks")

    assert "crates/core/lib.rs is newer than the build" in done.stderr
    assert done.stdout == "networks|"


def test_it_works_through_a_link(clone, tmp_path):
    (tmp_path / "link").symlink_to(clone / "sojourn")

    done = subprocess.run([tmp_path / "link", "studies"], capture_output=True, text=True, check=False)

    assert done.stdout == "studies|"


def test_the_build_of_demo_and_tests_will_do_and_is_compared_with_the_sources_of_networks(clone):
    (clone / ".venv/built").rename(clone / ".venv/built-for-tests")
    assert launch(clone, "networks").stdout == "networks|"

    (clone / "networks/queue").mkdir(parents=True)
    (clone / "networks/queue/lib.rs").write_text("")
    os.utime(clone / ".venv/built-for-tests", (1, 1))
    os.utime(clone / "networks/queue/lib.rs", (2, 2))

    assert "networks/queue/lib.rs is newer than the build" in launch(clone, "networks").stderr


def test_without_a_build_it_prints_how_to_make_one(clone):
    (clone / ".venv/built").unlink()

    done = launch(clone, "networks")

    assert done.returncode == 2
    assert "make -C" in done.stderr
