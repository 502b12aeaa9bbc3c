"""A metric at some values of a key, for every setting of the other keys."""

from __future__ import annotations

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.results import Metric, Point
from sojourn.units import say as say_value

ALIKE = 0.03
"""Values that differ by no more than this share are said as one range."""


def say(asked: Asked) -> list[str]:
    """ "Response time at 256 samples: basic 3.06 ms; sppt 3.06 ms with nothing offered, 3.11 ms with 25 Mbit/s ..." """
    sentences = []
    values = asked.values or tuple(dict.fromkeys(x for one in asked.experiments for x, _, _ in asked.curve(one)))
    for value in values:
        said = [text for experiment in asked.experiments if (text := _of(asked, experiment, value))]
        if said:
            what = labels.metric_label(asked.y)
            sentences.append(f"{what} at {asked.at(value)}: {'; '.join(said)}.")
    return sentences


def _of(asked: Asked, experiment: str, value: object) -> str:
    """One experiment: each setting's value, or their range where they hardly differ."""
    found = [(point, metric) for x, point, metric in asked.curve(experiment) if x == value]
    means = [metric.mean or 0.0 for _, metric in found]
    if not found:
        return ""
    if len(found) > 1 and max(means) - min(means) <= ALIKE * max(means):
        unit, name = found[0][1].unit, found[0][1].name
        low, high = (say_value(mean, unit, name) for mean in (min(means), max(means)))
        spread = low if low == high else f"{low} to {high}"
        return f"{asked.name(experiment)} {spread} in all {len(found)} settings"
    return f"{asked.name(experiment)} {labels.list_of([_said(asked, point, metric) for point, metric in found])}"


def _said(asked: Asked, point: Point, metric: Metric) -> str:
    text = asked.said(metric)
    if metric.field("p999") is not None:
        text += f" (99.9 %: {say_value(metric.field('p999'), metric.unit)})"
    others = asked.others(point)
    return f"{text} with {others}" if others else text
