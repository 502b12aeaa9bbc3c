"""The difference of one metric between two points, with its confidence interval.

Points with the same seed use common random numbers: differences are taken per replication, which removes the common
variance. Otherwise the interval is Welch's. Counts have at least the interval of two Poisson counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, variance

from sojourn.bindings import call
from sojourn.catalogue import better_when
from sojourn.comparison.counts import poisson_difference
from sojourn.results import Metric

Quantile = Callable[[float, float], float]
"""Student's t quantile for a probability and degrees of freedom."""
CARRIED = {"throughput", "throughput_l3", "throughput_l4", "packet_rate", "transaction_rate"}
"""Rates that also rise with the load offered: more of them is not better by itself."""
NOT_DECIDABLE = "not decidable"


@dataclass(frozen=True)
class Difference:
    """Second minus first, in SI units; counts per run."""

    metric: str
    unit: str
    first: float | None
    """None for a quantile that was not reached."""
    second: float | None
    interval: tuple[float, float] | None
    """Of the difference; None where fewer than two replications were run. An end may be infinite."""
    paired: bool
    tolerance: float = 0.0
    """Relative difference up to which two values count as the same."""
    field: str = "mean"
    floor: float = 0.0
    """Absolute difference up to which two values count as the same, in SI units."""
    judged: bool = True
    """Whether the metric's better direction applies."""

    @property
    def value(self) -> float:
        """Second minus first; not a number where a quantile was not reached."""
        return math.nan if self.first is None or self.second is None else self.second - self.first

    @property
    def relative(self) -> float | None:
        """The difference as a share of the first value."""
        return self.value / self.first if self.first and self.second is not None else None

    @property
    def decided(self) -> bool:
        """Whether there is an interval to judge by, or both are identical under common random numbers."""
        return self.interval is not None or (self.paired and self.value == 0)

    @property
    def shown(self) -> bool:
        """Whether the difference is significant: its interval lies beyond the tolerance. Without one nothing is."""
        if self.interval is None:
            return False
        room = max(self.tolerance * abs(self.first or 0.0), self.floor)
        low, high = self.interval
        return low > room or high < -room

    @property
    def verdict(self) -> str:
        """Of the second: "better", "worse", "higher", "lower", "the same", "no difference shown" or "not decidable"."""
        if not self.decided:
            return NOT_DECIDABLE
        if not self.shown:
            return "the same" if self.interval in (None, (0.0, 0.0)) and self.paired else "no difference shown"
        low, _ = self.interval or (0.0, 0.0)
        direction = better_when(self.metric) if self.judged else None
        if direction is None:
            return "higher" if low > 0 else "lower"
        return "better" if (low < 0) == (direction == "lower") else "worse"


def student_quantile(probability: float, degrees_of_freedom: float) -> float:
    """Student's t quantile; degrees of freedom are rounded down, which widens the interval."""
    return float(call("student_quantile", probability, max(1, int(degrees_of_freedom))))


def difference(  # noqa: PLR0913
    first: Metric,
    second: Metric,
    *,
    paired: bool,
    confidence: float = 0.95,
    tolerance: float = 0.0,
    quantile: Quantile = student_quantile,
) -> Difference | None:
    """The difference of two means or values; None where one of them does not apply.

    A replication in which one of the two has no value is left out of a paired difference, and of its own mean.
    """
    if first.mean is None or second.mean is None:
        return None
    one, two = first.each_replication(), second.each_replication()
    counted = first.is_count and second.is_count
    if paired and len(one) == len(two):
        both = [(a, b) for a, b in zip(one, two, strict=True) if a is not None and b is not None]
        if len(both) > 1:
            firsts, seconds = [a for a, _ in both], [b for _, b in both]
            ends = _paired(firsts, seconds, confidence, quantile)
            return _of(first, firsts, seconds, ends, tolerance, counted=counted, paired=True, confidence=confidence)
    firsts, seconds = ([value for value in values if value is not None] for values in (one, two))
    if len(firsts) > 1 and len(seconds) > 1:
        ends = _welch(firsts, seconds, confidence, quantile)
        return _of(first, firsts, seconds, ends, tolerance, counted=counted, paired=False, confidence=confidence)
    return Difference(first.name, first.unit, first.mean, second.mean, None, paired, tolerance)


def _of(  # noqa: PLR0913
    metric: Metric,
    one: list[float],
    two: list[float],
    ends: tuple[float, float],
    tolerance: float,
    *,
    counted: bool,
    paired: bool,
    confidence: float,
) -> Difference:
    # two that never saw an event are not shown to be the same
    if counted and not (paired and one == two and any(one)):
        low, high = poisson_difference(int(sum(one)), len(one), int(sum(two)), len(two), confidence)
        ends = min(ends[0], low), max(ends[1], high)
    return Difference(metric.name, metric.unit, fmean(one), fmean(two), ends, paired, tolerance)


def _paired(one: list[float], two: list[float], confidence: float, quantile: Quantile) -> tuple[float, float]:
    gaps = [b - a for a, b in zip(one, two, strict=True)]
    half = quantile(0.5 + confidence / 2, len(gaps) - 1) * math.sqrt(variance(gaps) / len(gaps))
    return fmean(gaps) - half, fmean(gaps) + half


def _welch(one: list[float], two: list[float], confidence: float, quantile: Quantile) -> tuple[float, float]:
    gap = fmean(two) - fmean(one)
    half = welch_half([variance(one) / len(one), variance(two) / len(two)], [len(one), len(two)], confidence, quantile)
    return gap - half, gap + half


def welch_half(squares: list[float], counts: list[int], confidence: float, quantile: Quantile) -> float:
    """Half the width of Welch's interval, from the squared standard errors and the numbers of observations."""
    if sum(squares) == 0:
        return 0.0
    freedom = sum(squares) ** 2 / sum(square**2 / (count - 1) for square, count in zip(squares, counts, strict=True))
    return quantile(0.5 + confidence / 2, freedom) * math.sqrt(sum(squares))
