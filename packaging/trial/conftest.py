"""Fixtures of the trial of what is released."""

import pytest
from released import DIST, wheels


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
