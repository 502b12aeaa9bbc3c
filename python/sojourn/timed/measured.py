"""The fixture `response_time`: one call of it is one response-time test."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, cast

import pytest

from sojourn.errors import UserError
from sojourn.timed import baseline, limits
from sojourn.timed.clock import Clock, HostClock
from sojourn.timed.decision import UNDECIDED, Decision
from sojourn.timed.outcome import Outcome, in_numbers, outcome
from sojourn.timed.pauses import Watch
from sojourn.timed.sampler import Series, sample, sample_async

WITHIN = "10 s"


@dataclass(frozen=True)
class Settings:
    """What options and the configuration of pytest say."""

    undecided: str = "fail"
    """`fail` or `skip`."""
    folder: Path | None = None
    """Of baselines."""
    record: bool = False
    """Whether this run's times become the baseline."""


@dataclass
class ResponseTime:
    """Calls a function until its requirements are decided; fails or skips the test where they are not met."""

    test: str
    settings: Settings
    note: Callable[[str], None]
    """Takes the line of each outcome."""
    defaults: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of a marker."""
    clock: Clock = field(default_factory=HostClock)
    _count: int = 0

    def __call__(self, call: Callable[[], object], **given: Any) -> Awaitable[Outcome] | Outcome:
        """Tests the response time of a function or a coroutine function; within a running event loop, await it.

        Requirements are keyword arguments: `p50`, `p90`, `p95`, `p99`, `p999`. `within` is the time that a decision may
        take, `rate` makes the loop an open one, `undecided` is "fail" or "skip", `pauses=False` keeps the calls within
        which this host paused.
        """
        return self.run(call, self.defaults | given)

    def run(self, call: Callable[[], object], given: dict[str, Any]) -> Awaitable[Outcome] | Outcome:
        """Runs it to its end."""
        __tracebackhide__ = True
        try:
            asked = _Asked.read(self, given)
        except UserError as error:
            pytest.fail(str(error), pytrace=False)
        if not _is_coroutine_function(call):
            with asked.watched():
                sample(call, asked.series)
            return self._ended(asked)
        running = self._awaited(cast("Callable[[], Awaitable[object]]", call), asked)
        return running if _in_event_loop() else asyncio.run(running)

    async def _awaited(self, call: Callable[[], Awaitable[object]], asked: _Asked) -> Outcome:
        __tracebackhide__ = True
        with asked.watched():
            await sample_async(call, asked.series)
        return self._ended(asked)

    def _ended(self, asked: _Asked) -> Outcome:
        __tracebackhide__ = True
        found = outcome(asked.series, asked.reason)
        if self.settings.record:
            assert asked.file is not None
            baseline.write(asked.file, self.test, found.found)
            self.note(f"recorded as baseline: {', '.join(map(in_numbers, found.found))}")
            return found
        self.note(found.line)
        if found.verdict == UNDECIDED and asked.undecided == "skip":
            pytest.skip(found.line)
        if found.verdict != "met":
            pytest.fail(found.line, pytrace=False)
        return found

    def next_file(self) -> Path | None:
        """The file of the baseline; of the second call in a test another one."""
        self._count += 1
        if self.settings.folder is None:
            return None
        return baseline.file_of(self.settings.folder, self.test + (f"-{self._count}" if self._count > 1 else ""))


@dataclass
class _Asked:
    """One test, read from its arguments."""

    series: Series
    undecided: str
    file: Path | None
    reason: str

    @classmethod
    def read(cls, test: ResponseTime, given: dict[str, Any]) -> _Asked:
        """Reads the arguments; `UserError` where one is wrong."""
        given = dict(given)
        within = limits.seconds("within", given.pop("within", WITHIN))
        rate = given.pop("rate", None)
        undecided = given.pop("undecided", test.settings.undecided)
        if undecided not in ("fail", "skip"):
            raise UserError(f'undecided is {undecided!r}, and should be "fail" or "skip"')
        watches = given.pop("pauses", True)
        file, kept, reason = test.next_file(), None, ""
        if any("baseline" in str(text) for text in given.values()) and not test.settings.record:
            kept, reason = _kept(file)
        asked = limits.limits(given, baseline.intervals(kept) if kept else None)
        if kept and not reason and any(one.middle_s == inf for one in asked):
            reason = f"{file} has no upper end of it: record it with more time"
        decision = Decision(asked, early=not test.settings.record)
        watch = Watch() if watches and _is_host(test.clock) else None
        series = Series(decision, within, test.clock, watch, None if rate is None else limits.per_second("rate", rate))
        return cls(series, undecided, file, reason)

    def watched(self) -> ExitStack:
        """Watches the clock of the host meanwhile."""
        stack = ExitStack()
        if self.series.watch is not None:
            stack.enter_context(self.series.watch)
        return stack


def _kept(file: Path | None) -> tuple[dict[str, Any] | None, str]:
    """The baseline, and why nothing can be compared with it."""
    if file is None:
        return None, "give the folder of baselines: --response-time-baseline DIR"
    kept = baseline.read(file)
    if kept is None:
        return None, f"there is no baseline {file}: record one with --response-time-record"
    return kept, baseline.why_not(kept)


def _is_host(clock: Clock) -> bool:
    return isinstance(clock, HostClock)


def _is_coroutine_function(call: Callable[[], object]) -> bool:
    found = getattr(call, "func", call)  # of functools.partial
    return inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(type(found).__call__)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def repeated(function: Callable[..., object], arguments: dict[str, Any]) -> Callable[[], object]:
    """A marked test as the function to call."""
    if not inspect.iscoroutinefunction(function):
        return lambda: function(**arguments)

    async def call() -> object:
        return await cast("Coroutine[Any, Any, object]", function(**arguments))

    return call
