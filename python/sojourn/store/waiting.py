"""Waiting for another program that holds the store: announced after a second, and bounded."""

from __future__ import annotations

import time

from sojourn import framing
from sojourn.errors import SojournError

ANNOUNCED_AFTER_S = 1.0
INTERVAL_S = 0.05


class StoreBusy(SojournError):  # noqa: N818 - the name states the error
    """Another program has held the store for longer than is waited for."""


class Wait:
    """One wait; it begins with the first `go_on`."""

    def __init__(self, reason: str, most_s: float) -> None:
        """`reason` is a clause that says who holds what; `StoreBusy` comes after `most_s` seconds."""
        self._reason, self._most_s = reason, most_s
        self._began_s: float | None = None
        self._is_announced = False

    def go_on(self) -> None:
        """Waits for a moment."""
        now_s = time.monotonic()
        self._began_s = now_s if self._began_s is None else self._began_s
        waited_s = now_s - self._began_s
        if waited_s >= self._most_s:
            raise StoreBusy(f"{self._reason}, for more than {waited_s:.0f} s: try again later")
        if waited_s >= ANNOUNCED_AFTER_S and not self._is_announced:
            framing.say(f"{self._reason}: waiting up to {self._most_s:.0f} s")
            self._is_announced = True
        time.sleep(INTERVAL_S)
