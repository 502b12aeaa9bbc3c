"""The difference of one metric between two points, with its Student-t interval.

Points with the same seed use common random numbers: differences are taken per replication, which removes the common
variance. Otherwise the interval is Welch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, variance

from sojourn.bindings import call
from sojourn.catalogue import better_when
from sojourn.results import Metric

Quantile = Callable[[float, float], float]
"""Student's t quantile for a probability and degrees of freedom."""


@dataclass(frozen=True)
class Difference:
    """Second minus first, in SI units."""

    metric: str
    unit: str
    first: float
    second: float
    interval: tuple[float, float] | None
    """Of the difference; None where fewer than two replications were run."""
    paired: bool
    tolerance: float = 0.0
    """Relative difference up to which two values count as the same."""

    @property
    def value(self) -> float:
        """Second minus first."""
        return self.second - self.first

    @property
    def relative(self) -> float | None:
        """The difference as a share of the first value."""
        return self.value / self.first if self.first else None

    @property
    def shown(self) -> bool:
        """Whether the difference is significant: its interval, or without one its value, lies beyond the tolerance."""
        room = self.tolerance * abs(self.first)
        low, high = self.interval or (self.value, self.value)
        return low > room or high < -room

    @property
    def verdict(self) -> str:
        """Of the second: "better", "worse", "higher", "lower", "the same" or "not significant"."""
        if not self.shown:
            return "the same" if self.value == 0 else "not significant"
        direction = better_when(self.metric)
        if direction is None:
            return "higher" if self.value > 0 else "lower"
        return "better" if (self.value < 0) == (direction == "lower") else "worse"


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
    """The difference of two metrics; None where one of them does not apply."""
    one, two = first.by_replication(), second.by_replication()
    if one and two:
        ends = (
            _paired(one, two, confidence, quantile)
            if paired and len(one) == len(two)
            else _welch(one, two, confidence, quantile)
        )
        return Difference(
            first.name, first.unit, fmean(one), fmean(two), ends, paired and len(one) == len(two), tolerance
        )
    if first.mean is None or second.mean is None:
        return None
    return Difference(first.name, first.unit, first.mean, second.mean, None, False, tolerance)


def _paired(one: list[float], two: list[float], confidence: float, quantile: Quantile) -> tuple[float, float] | None:
    gaps = [b - a for a, b in zip(one, two, strict=True)]
    if len(gaps) < 2:
        return None
    half = quantile(0.5 + confidence / 2, len(gaps) - 1) * math.sqrt(variance(gaps) / len(gaps))
    return fmean(gaps) - half, fmean(gaps) + half


def _welch(one: list[float], two: list[float], confidence: float, quantile: Quantile) -> tuple[float, float] | None:
    if len(one) < 2 or len(two) < 2:
        return None
    spread = [variance(one) / len(one), variance(two) / len(two)]
    gap = fmean(two) - fmean(one)
    if sum(spread) == 0:
        return gap, gap
    freedom = sum(spread) ** 2 / (spread[0] ** 2 / (len(one) - 1) + spread[1] ** 2 / (len(two) - 1))
    half = quantile(0.5 + confidence / 2, freedom) * math.sqrt(sum(spread))
    return gap - half, gap + half
