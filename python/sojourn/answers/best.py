"""The largest rate or the shortest time for each value of a key."""

from __future__ import annotations

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.compare.directions import better_when


def say(asked: Asked) -> list[str]:
    """ "Largest transaction rate: 326 transactions/s unacknowledged (A, 1 byte data), ..." """
    lower = better_when(asked.y) == "lower"
    best: dict[str, tuple[float, str]] = {}
    for experiment in asked.experiments:
        for point in asked.results.select(experiment):
            metric = point.get(asked.y)
            if metric is None or metric.mean is None:
                continue
            group = str(point.set.get(asked.by or "", ""))
            others = {key: value for key, value in point.set.items() if key != asked.by}
            where = f"{experiment}, {labels.settings(others, asked.results.axes)}" if others else experiment
            if group not in best or (metric.mean < best[group][0]) == lower:
                best[group] = (metric.mean, f"{asked.said(metric)} {group}".rstrip() + f" ({where})")
    if not best:
        return []
    what = labels.metric_label(asked.y).lower()
    return [f"{'Shortest mean' if lower else 'Largest'} {what}: {labels.list_of([text for _, text in best.values()])}."]
