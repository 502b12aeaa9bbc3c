"""Which change moves a metric most: an experiment's variants at chosen values of a key, by their effect."""

from __future__ import annotations

from typing import Any

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.compare.paired import difference
from sojourn.units import percent

MOST = 5
"""So many changes are named on each side."""


def say(asked: Asked) -> list[str]:
    """ "Response time at 4096 bytes: higher than in x1j with ... (+85 %), ...; lower with ... (−30 %), ..." """
    base = asked.experiments[0]
    return [_sentence(asked, base, value) for value in asked.values if len(asked.experiments) > 1]


def _sentence(asked: Asked, base: str, value: Any) -> str:
    gaps = sorted(_gaps(asked, base, value), key=lambda gap: -abs(gap[1]))
    sides = []
    for way, side in (("higher", [gap for gap in gaps if gap[1] > 0]), ("lower", [gap for gap in gaps if gap[1] < 0])):
        named = [f"{change} ({percent(share, sign=True)})" for change, share in side[:MOST]]
        if named:
            sides.append(f"{way} than in {base} with {labels.list_of(named)}")
    said = "; ".join(sides) or f"no change is shown to move it from {base}"
    return f"{labels.metric_label(asked.y)} at {asked.at(value)}: {said}."


def _gaps(asked: Asked, base: str, value: Any) -> list[tuple[str, float]]:
    """(change in words, its effect as a share) of every setting of every variant that is shown to differ."""
    firsts = [metric for x, _, metric in asked.curve(base) if x == value]
    found = []
    for experiment in asked.experiments[1:] if firsts else []:
        title = asked.titles.get(experiment) or experiment
        for x, point, metric in asked.curve(experiment):
            gap = difference(firsts[0], metric, paired=True) if x == value else None
            if gap is not None and gap.shown and gap.relative:
                others = asked.others(point)
                found.append((labels.within_a_sentence(title) + (f", {others}" if others else ""), gap.relative))
    return found
