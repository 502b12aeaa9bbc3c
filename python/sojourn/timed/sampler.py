"""Calls a function until a requirement is decided: closed loop, or open loop at a rate.

In a closed loop the next call begins when the last one has ended: a slow service is asked less often, and how long
others would have waited for it is not seen. In an open loop calls are due on a schedule, and each is timed from when
it was due, which avoids coordinated omission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sojourn.timed.clock import Clock
from sojourn.timed.decision import Decision
from sojourn.timed.pauses import Watch, left_out

LATE_S = 0.001
"""A host wakes this late; a call that begins later than that was kept waiting, and its wait counts."""
MOST_CALLS = 2_000_000
"""So that a series fits in memory."""


@dataclass
class Series:
    """The calls of one test, and when they are looked at."""

    decision: Decision
    within_s: float
    clock: Clock
    watch: Watch | None = None
    rate: float | None = None
    """Calls per second of an open loop; None for a closed one."""
    calls: list[tuple[float, float, float]] = field(default_factory=list)
    """When each began and ended, and the time it took from when it was due."""
    began: float = 0.0
    ended: float = 0.0

    def begin(self) -> None:
        """The first call begins now."""
        self.began = self.ended = self.clock.now()

    def due(self, number: int) -> float:
        """When a call is due by the schedule."""
        return self.began if self.rate is None else self.began + number / self.rate

    def ends(self, due: float, begin: float, pending: list[float] | None = None) -> bool:
        """A call has ended now; whether that was the last one."""
        now = self.clock.now()
        start = begin if self.rate is None or begin - due <= LATE_S else due
        self.calls.append((start, now, now - start))
        return self.looks(now, pending or [])

    def looks(self, now: float, pending: list[float]) -> bool:
        """Looks at the calls, in the order in which they began, if it is time to.

        Calls that have not ended, pending since these instants, count where they exceed every limit already, and at the
        last look.
        """
        self.ended = now
        elapsed = (now - self.began) / self.within_s
        if len(self.calls) >= MOST_CALLS:
            elapsed = 1.0
        if not self.decision.due(elapsed):
            return False
        longest = max(limit.high_s for limit in self.decision.limits)
        open_calls = [(since, now, now - since) for since in pending if elapsed >= 1 or now - since > longest]
        times = self.times(sorted(self.calls + open_calls))
        return self.decision.look(times, elapsed, warms_up=not open_calls)

    def times(self, calls: list[tuple[float, float, float]] | None = None) -> list[float]:
        """The times of the calls, without those within which the host paused."""
        calls = self.calls if calls is None else calls
        return left_out(calls, self.watch) if self.watch else [taken for *_, taken in calls]


def sample(call: Callable[[], object], series: Series) -> None:
    """Calls in this thread: in an open loop a call that is due while another runs waits for it, and that counts."""
    series.begin()
    number, clock = 0, series.clock
    while True:
        due = series.due(number)
        if series.rate is not None:
            clock.sleep_until(due)
        begin = clock.now()
        call()
        if series.ends(due, begin):
            return
        number += 1


async def sample_async(call: Callable[[], Awaitable[object]], series: Series) -> None:
    """Awaits one call after another, or in an open loop begins each when due, whether or not others have ended."""
    series.begin()
    if series.rate is not None:
        await _open_loop(call, series)
        return
    while True:
        begin = series.clock.now()
        await call()
        if series.ends(begin, begin):
            return


async def _open_loop(call: Callable[[], Awaitable[object]], series: Series) -> None:
    pending: dict[asyncio.Task[None], float] = {}
    ended: list[BaseException | None] = []

    async def one(due: float) -> None:
        begin = series.clock.now()
        await call()
        others = [since for task, since in pending.items() if task is not asyncio.current_task()]
        if series.ends(due, begin, others):
            ended.append(None)

    def done(task: asyncio.Task[None]) -> None:
        del pending[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            ended.append(error)

    number = 0
    while not ended:
        due = series.due(number)
        await series.clock.wait_until(due)
        if ended or series.looks(series.clock.now(), list(pending.values())):
            break
        task = asyncio.ensure_future(one(due))
        pending[task] = due
        task.add_done_callback(done)
        number += 1
    left = list(pending)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if (error := next(filter(None, ended), None)) is not None:
        raise error
