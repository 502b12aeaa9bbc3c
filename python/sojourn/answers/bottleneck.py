"""Which member of a metric is the largest at some values of a key: the busiest stage."""

from __future__ import annotations

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.results import Point
from sojourn.units import percent


def say(asked: Asked) -> list[str]:
    """ "Bottleneck at 20 bytes: 5 (received) control, busy 100 %, with none, cpu, ..."; alike settings once."""
    sentences = []
    for value in asked.values:
        said = [text for experiment in asked.experiments if (text := _of(asked, experiment, value))]
        if said:
            sentences.append(f"Busiest at {asked.at(value)}: {'; '.join(said)}.")
    return sentences


def _of(asked: Asked, experiment: str, value: object) -> str:
    """One experiment: each busiest stage, and the settings in which it is."""
    by_stage: dict[str, list[tuple[float, Point]]] = {}
    for x, point, _ in asked.curve(experiment):
        if x == value and (found := busiest(point, asked.y)):
            by_stage.setdefault(found[0], []).append((found[1], point))
    several = len(by_stage) > 1
    parts = []
    for stage, points in by_stage.items():
        low, high = min(share for share, _ in points), max(share for share, _ in points)
        busy = percent(high) if percent(low) == percent(high) else f"{percent(low)} to {percent(high)}"
        where = f" with {labels.list_of([asked.others(point) for _, point in points])}" if several else ""
        parts.append(f"{stage.replace('-', ' ')} ({busy}){where}")
    return f"{asked.name(experiment)} {labels.list_of(parts)}" if parts else ""


def busiest(point: Point, name: str) -> tuple[str, float] | None:
    """The largest member of a metric at a point and its value; none where it has fewer than two."""
    prefix = f"{name}/"
    found = {
        full.removeprefix(prefix): metric.mean or 0.0
        for full, metric in point.metrics.items()
        if full.startswith(prefix) and metric.applies
    }
    if len(found) < 2:
        return None
    stage = max(found, key=lambda member: found[member])
    return stage, found[stage]
