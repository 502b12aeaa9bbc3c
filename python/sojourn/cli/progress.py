"""A progress line on standard error; nothing if standard error is not a terminal.

With SOJOURN_PROGRESS=json in the environment progress is lines of JSON there, for a program that started the command.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from sojourn import occurrences
from sojourn.units import format_duration, format_size, format_value

if TYPE_CHECKING:
    from sojourn.jobs import Progress

INTERVAL_S = 0.2
MACHINE_INTERVAL_S = 0.5
MACHINE = "SOJOURN_PROGRESS"
SETTLED_S = 3.0
"""After this time an estimate from few replications is shown, too."""


class ProgressLine:
    """Shows points, replications, their rate, and the time left; erased at the end."""

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        words: Callable[[Progress, float], str] | None = None,
    ) -> None:
        """Writes to standard error by default; `clock` returns seconds; `words` formats the line."""
        self._words = words or Line()
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._started = clock()
        self._machine = os.environ.get(MACHINE) == "json"
        self._interval_s = MACHINE_INTERVAL_S if self._machine else INTERVAL_S
        self._last = -self._interval_s
        self._shown = 0

    def __call__(self, progress: Progress) -> None:
        """Shows the state, at most five times a second."""
        now = self._clock() - self._started
        if now - self._last >= self._interval_s:
            self._last = now
            # a timed test has a display of its own on a terminal
            words = self._words(progress, now) if progress.standing is None else str(progress.standing["phase"])
            self.show(words, _counted(progress) | {"elapsed_s": round(now, 3)} if self._machine else {})

    def show(self, text: str, counted: dict[str, Any] | None = None) -> None:
        """Shows a text in place of the last one; a program gets what is counted, too."""
        if self._machine:
            line = json.dumps({"type": "progress", "words": text} | (counted or {}), ensure_ascii=False)
            self._stream.write(f"{line}\n")
            self._stream.flush()
            return
        if not self._stream.isatty():
            return
        self._stream.write("\r" + text.ljust(self._shown))
        self._stream.flush()
        self._shown = len(text)

    @property
    def is_for_a_program(self) -> bool:
        """Whether lines of JSON are written in place of a line for a terminal."""
        return self._machine

    def message(self, text: str) -> None:
        """Writes a line that stays, above the progress."""
        self.close()
        self._stream.write(f"{text}\n")
        self._shown = 0

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


def _counted(progress: Progress) -> dict[str, Any]:
    """The state for a program: what is done of what, and the slots of a timed test."""
    standing = progress.standing
    if standing is not None:
        elapsed_s, left_s = standing["elapsed_s"], standing["left_s"]
        share = None if left_s is None else elapsed_s / max(elapsed_s + left_s, 1e-9)
        return {"share": share, "slot_s": standing["slot_s"], "slots": standing["course"]}
    done = progress.replications_done
    total = max(progress.replications_total, done)
    counts = {"points_done": progress.points_done, "points_total": progress.points_total, "replications_total": total}
    return counts | {"replications_done": done, "share": done / total if total else None}


class TimeLeft:
    """Estimates the time left from the replications computed so far; what it returns never rises.

    It waits for a tenth of the replications, or a few seconds: the first ones say little. Where the total grows during
    the job, as a search or `--precision` makes it, the end is not known.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._total = 0
        self._open_ended = False
        self._left_s: float | None = None

    def __call__(self, progress: Progress, elapsed_s: float) -> float | None:
        """The time left in seconds, if it can be estimated."""
        done, total = progress.replications_done, progress.replications_total
        computed = done - progress.from_cache
        self._open_ended |= bool(self._total and total > self._total)
        self._total = total
        if self._open_ended or computed <= 0 or (computed < total / 10 and elapsed_s < SETTLED_S):
            return None
        left_s = elapsed_s / computed * (total - done)
        self._left_s = left_s if self._left_s is None else min(self._left_s, left_s)
        return self._left_s


class Line:
    """The words of the line: "12 of 154 points, 131 of 1540 runs, 26 runs/s, 54 s left"."""

    def __init__(self) -> None:
        """Begins a job."""
        self._left = TimeLeft()

    def __call__(self, progress: Progress, elapsed_s: float) -> str:
        """The line at this time since the beginning."""
        left_s = self._left(progress, elapsed_s)
        if not progress.points_total:
            return "starting"
        noun = "point" if progress.points_total == 1 else "points"
        total = max(progress.replications_total, progress.replications_done)
        parts = [f"{progress.points_done} of {progress.points_total} {noun}"]
        parts.append(f"{progress.replications_done} of {total} runs")
        computed = progress.replications_done - progress.from_cache
        if elapsed_s > 0.5 and computed > 0:
            rate = computed / elapsed_s
            parts.append(f"{rate:.0f} runs/s" if rate >= 10 else f"{rate:.1f} runs/s")
        if progress.begun_with_others:
            parts.append(f"{progress.begun_with_others} begun with another")
        # what a rate takes is foreseen from its interval, not from the replications known so far
        if left_s is not None and progress.rate is None and progress.replications_done < total:
            parts.append(f"{span(left_s)} left")
        if progress.note:
            parts.append(progress.note)
        if progress.rate is not None:
            parts.extend(_rate(progress.rate))
        return ", ".join(parts)


def _rate(rate: dict[str, Any]) -> list[str]:
    """A rare event so far: "0.4 a year so far (0.1 to 1.5)", "about 3 min left" """
    said = f"{occurrences.so_far(rate['rate'], rate['interval'])} so far"
    return [said] if rate["left_s"] is None else [said, f"about {span(rate['left_s'])} left"]


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
    """A duration in whole seconds or rounded: "54 s", "3 min", "1.5 h"."""
    return format_duration(round(seconds))
