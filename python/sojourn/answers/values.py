"""A metric at some values of a key, for every setting of the other keys."""

from __future__ import annotations

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.point import format_quantile
from sojourn.results import Metric, Point
from sojourn.units import format_value

ALIKE = 0.03
"""Values that differ by no more than this share are given as one range."""


def sentences(context: Context) -> list[str]:
    """ "Response time at samples per packet = 256: basic 3.06 ms; sppt 3.06 ms with background load 0 bit/s, ..." """
    found = []
    values = context.values or tuple(dict.fromkeys(x for one in context.experiments for x, _, _ in context.curve(one)))
    for value in values:
        parts = [text for experiment in context.experiments if (text := _of(context, experiment, value))]
        if parts:
            what = catalogue.metric_label(context.y)
            found.append(f"{what} at {context.at(value)}: {'; '.join(parts)}.")
    return found


def _of(context: Context, experiment: str, value: object) -> str:
    """One experiment: each setting's value, or their range where they hardly differ."""
    found = [(point, metric) for x, point, metric in context.curve(experiment) if x == value]
    means = [metric.mean or 0.0 for _, metric in found]
    if not found:
        return ""
    if len(found) > 1 and max(means) - min(means) <= ALIKE * max(means):
        unit, name = found[0][1].unit, found[0][1].name
        low, high = (format_value(mean, unit, name) for mean in (min(means), max(means)))
        spread = low if low == high else f"{low} to {high}"
        return f"{context.name(experiment)} {spread} in all {len(found)} settings"
    return f"{context.name(experiment)} {phrases.list_of([_value(context, point, metric) for point, metric in found])}"


def _value(context: Context, point: Point, metric: Metric) -> str:
    text = context.value(metric)
    if metric.field("p999") is not None or "p999" in metric.not_reached:
        text += f" (p99.9 {format_quantile(metric, 'p999')})"
    others = context.others(point)
    return f"{text} with {others}" if others else text
