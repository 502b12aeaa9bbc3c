"""Becomes a command of Sojourn that ends with the server: `python -m sojourn.workbench.child PARENT COMMAND ...`.

The kernel sends SIGTERM when the server is gone, however it went, and the command stops as on Ctrl-C. The mark survives
exec. A lower priority keeps pages quick while jobs use all processors.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
NICE = 10


def main() -> None:
    """Marks this process and executes the command."""
    parent, arguments = int(sys.argv[1]), sys.argv[2:]
    end_with(parent)
    os.execv(sys.executable, [sys.executable, "-m", "sojourn", *arguments])


def end_with(parent: int) -> None:
    """Has the kernel end this process when its parent is gone, and lowers its priority."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.nice(NICE)
    if os.getppid() != parent:
        raise SystemExit("the server has ended")


if __name__ == "__main__":
    main()
