"""Pauses of this host: a thread that only watches the clock finds when it did not run although it was due to.

It was not a pause where this process used the processor meanwhile: then the tested code itself held the interpreter.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from types import TracebackType

SHORTEST_S = 0.025
"""Below this a busy host merely wakes a thread late: other threads have their time slices."""
PERIOD_S = 0.005
"""How often the clock is looked at."""
OWN_WORK = 0.5
"""Share of the processor above which a delay is this process's own work."""


class Watch:
    """Records pauses while it is entered."""

    def __init__(self) -> None:
        """A thread that has not begun."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sojourn: pauses of the host", daemon=True)
        self.begins: list[float] = []
        self.ends: list[float] = []

    def __enter__(self) -> Watch:
        """Begins to watch."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends the thread."""
        self._stop.set()
        self._thread.join()

    def overlaps(self, begin: float, end: float) -> bool:
        """Whether a pause found so far was within this time."""
        at = bisect_left(self.ends, begin)
        return at < len(self.begins) and self.begins[at] < end

    def _watch(self) -> None:
        ran, used = time.perf_counter(), time.process_time()
        while not self._stop.is_set():
            time.sleep(PERIOD_S)
            now, uses = time.perf_counter(), time.process_time()
            if is_pause(now - ran - PERIOD_S, uses - used):
                # its end is noted last: `overlaps` looks for that first
                self.begins.append(ran + PERIOD_S)
                self.ends.append(now)
            ran, used = now, uses


def is_pause(late: float, processor: float) -> bool:
    """Whether a thread that woke this late, while its process used so much of the processor, was paused."""
    return late > SHORTEST_S and processor < OWN_WORK * late


def lasted(watch: Watch) -> float:
    """The sum of all pauses."""
    return sum(end - begin for begin, end in zip(watch.begins, list(watch.ends), strict=False))


def left_out(calls: Sequence[tuple[float, float, float]], watch: Watch) -> list[float]:
    """The times of the calls, each (begin, end, time), without those that a pause lay within."""
    return [taken for begin, end, taken in calls if not watch.overlaps(begin, end)]
