"""The clock of response-time tests; a test of them has one of its own that it sets by hand."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """What a sampler needs of time."""

    def now(self) -> float:
        """Seconds since any instant; it never goes back."""

    def sleep_until(self, instant: float) -> None:
        """Waits until then."""

    async def wait_until(self, instant: float) -> None:
        """Waits until then, and lets other coroutines run."""


@dataclass(frozen=True)
class HostClock:
    """The clock of this host."""

    def now(self) -> float:
        """Seconds, by a clock that is not set."""
        return time.perf_counter()

    def sleep_until(self, instant: float) -> None:
        """Sleeps; wakes up to a fraction of a millisecond late."""
        if (left := instant - self.now()) > 0:
            time.sleep(left)

    async def wait_until(self, instant: float) -> None:
        """Waits; the event loop wakes up to a millisecond late."""
        await asyncio.sleep(max(0.0, instant - self.now()))
