"""One experiment against another over a key; the differences are paired, replication by replication."""

from __future__ import annotations

from typing import Any

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.compare.paired import Difference, difference
from sojourn.units import percent, say_interval


def say(asked: Asked) -> list[str]:
    """How the second experiment compares with the first, at the largest load and over all."""
    if len(asked.experiments) < 2:
        return []
    base, other = asked.experiments[:2]
    gaps = _gaps(asked, base, other)
    if not gaps:
        return []
    x, gap = gaps[-1]
    what = labels.metric_label(asked.y).lower()
    change = f"{percent(abs(gap.relative or 0.0))} {'lower' if gap.value < 0 else 'higher'} than in {base}"
    how = change if gap.shown else f"not shown to differ from {base}"
    by = say_interval(gap.value, list(gap.interval) if gap.interval else None, gap.unit)
    sentence = f"With {asked.name(other)} the mean {what} at {asked.at(x)} is {how} (difference {by})."
    return [sentence, _tally([gap.verdict for _, gap in gaps])]


def _gaps(asked: Asked, base: str, other: str) -> list[tuple[Any, Difference]]:
    seconds = {x: metric for x, _, metric in asked.curve(other)}
    found = []
    for x, _, first in asked.curve(base):
        if x in seconds:
            gap = difference(first, seconds[x], paired=True)
            if gap is not None:
                found.append((x, gap))
    return found


def _tally(verdicts: list[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    if len(counts) == 1:
        return f"At all {len(verdicts)} loads: {verdicts[0]}."
    said = labels.list_of([f"{verdict} at {count}" for verdict, count in counts.items()])
    return f"Over {len(verdicts)} loads: {said}."
