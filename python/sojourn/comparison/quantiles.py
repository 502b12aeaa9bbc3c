"""Simulated and measured distributions compared by percentiles and the Kolmogorov-Smirnov statistic: means may agree
while tails do not."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from sojourn.results import Metric, Point, Results

Steps = tuple[list[float], list[float]]
"""Values in rising order, and the share of all that is at or below each."""

FIELDS = ("p50", "p90", "p95", "p99")


@dataclass(frozen=True)
class Gap:
    """A distribution of one point in two results."""

    point: Point
    metric: str
    unit: str
    quantiles: dict[str, tuple[float, float]]
    """The percentiles in both results, those with enough samples beyond them."""
    distance: float | None
    """Kolmogorov-Smirnov statistic, 0 to 1; None where the samples were not kept."""


def gaps(
    first: Results, second: Results, pairs: list[tuple[Point, Point]], wanted: list[str] | None = None
) -> list[Gap]:
    """Every distribution that both points of a pair have, or those wanted."""
    return [
        Gap(
            point,
            name,
            metric.unit,
            _quantiles(metric, other),
            _distance(_steps(first, point, name), _steps(second, partner, name)),
        )
        for point, partner in pairs
        for name, metric in point.metrics.items()
        if metric.is_distribution and metric.applies and (not wanted or name in wanted)
        if (other := partner.get(name)) is not None and other.is_distribution
    ]


def _quantiles(one: Metric, other: Metric) -> dict[str, tuple[float, float]]:
    return {
        field: (found, beside)
        for field in FIELDS
        if field not in one.weak and field not in other.weak
        if (found := one.field(field)) is not None and (beside := other.field(field)) is not None
    }


def _steps(results: Results, point: Point, name: str) -> Steps | None:
    if values := sorted(results.columns_at(point, name)["value"]):
        return values, [rank / len(values) for rank in range(1, len(values) + 1)]
    bins = results.columns_at(point, name, "histograms")
    if not bins["count"]:
        return None
    whole = sum(bins["count"])
    return bins["to_s"], [below / whole for below in accumulate(bins["count"])]


def _distance(first: Steps | None, second: Steps | None) -> float | None:
    if first is None or second is None:
        return None
    return max(abs(_share(first, value) - _share(second, value)) for value in {*first[0], *second[0]})


def _share(steps: Steps, value: float) -> float:
    """The share of all values that is at or below this one."""
    values, shares = steps
    rank = bisect_right(values, value)
    return shares[rank - 1] if rank else 0.0
