"""The second experiment against the first over a key; differences are paired by replication."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.compare.paired import Difference, difference
from sojourn.units import format_interval, percent


def sentences(context: Context) -> list[str]:
    """The difference at the largest value of `x`, and the verdicts over all values."""
    if len(context.experiments) < 2:
        return []
    base, other = context.experiments[:2]
    gaps = _gaps(context, base, other)
    if not gaps:
        return []
    x, gap = gaps[-1]
    what = phrases.within_a_sentence(catalogue.metric_label(context.y))
    change = f"{percent(abs(gap.relative or 0.0))} {'lower' if gap.value < 0 else 'higher'} than in {base}"
    how = change if gap.shown else f"not significantly different from {base}"
    by = format_interval(gap.value, list(gap.interval) if gap.interval else None, gap.unit)
    sentence = f"With {context.name(other)} the mean {what} at {context.at(x)} is {how} (difference {by})."
    return [sentence, _tally([gap.verdict for _, gap in gaps])]


def _gaps(context: Context, base: str, other: str) -> list[tuple[Any, Difference]]:
    seconds = {x: metric for x, _, metric in context.curve(other)}
    found = []
    for x, _, first in context.curve(base):
        if x in seconds:
            gap = difference(first, seconds[x], paired=True)
            if gap is not None:
                found.append((x, gap))
    return found


def _tally(verdicts: list[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    if len(counts) == 1:
        return f"At all {len(verdicts)} points: {verdicts[0]}."
    counted = phrases.list_of([f"{verdict} at {count}" for verdict, count in counts.items()])
    return f"Over {len(verdicts)} points: {counted}."
