"""How a time grows over a key: flat, then beyond twice its first value, then at the end."""

from __future__ import annotations

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.units import say as say_value
from sojourn.units import scale, significant

FLAT = 1.5
"""Up to this multiple of its first value a curve counts as flat."""


def say(asked: Asked) -> list[str]:
    """One or two sentences per experiment."""
    return [sentence for experiment in asked.experiments for sentence in _of(asked, experiment)]


def _of(asked: Asked, experiment: str) -> list[str]:
    curve = [(x, metric) for x, _, metric in asked.curve(experiment) if metric.mean]
    if len(curve) < 2:
        return []
    first = curve[0][1].mean or 0.0
    flat = [row for index, row in enumerate(curve) if all((m.mean or 0) <= FLAT * first for _, m in curve[: index + 1])]
    doubled = next((x for x, metric in curve if (metric.mean or 0) > 2 * first), None)
    what = labels.metric_label(asked.y).lower()
    low, high = min(m.mean or 0 for _, m in flat), max(m.mean or 0 for _, m in flat)
    shown = scale(curve[0][1].unit, high)
    spread = f"{significant(low / shown.factor)} to {significant(high / shown.factor)} {shown.unit}"
    sentence = f"In {asked.name(experiment)} the mean {what} is {spread} up to {asked.at(flat[-1][0])}"
    if doubled is not None:
        sentence += f", more than twice its first value from {asked.at(doubled)} on,"
    x, last = curve[-1]
    ending = f" and {asked.said(last)} at {asked.at(x)}"
    if last.field("p99") is not None:
        ending += f", where 99 % of the samples are within {say_value(last.field('p99'), last.unit)}"
    return [sentence + ending + "."]
