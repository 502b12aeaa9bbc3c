"""Simulated and measured distributions compared by percentiles and the Kolmogorov-Smirnov statistic: means may agree
while tails do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sojourn.results import Metric, Point, Results
from sojourn.samples import at_point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Steps = tuple[NDArray[np.float64], NDArray[np.float64]]
    """Values in rising order, and the share of all that is at or below each."""

FIELDS = ("p50", "p90", "p99")


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
    import numpy as np  # noqa: PLC0415

    samples = at_point(results.samples(name), point)
    if samples.height:
        values = np.sort(samples["value"].to_numpy())
        return values, np.arange(1, len(values) + 1) / len(values)
    bins = at_point(results.histogram(name), point)
    if not bins.height:
        return None
    return bins["to_s"].to_numpy(), bins["count"].cum_sum().to_numpy() / bins["count"].sum()


def _distance(first: Steps | None, second: Steps | None) -> float | None:
    import numpy as np  # noqa: PLC0415

    if first is None or second is None:
        return None
    everywhere = np.union1d(first[0], second[0])
    below = [np.append(0.0, shares)[np.searchsorted(values, everywhere, "right")] for values, shares in (first, second)]
    return float(np.abs(below[0] - below[1]).max())
