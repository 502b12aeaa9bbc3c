"""Batches of a measurement's samples in place of replications: neighbours in time are not independent.

The number of batches is halved until the means of neighbouring batches are uncorrelated (Law and Carson 1979).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, variance

from sojourn.results import QUANTILES, Metric, Point, Results

MOST, FEWEST = 32, 8
BEYOND = 10
"""Samples beyond a quantile below which it is close to the maximum observed, and has no interval here."""
TAIL = 0.05
"""Quantiles with a smaller share beyond them are judged by the fewest and longest batches."""
CORRELATED = 0.2
"""Correlation of neighbouring batches from which they are too short."""
Quantile = Callable[[float, float], float]
"""Student's t quantile for a probability and degrees of freedom."""


@dataclass(frozen=True)
class Batches:
    """A metric whose batches stand for replications."""

    metric: Metric
    count: int
    correlation: float
    """Of the means of neighbouring batches."""
    values: tuple[float, ...] = ()
    """All samples, in order of observation."""

    @property
    def correlated(self) -> bool:
        """Whether even the fewest batches are correlated: the path varied more slowly than the measurement lasted."""
        return self.correlation > CORRELATED

    def ends(self, field: str, confidence: float, quantile: Quantile) -> tuple[float, float] | None:
        """The interval of a quantile: Student's interval of the batches' shares beyond it, inverted.

        A tail that comes in bursts has an upper end that is infinite. None with fewer than ten samples beyond it.
        """
        beyond = 1 - QUANTILES[field]
        if len(self.values) * beyond < BEYOND or (limit := self.metric.field(field)) is None:
            return None
        ranked = sorted(self.values)
        parts = _parts(list(self.values), self.count if beyond > TAIL else FEWEST)
        shares = [sum(value > limit for value in part) / len(part) for part in parts]
        half = quantile(0.5 + confidence / 2, len(parts) - 1) * (variance(shares) / len(parts)) ** 0.5
        half = max(half, (beyond * QUANTILES[field] / len(ranked)) ** 0.5 * quantile(0.5 + confidence / 2, 1000))
        low = _rank(ranked, max(0.0, 1 - beyond - half))
        return low, math.inf if half >= beyond else _rank(ranked, 1 - beyond + half)


def batched(results: Results, point: Point, name: str) -> Batches | None:
    """The metric with a value per batch; None where its samples were not kept or are too few."""
    metric = point.get(name)
    if metric is None or not metric.is_distribution:
        return None
    values = results.columns_at(point, name)["value"]
    count = MOST
    while count > FEWEST and (len(values) < 10 * count or correlation(_means(values, count)) > CORRELATED):
        count //= 2
    if len(values) < 2 * count:
        return None
    parts = _parts(values, count)
    by_batch = {"mean": [fmean(part) for part in parts]}
    raw = metric.raw | {"by_replication": by_batch}
    return Batches(Metric(name, raw), count, correlation(by_batch["mean"]), tuple(values))


def correlation(values: list[float]) -> float:
    """The correlation of neighbouring values."""
    middle = fmean(values)
    square = sum((value - middle) ** 2 for value in values)
    if square == 0:
        return 0.0
    return sum((a - middle) * (b - middle) for a, b in itertools.pairwise(values)) / square


def _parts(values: list[float], count: int) -> list[list[float]]:
    return [values[len(values) * part // count : len(values) * (part + 1) // count] for part in range(count)]


def _means(values: list[float], count: int) -> list[float]:
    return [fmean(part) for part in _parts(values, count) if part]


def _rank(ranked: list[float], share: float) -> float:
    """A quantile of sorted values: the smallest with at least this share at or below it."""
    return ranked[max(0, math.ceil(share * len(ranked) - 1e-9) - 1)]
