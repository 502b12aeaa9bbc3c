"""A progress line on standard error; nothing if standard error is not a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from sojourn.units import format_size, format_value

if TYPE_CHECKING:
    from sojourn.jobs import Progress

INTERVAL_S = 0.2


class ProgressLine:
    """Shows points, replications, their rate, and the time left; erased at the end."""

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        words: Callable[[Progress, float], str] | None = None,
    ) -> None:
        """Writes to standard error by default; `clock` returns seconds; `words` formats the line."""
        self._words = words or line
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._started = clock()
        self._last = -INTERVAL_S
        self._shown = 0

    def __call__(self, progress: Progress) -> None:
        """Shows the state, at most five times a second."""
        now = self._clock() - self._started
        if not self._stream.isatty() or now - self._last < INTERVAL_S:
            return
        self._last = now
        text = self._words(progress, now)
        self._stream.write("\r" + text.ljust(self._shown))
        self._stream.flush()
        self._shown = len(text)

    def close(self) -> None:
        """Erases the line."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0

    def __enter__(self) -> ProgressLine:
        """Returns the line."""
        return self

    def __exit__(self, *_: object) -> None:
        """Erases the line in all cases."""
        self.close()


def line(progress: Progress, elapsed_s: float) -> str:
    """ "12 of 154 points, 131 runs, 26 runs/s, 54 s left"."""
    noun = "point" if progress.points_total == 1 else "points"
    parts = [f"{progress.points_done} of {progress.points_total} {noun}", f"{progress.replications_done} runs"]
    if elapsed_s > 0.5 and progress.replications_done:
        rate = progress.replications_done / elapsed_s
        parts.append(f"{rate:.0f} runs/s" if rate >= 10 else f"{rate:.1f} runs/s")
    if 0 < progress.points_done < progress.points_total:
        left = elapsed_s / progress.points_done * (progress.points_total - progress.points_done)
        parts.append(f"{span(left)} left")
    if progress.note:
        parts.append(progress.note)
    return ", ".join(parts)


def live_line(progress: Progress, _elapsed_s: float) -> str:
    """ "transfer: 3.2 MiB of 10 MiB, 412 Mbit/s, 2 s left"; the rate is the goodput."""
    live = progress.live
    counts_bytes = live["unit"] == "B"
    done, total = (format_size(n) if counts_bytes else str(n) for n in (live["done"], live["total"]))
    parts = [f"{live['phase']}: {done}" + (f" of {total}" if live["total"] else "")]
    if live["rate"] is not None:
        parts.append(format_value(live["rate"] * 8, "bit/s") if counts_bytes else format_value(live["rate"], "1/s"))
    if live["left_s"] is not None:
        parts.append(f"{span(live['left_s'])} left")
    return ", ".join(parts)


def span(seconds: float) -> str:
    """A rounded duration: "54 s", "3 min", "1.5 h"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
