"""The difference of a quantile between two points.

Sectioning: the spread of the replications' differences about the difference of the pooled quantiles. Under common
random numbers the replications are paired, which also cancels most of the bias of a short replication's quantile.
"""

from __future__ import annotations

import math

from sojourn.comparison.batches import Batches
from sojourn.comparison.paired import Difference, Quantile, student_quantile, welch_half
from sojourn.results import Metric


def quantile_difference(  # noqa: PLR0913
    first: Metric,
    second: Metric,
    field: str,
    *,
    paired: bool,
    confidence: float = 0.95,
    tolerance: float = 0.0,
    quantile: Quantile = student_quantile,
) -> Difference | None:
    """The difference of one quantile; None where neither has it.

    A quantile that was not reached lies beyond every time; it differs from one whose interval ends below its own.
    """
    lost = [field in metric.not_reached for metric in (first, second)]
    one, two = first.field(field), second.field(field)
    if any(lost):
        ends = None if all(lost) else _beyond(first, second, field)
        return Difference(first.name, first.unit, one, two, ends, paired, tolerance, field)
    if one is None or two is None:
        return None
    ends = _interval(first, second, field, two - one, paired, confidence, quantile)
    return Difference(first.name, first.unit, one, two, ends, paired, tolerance, field)


def _interval(  # noqa: PLR0913, PLR0917
    first: Metric, second: Metric, field: str, gap: float, paired: bool, confidence: float, quantile: Quantile
) -> tuple[float, float] | None:
    one, two = first.by_replication(field) or [], second.by_replication(field) or []
    if len(one) < 2 or len(two) < 2:
        return None
    if paired and len(one) == len(two):
        square = sum((b - a - gap) ** 2 for a, b in zip(one, two, strict=True)) / (len(one) - 1) / len(one)
        half = quantile(0.5 + confidence / 2, len(one) - 1) * math.sqrt(square)
        return gap - half, gap + half
    squares = [
        sum((value - (metric.field(field) or 0.0)) ** 2 for value in values) / (len(values) - 1) / len(values)
        for metric, values in ((first, one), (second, two))
    ]
    half = welch_half(squares, [len(one), len(two)], confidence, quantile)
    return gap - half, gap + half


def measured_difference(  # noqa: PLR0913
    first: Batches,
    second: Batches,
    field: str,
    *,
    confidence: float = 0.95,
    tolerance: float = 0.0,
    quantile: Quantile = student_quantile,
) -> Difference:
    """The difference of one quantile of two measurements, each in one piece, from the interval of either."""
    one, two = first.metric.field(field), second.metric.field(field)
    (low, high), (below, above) = (
        side.ends(field, confidence, quantile) or (math.nan, math.nan) for side in (first, second)
    )
    ends = None
    if one is not None and two is not None and not math.isnan(low + below):
        down, up = math.hypot(two - below, high - one), math.hypot(above - two, one - low)
        ends = two - one - down, two - one + up
    return Difference(
        first.metric.name, first.metric.unit, one, two, ends, paired=False, tolerance=tolerance, field=field
    )


def _beyond(first: Metric, second: Metric, field: str) -> tuple[float, float] | None:
    """The bounds of a difference of which one side was not reached, from the 95 % interval of each."""
    one, two = first.interval_of(field), second.interval_of(field)
    if one is None or two is None:
        return None
    low = two[0] - (math.inf if one[1] is None else one[1])
    high = (math.inf if two[1] is None else two[1]) - one[0]
    return None if math.isinf(low) and math.isinf(high) else (low, high)
