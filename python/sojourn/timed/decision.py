"""Whether a quantile is below its limit, asked again and again while samples come in.

The error is at most 1 % for *missed* and 2.5 % for *met*, less than 5 % together: a false alarm costs a reviewer more.
Each look at the samples spends a part of it in proportion to the time that has passed since the look before (Lan and
DeMets, 1983; the linear function of Kim and DeMets, 1987), and looks are added up without use of their dependence
(Bonferroni): so the interval of any look holds whichever look ends the test (Jennison and Turnbull, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf

from sojourn.timed.binomial import high_share, independent_samples, low_share
from sojourn.timed.dependence import dependence
from sojourn.timed.warm_up import warm_up

MISSED, MET, UNDECIDED = "missed", "met", "undecided"
ERROR = {MISSED: 0.01, MET: 0.025}
LOOKS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of the time at which the samples are looked at."""
FEWEST = 50
"""Samples below which nothing is decided: MSER has ten batches of five."""


@dataclass(frozen=True)
class Limit:
    """A quantile and what it should be below: a number, or an interval where the limit is a measured one."""

    field: str
    """`p99`."""
    share: float
    low_s: float
    high_s: float
    text: str
    """`20 ms`, as it was written."""

    @property
    def middle_s(self) -> float:
        """The limit, or the middle of what it is known to be."""
        return (self.low_s + self.high_s) / 2


@dataclass(frozen=True)
class Found:
    """What the samples show of one quantile."""

    limit: Limit
    verdict: str
    value_s: float
    low_s: float
    high_s: float
    """Infinite where there are too few samples to bound it."""
    samples: int
    effective: float
    reason: str = ""
    least: float = 0.0
    """How many independent samples it takes to be met at all."""


@dataclass
class Decision:
    """The looks at one series of samples, in order of time."""

    limits: Sequence[Limit]
    early: bool = True
    """Whether a look before the last one may end the test."""
    found: list[Found] = field(default_factory=list)
    """Of the last look."""
    dropped: int = 0
    """Samples of the warm-up."""
    _next: int = 0
    _spent: float = 0.0
    _is_warm: bool = False
    _before: dict[str, str] = field(default_factory=dict)

    def due(self, elapsed: float) -> bool:
        """Whether a look is due after this share of the time."""
        return self._next < len(LOOKS) and elapsed >= LOOKS[self._next]

    def look(self, values: Sequence[float], elapsed: float, *, warms_up: bool = True) -> bool:
        """Looks at all samples so far; whether the test has ended.

        The warm-up is what the first look finds, unless the samples have calls that have not ended: the earliest of
        those are the longest so far.
        """
        elapsed = min(1.0, elapsed)
        while self.due(elapsed):
            self._next += 1
        if len(values) < FEWEST and elapsed < 1:
            return False
        if not self._is_warm:
            self.dropped, self._is_warm = warm_up(values) if warms_up else 0, True
        step, self._spent = elapsed - self._spent, elapsed
        if step > 0:
            self.found = [judged(values[self.dropped :], limit, step / len(self.limits)) for limit in self.limits]
        return elapsed >= 1 or (self.early and self._is_decided())

    def _is_decided(self) -> bool:
        """Whether every limit has the verdict of the look before: a neighbour may be busy, or away, for the whole time
        before one look."""
        before, self._before = self._before, {found.limit.field: found.verdict for found in self.found}
        return before == self._before and UNDECIDED not in before.values()


def judged(values: Sequence[float], limit: Limit, share_of_error: float) -> Found:
    """The interval of a quantile and its verdict, where this share of the error is spent."""
    if not values:
        return Found(limit, UNDECIDED, inf, 0.0, inf, 0, 0.0, "no call ended in time")
    ranked = sorted(values)
    value = _at(ranked, limit.share)
    alpha = {verdict: error * share_of_error for verdict, error in ERROR.items()}
    # what exceeds the limit decides; where that is hardly any, what exceeds the quantile shows the dependence
    found = dependence(values, {limit.middle_s, min(value, limit.middle_s)})
    worth = {verdict: found.effective(len(values), level) for verdict, level in alpha.items()}
    low = _below(ranked, low_share(worth[MISSED], limit.share, alpha[MISSED]))
    top = high_share(worth[MET], limit.share, alpha[MET])
    high = inf if top > 1 else _at(ranked, top)
    verdict = MISSED if low > limit.high_s else MET if high <= limit.low_s else UNDECIDED
    reason = ""
    if found.slow and verdict is not UNDECIDED:
        verdict, reason = UNDECIDED, "the times vary more slowly than the test lasted"
    least = independent_samples(limit.share, alpha[MET])
    return Found(limit, verdict, value, low, high, len(values), worth[MET], reason, least)


def _at(ranked: Sequence[float], share: float) -> float:
    """The smallest value with at least this share of all at or below it."""
    return ranked[min(len(ranked), max(1, ceil(share * len(ranked) - 1e-9))) - 1]


def _below(ranked: Sequence[float], share: float) -> float:
    """The value with at most this share of all at or below it, if no other equals it; 0 where there is none."""
    rank = int(share * len(ranked) + 1e-9)
    return ranked[rank - 1] if rank else 0.0
