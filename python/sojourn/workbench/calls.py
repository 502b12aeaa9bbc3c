"""A process of the workbench that answers calls, `python -m sojourn.workbench.calls PARENT LIMITS`; see `children`.

Each call is a length and JSON on standard input: a module, a function and its arguments. The answer is the same on what
was standard output. The kernel ends a process that takes more processor time or memory than a call may.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from importlib import import_module
from typing import Any, BinaryIO

from sojourn.errors import SojournError
from sojourn.workbench.child import end_with
from sojourn.workbench.children import LENGTH


def main() -> None:
    """Answers calls until standard input or the server ends."""
    parent, limits = int(sys.argv[1]), json.loads(sys.argv[2])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with(parent)
    os.nice(limits["nice"])
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # what anything prints is not read as an answer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while call := _next(sys.stdin.buffer):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (_used_s() + limits["processor_s"], hard))
        octets = json.dumps(_answer(*json.loads(call)), allow_nan=False).encode()
        answers.write(len(octets).to_bytes(LENGTH) + octets)
        answers.flush()


def _next(stream: BinaryIO) -> bytes:
    """The next call; empty at the end."""
    return stream.read(int.from_bytes(stream.read(LENGTH)))


def _used_s() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_utime + used.ru_stime) + 1


def _answer(module: str, function: str, arguments: list[Any]) -> dict[str, Any]:
    try:
        return {"value": getattr(import_module(module), function)(*arguments)}
    except SojournError as error:
        return {"raised": type(error).__name__, "text": str(error)}
    except MemoryError:
        raise SystemExit("out of memory") from None
    except Exception:
        return {"fault": traceback.format_exc()}


if __name__ == "__main__":
    main()
