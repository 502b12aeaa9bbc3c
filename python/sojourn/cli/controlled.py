"""The replications that control variates saved."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.cli.output import filled
from sojourn.point import Metric, Point
from sojourn.units import rounded


def of_points(points: Sequence[Point]) -> str:
    """By metric of the whole network, how many times as many runs the same intervals take without them."""
    corrected = [metric for point in points for metric in point.metrics.values() if metric.saved is not None]
    if not corrected:
        return ""
    ranges: dict[str, list[float]] = {}
    for metric in corrected:
        if "/" not in metric.name:
            ranges.setdefault(metric.name, []).append(metric.saved or 0.0)
    ranges = dict(sorted(ranges.items(), key=lambda item: item[0] != "response_time"))
    helped = {name: saved for name, saved in ranges.items() if max(saved) > 1}
    said = [f"{name} as from {_times(saved)} as many runs" for name, saved in helped.items()]
    idle = [name for name in ranges if name not in helped]
    if idle:
        said.append(f"{' and '.join(idle)} no better than without")
    return filled(f"control variates ({', '.join(_variates(corrected))}): {', '.join(said)}")


def _times(saved: Sequence[float]) -> str:
    low, high = rounded(min(saved), 2), rounded(max(saved), 2)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _variates(corrected: Sequence[Metric]) -> list[str]:
    names = [name for metric in corrected for name in metric.raw["control_variates"]["variates"]]
    return list(dict.fromkeys(names))
