"""Becomes a command of Sojourn that ends with the server: `python -m sojourn.workbench.child PARENT`.

The words of the command come as JSON on standard input: a command line is read by all users of the host, and a URL may
have a token. The kernel sends SIGTERM when the server is gone, however it went, and the command stops as on Ctrl-C. A
lower priority keeps pages quick while jobs use all processors.
"""

from __future__ import annotations

import ctypes
import json
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1
NICE = 10


def main() -> None:
    """Marks this process and runs the command."""
    end_with(int(sys.argv[1]))
    os.nice(NICE)
    sys.argv = ["sojourn", *json.load(sys.stdin)]
    runpy.run_module("sojourn", run_name="__main__", alter_sys=True)


def end_with(parent: int) -> None:
    """Has the kernel end this process when its parent is gone."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit("the server has ended")


if __name__ == "__main__":
    main()
