"""How many independent samples correlated ones are worth: a busy neighbour slows many calls in a row.

The share of samples beyond a threshold is taken in batches of consecutive samples. Its variance between them, as a
multiple of the binomial variance, is the design effect (Kish, 1965): n samples are worth n divided by it. Batches are
lengthened until neighbours are uncorrelated (Law and Carson, 1979).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

from sojourn.bindings import extension

MOST, FEWEST = 32, 8
"""Batches."""
SHORTEST = 8
"""Samples of a batch."""
CORRELATED = 0.2
"""Correlation of the shares of neighbouring batches from which these are too short."""

SLOW = 0.5
"""Correlation of even the fewest batches from which nothing is decided."""


@dataclass(frozen=True)
class Dependence:
    """What the batches show."""

    effect: float
    """The design effect, at least 1."""
    batches: int
    slow: bool
    """Whether even the fewest batches are correlated: the times vary more slowly than the test lasted."""

    def effective(self, n: int, alpha: float) -> float:
        """How many independent samples `n` are worth at this level: the fewer batches there are, the less is known of
        the effect, which Student's quantile in place of the normal one makes up for."""
        if self.effect <= 1:
            return float(n)
        level = 1 - alpha
        student = float(extension().student_quantile(level, self.batches - 1))
        return n / max(1.0, self.effect * (student / NormalDist().inv_cdf(level)) ** 2)


def dependence(values: Sequence[float], thresholds: Iterable[float]) -> Dependence:
    """The largest design effect at any of the thresholds."""
    return max((_at(values, one) for one in thresholds), key=lambda found: (found.effect, found.slow))


def _at(values: Sequence[float], threshold: float) -> Dependence:
    beyond = [value > threshold for value in values]
    share = sum(beyond) / len(values)
    count = MOST
    while count > FEWEST and (len(values) < SHORTEST * count or _correlation(_shares(beyond, count)) > CORRELATED):
        count //= 2
    if not 0 < share < 1 or len(values) < 2 * count:
        return Dependence(1.0, count, slow=False)
    shares = _shares(beyond, count)
    effect = variance(shares) * len(values) / count / (share * (1 - share))
    return Dependence(max(1.0, effect), count, _correlation(shares) > SLOW)


def _shares(beyond: Sequence[bool], count: int) -> list[float]:
    ends = [len(beyond) * part // count for part in range(count + 1)]
    return [sum(beyond[a:b]) / (b - a) for a, b in itertools.pairwise(ends) if b > a]


def _correlation(values: Sequence[float]) -> float:
    """The correlation of neighbouring values."""
    middle = fmean(values)
    square = sum((value - middle) ** 2 for value in values)
    if square == 0:
        return 0.0
    pairs = itertools.pairwise(values)
    return sum((a - middle) * (b - middle) for a, b in pairs) / square
