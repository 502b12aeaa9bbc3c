"""What a platform lacks: a command that needs it checks here before it does anything.

Simulation, bounds, searches, comparisons, captures and reports are the same everywhere. What uses a real network is in
the extension, whose builds for other platforms than Linux refuse it in the same words; the rest is below, each by the
means that it needs and not by the name of a system::

    require("history")
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from sojourn.errors import UserError

SYSTEM = sys.platform
NAMES = {"win32": "Windows", "darwin": "macOS", "linux": "Linux"}


@dataclass(frozen=True)
class Need:
    """What a command needs of a platform."""

    platforms: str
    """Those that have it."""
    why: str
    """What it does with it."""
    is_met: Callable[[], bool]


NEEDS = {
    "history": Need(
        "Linux or macOS",
        "commands that end at the same time append their records under a lock of POSIX",
        lambda: find_spec("fcntl") is not None and hasattr(os, "pwrite"),
    ),
    "serve": Need(
        "Linux",
        "its kernel limits what a job may use, and ends it with the server",
        lambda: SYSTEM == "linux",
    ),
    "--live": Need("Linux", "the testbed is of network namespaces", lambda: SYSTEM == "linux"),
    "--cluster local:N": Need("Linux or macOS", "the workers are forks of one process", lambda: hasattr(os, "fork")),
}
"""By the command or the option that needs it."""


def has(what: str) -> bool:
    """Whether this platform has what a command or an option needs."""
    return NEEDS[what].is_met()


def require(what: str) -> None:
    """Raises `UserError` in one line where this platform lacks what a command or an option needs."""
    need = NEEDS[what]
    if not need.is_met():
        here = NAMES.get(SYSTEM, SYSTEM)
        raise UserError(f"{what} needs {need.platforms}: {need.why}, which {here} lacks")
