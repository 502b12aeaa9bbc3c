"""The largest rate or the shortest time for each value of a key."""

from __future__ import annotations

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.catalogue import better_when


def sentences(context: Context) -> list[str]:
    """ "Largest transaction rate: 326 transactions/s unacknowledged (A, message data 1 byte), ..." """
    lower = better_when(context.y) == "lower"
    best: dict[str, tuple[float, str]] = {}
    for experiment in context.experiments:
        for point in context.results.select(experiment):
            metric = point.get(context.y)
            if metric is None or metric.mean is None:
                continue
            group = str(point.set.get(context.by or "", ""))
            others = {key: value for key, value in point.set.items() if key != context.by}
            where = f"{experiment}, {phrases.settings(others, context.results.axes)}" if others else experiment
            if group not in best or (metric.mean < best[group][0]) == lower:
                best[group] = (metric.mean, f"{context.value(metric)} {group}".rstrip() + f" ({where})")
    if not best:
        return []
    what = phrases.within_a_sentence(catalogue.metric_label(context.y))
    return [f"{'Lowest mean' if lower else 'Highest'} {what}: {phrases.list_of([text for _, text in best.values()])}."]
