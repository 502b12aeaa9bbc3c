"""Ctrl-C once everything is computed: the first leaves what is printed and written to its end, a second one ends that.

What remains by then takes a second or two, and would have to be computed again where it is lost.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_before: list[Any] = []
"""The handler of Ctrl-C before it was held back, at most one."""


def hold_back() -> None:
    """Has the first Ctrl-C from now on change nothing; where one is held back, or was, that stays so.

    A library may have put a handler of its own before Python's since then, as Polars does on import: it goes.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if _before:
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
        return
    _before.append(signal.getsignal(signal.SIGINT) or signal.default_int_handler)
    signal.signal(signal.SIGINT, _ignore_once)


def let_through() -> None:
    """Ctrl-C ends what runs from now on, as before it was held back."""
    if _before:
        signal.signal(signal.SIGINT, _before.pop())


def _ignore_once(number: int, _: FrameType | None) -> None:
    signal.signal(number, _before[0])
