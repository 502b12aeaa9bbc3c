"""The bottleneck: the member of a metric with the largest value, at chosen values of a key."""

from __future__ import annotations

from sojourn import phrases
from sojourn.answers.context import Context
from sojourn.results import Point
from sojourn.units import percent


def sentences(context: Context) -> list[str]:
    """ "Bottleneck at 20 bytes: 5 (received) control (100 %); ..."; settings with the same bottleneck once."""
    found = []
    for value in context.values:
        parts = [text for experiment in context.experiments if (text := _of(context, experiment, value))]
        if parts:
            found.append(f"Bottleneck at {context.at(value)}: {'; '.join(parts)}.")
    return found


def _of(context: Context, experiment: str, value: object) -> str:
    """One experiment: each bottleneck, and the settings in which it is the bottleneck."""
    by_stage: dict[str, list[tuple[float, Point]]] = {}
    for x, point, _ in context.curve(experiment):
        if x == value and (found := busiest(point, context.y)):
            by_stage.setdefault(found[0], []).append((found[1], point))
    several = len(by_stage) > 1
    parts = []
    for stage, points in by_stage.items():
        low, high = min(share for share, _ in points), max(share for share, _ in points)
        busy = percent(high) if percent(low) == percent(high) else f"{percent(low)} to {percent(high)}"
        where = f" with {phrases.list_of([context.others(point) for _, point in points])}" if several else ""
        parts.append(f"{stage.replace('-', ' ')} ({busy}){where}")
    return f"{context.name(experiment)} {phrases.list_of(parts)}" if parts else ""


def shares_of_packet_rate_limits(point: Point) -> dict[str, float]:
    """The load of each channel relative to the packet rate at which it saturates, the most loaded first."""
    limits, alone = point.members("packet_rate_limit"), point.get("throughput_l3")
    rates = point.members("throughput_l3") or {channel: alone for channel in limits if alone is not None}
    shares = {
        channel: (rates[channel].mean or 0.0) / limit.mean
        for channel, limit in limits.items()
        if limit.mean and channel in rates
    }
    return dict(sorted(shares.items(), key=lambda share: -share[1]))


def busiest(point: Point, name: str) -> tuple[str, float] | None:
    """The largest member of a metric at a point and its value; None where it has fewer than two."""
    found = {member: metric.mean or 0.0 for member, metric in point.members(name).items()}
    if len(found) < 2:
        return None
    stage = max(found, key=lambda member: found[member])
    return stage, found[stage]
