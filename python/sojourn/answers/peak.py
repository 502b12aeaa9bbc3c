"""Where a channel saturates, and what is left of its throughput at the end."""

from __future__ import annotations

from sojourn.answers.asked import Asked
from sojourn.saturation import SATURATED, saturation
from sojourn.units import percent


def say(asked: Asked) -> list[str]:
    """One sentence per experiment."""
    return [sentence for experiment in asked.experiments for sentence in _of(asked, experiment)]


def _of(asked: Asked, experiment: str) -> list[str]:
    curve = asked.curve(experiment)
    if len(curve) < 2:
        return []
    x, _, largest = max(curve, key=lambda row: row[2].mean or 0.0)
    end, _, last = curve[-1]
    name = asked.name(experiment)
    found = saturation([(load, metric.mean or 0.0) for load, _, metric in curve])
    if found is None:
        return [
            f"{name} carries {asked.said(last)} at {asked.at(end)} offered, the largest load tried: it may carry more."
        ]
    nearly = f"it carries {percent(SATURATED)} of that from {asked.at(found[0])} on"
    sentence = f"{name} saturates at {asked.said(largest)}; {nearly}"
    return [f"{sentence}." if end == x else f"{sentence}, and {asked.said(last)} at {asked.at(end)}."]
