"""Intervals of counts and of their differences: a count of zero has an upper bound."""

from __future__ import annotations

import math
from statistics import NormalDist


def poisson_interval(count: int, confidence: float) -> tuple[float, float]:
    """The exact interval of the expectation of a Poisson count (Garwood 1936).

    Quantiles of chi-squared are Wilson's and Hilferty's, within 1 % of the exact ones; the upper end at zero is exact.
    """
    alpha = 1 - confidence
    if count == 0:
        return 0.0, -math.log(alpha / 2)
    z = NormalDist().inv_cdf(1 - alpha / 2)
    more = count + 1
    low = count * max(0.0, 1 - 1 / (9 * count) - z / (3 * math.sqrt(count))) ** 3
    return low, more * (1 - 1 / (9 * more) + z / (3 * math.sqrt(more))) ** 3


def poisson_difference(first: int, runs: int, second: int, others: int, confidence: float) -> tuple[float, float]:
    """The interval of the difference of two counts per run (method of variance estimates recovery, Zou and Donner
    2008)."""
    (low, high), (below, above) = poisson_interval(first, confidence), poisson_interval(second, confidence)
    one, two = first / runs, second / others
    down = math.hypot(two - below / others, high / runs - one)
    up = math.hypot(above / others - two, one - low / runs)
    return two - one - down, two - one + up
