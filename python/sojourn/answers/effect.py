"""The effect of the second experiment relative to the first over a key; differences are paired by replication."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.comparison.paired import Difference, difference
from sojourn.comparison.published import TOLERANCE
from sojourn.point import failed
from sojourn.results import Metric, Point
from sojourn.units import format_interval, percent

FEW = 2
"""Replications that show large differences only."""
Row = tuple[Any, tuple[Point, Metric], tuple[Point, Metric]]
"""A setting of `x`, and both experiments there."""


def sentences(context: Context) -> list[str]:
    """The difference at the largest value of `x`, and the verdicts over all values.

    The intervals of all values are simultaneous (Bonferroni): of ten single ones, one excludes zero by luck in four
    studies of ten.
    """
    if len(context.experiments) < 2:
        return []
    base, other = context.experiments[:2]
    rows = _rows(context, base, other)
    gaps = [(row, gap) for row in rows if (gap := _gap(row, len(rows))) is not None]
    if not gaps:
        return []
    (x, first, second), gap = gaps[-1]
    what = phrases.within_a_sentence(catalogue.metric_label(context.y))
    how = f"{_share(gap.relative or 0.0)} than in {base}"
    if gap.decided and not gap.shown:
        how = f"not significantly different from {base}"
    by = format_interval(gap.value, gap.interval, gap.unit)
    losses = _losses({base: first[1], other: second[1]})
    sentence = f"With {context.name(other)} the mean {what}{losses} at {context.at(x)} is {how} (difference {by})."
    said = [sentence, *_against_published(context, first[0], second[0], gap)]
    return [*said, _tally(context, [gap.verdict for _, gap in gaps]), *_few([gap for _, gap in gaps], rows)]


def _rows(context: Context, base: str, other: str) -> list[Row]:
    seconds = {x: (point, metric) for x, point, metric in context.curve(other)}
    return [(x, (point, metric), seconds[x]) for x, point, metric in context.curve(base) if x in seconds]


def _gap(row: Row, rows: int) -> Difference | None:
    _, (_, first), (_, second) = row
    return difference(first, second, paired=True, confidence=1 - 0.05 / rows)


def _share(relative: float) -> str:
    """A relative difference: "40 % lower", "0.3 % higher"."""
    size = abs(relative)
    return f"{percent(size, digits=0 if size >= 0.1 else 1)} {'lower' if relative < 0 else 'higher'}"


def _losses(metrics: dict[str, Metric]) -> str:
    """The shares that failed, of which a mean says nothing."""
    lossy = [f"{failed(metric)} in {experiment}" for experiment, metric in metrics.items() if metric.failed_share]
    return f" of those delivered ({phrases.list_of(lossy)})" if lossy else ""


def _against_published(context: Context, first: Point, second: Point, gap: Difference) -> list[str]:
    """The published difference at the same point, and whether this is it."""
    before, after = context.published_at(first), context.published_at(second)
    if not before or after is None:
        return []
    values = ((gap.first or 0.0, before), (gap.second or 0.0, after))
    alike = all(abs(found - published) <= TOLERANCE * abs(published) for found, published in values)
    text = f"Published: {_share(after / before - 1)}"
    return [f"{text}." if alike else f"{text}; the model does not reproduce this."]


def _tally(context: Context, verdicts: list[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    values = "value" if len(verdicts) == 1 else f"{len(verdicts)} values"
    if len(counts) == 1:
        every = "the only value" if len(verdicts) == 1 else f"all {values}"
        return f"At {every} of {context.axis()}: {verdicts[0]}."
    counted = phrases.list_of([f"{verdict} at {count}" for verdict, count in counts.items()])
    return f"Over {values} of {context.axis()}: {counted}."


def _few(gaps: list[Difference], rows: list[Row]) -> list[str]:
    """That few replications are the reason where nothing is shown or decided."""
    runs = min(int(point.raw["replications"]) for _, (point, _), _ in rows)
    if not all(gap.decided for gap in gaps):
        return ["A difference of one run has no confidence interval: run without --quick."]
    if runs > FEW or all(gap.verdict != "no difference shown" for gap in gaps):
        return []
    return [f"{runs} runs per point show large differences only: run without --quick."]
