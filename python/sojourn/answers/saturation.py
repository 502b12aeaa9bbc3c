"""The offered load at which a channel saturates, and its throughput at the largest load."""

from __future__ import annotations

from sojourn.answers.context import Context
from sojourn.saturation import SATURATED, saturation
from sojourn.units import percent


def sentences(context: Context) -> list[str]:
    """One sentence per experiment."""
    return [sentence for experiment in context.experiments for sentence in _of(context, experiment)]


def _of(context: Context, experiment: str) -> list[str]:
    curve = context.curve(experiment)
    if len(curve) < 2:
        return []
    x, _, largest = max(curve, key=lambda row: row[2].mean or 0.0)
    end, _, last = curve[-1]
    name = context.name(experiment)
    found = saturation([(load, metric.mean or 0.0) for load, _, metric in curve])
    if found is None:
        return [f"{name} carries {context.value(last)} at the largest offered load, {context.at(end)}: not saturated."]
    nearly = f"it carries {percent(SATURATED)} of that from an offered load of {context.at(found[0])}"
    sentence = f"{name} saturates at {context.value(largest)}; {nearly}"
    return [f"{sentence}." if end == x else f"{sentence}, and {context.value(last)} at {context.at(end)}."]
