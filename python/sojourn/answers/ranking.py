"""The variants of an experiment that change a metric most, at chosen values of a key."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.comparison.paired import difference
from sojourn.units import percent

MOST = 5
"""Most variants named on each side."""


def sentences(context: Context) -> list[str]:
    """ "Response time at 4096 bytes: higher than in x1j with ... (+85 %), ...; lower with ... (−30 %), ..." """
    base = context.experiments[0]
    return [_sentence(context, base, value) for value in context.values if len(context.experiments) > 1]


def _sentence(context: Context, base: str, value: Any) -> str:
    gaps = sorted(_gaps(context, base, value), key=lambda gap: -abs(gap[1]))
    sides = []
    for direction, side in (
        ("higher", [gap for gap in gaps if gap[1] > 0]),
        ("lower", [gap for gap in gaps if gap[1] < 0]),
    ):
        named = [f"{change} ({percent(share, sign=True)})" for change, share in side[:MOST]]
        if named:
            sides.append(f"{direction} than in {base} with {phrases.list_of(named)}")
    effects = "; ".join(sides) or f"no variant differs significantly from {base}"
    return f"{catalogue.metric_label(context.y)} at {context.at(value)}: {effects}."


def _gaps(context: Context, base: str, value: Any) -> list[tuple[str, float]]:
    """(variant, relative difference) of every setting of every variant with a significant difference.

    Their intervals are simultaneous (Bonferroni).
    """
    firsts = [metric for x, _, metric in context.curve(base) if x == value]
    every = sum(x == value for experiment in context.experiments[1:] for x, _, _ in context.curve(experiment))
    confidence = 1 - 0.05 / max(1, every)
    found = []
    for experiment in context.experiments[1:] if firsts else []:
        title = context.titles.get(experiment) or experiment
        for x, point, metric in context.curve(experiment):
            gap = difference(firsts[0], metric, paired=True, confidence=confidence) if x == value else None
            if gap is not None and gap.shown and gap.relative:
                others = context.others(point)
                found.append((phrases.within_a_sentence(title) + (f", {others}" if others else ""), gap.relative))
    return found
