"""What is tried: the files of `make wheel` in target/dist, or of `make try-wheel` in target/dist/built."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "target/dist"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters():
    """Every Python that the package supports, on PATH or in SOJOURN_PYTHONS, a list with colons as PATH has."""
    named = [name for name in os.environ.get("SOJOURN_PYTHONS", "").split(":") if name]
    found = [*named, *filter(None, (shutil.which(f"python{version}") for version in VERSIONS))]
    return {version: path for path in found if (version := version_of(path)) in VERSIONS}


def version_of(python):
    """`3.12` of an interpreter that runs; a shim may name one that is not installed."""
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def wheels():
    """The wheels that this machine installs."""
    return sorted(
        path for path in DIST.rglob("*.whl") if platform.machine() in path.name and "musllinux" not in path.name
    )


@pytest.fixture(scope="session")
def wheel():
    (newest, *_) = sorted(wheels(), key=lambda path: path.stat().st_mtime, reverse=True) or [None]
    assert newest, f"no wheel for this machine in {DIST}: make try-wheel, or make wheel"
    return newest


@pytest.fixture
def stranger(tmp_path):
    """The environment of a user with neither a compiler nor git, in an empty folder."""
    home = tmp_path / "empty"
    home.mkdir()
    return {"cwd": home, "env": {"PATH": "/nonexistent", "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1"}}
