"""A comparison as tables and a sentence, for terminals and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sojourn import phrases
from sojourn.units import format_ends, format_value, percent

if TYPE_CHECKING:
    from sojourn.comparison import Comparison, Difference
    from sojourn.results import Point, Results

MOST_OTHERS = 8


@dataclass(frozen=True)
class Table:
    """Cells as people read them."""

    head: list[str]
    cells: list[list[str]]
    keys: int = 1
    """Columns that name a row."""
    title: str = ""
    omitted: int = 0
    """Rows that are left out."""


def tables(comparison: Comparison, results: Results) -> list[Table]:
    """What was asked for, what differs beside it, and the percentiles of distributions; `results` are the first."""
    found = [_asked(comparison.asked, results)]
    if comparison.shown:
        found.append(_others(comparison, results))
    if comparison.gaps:
        found += _quantiles(comparison, results)
    return found


def sentence(comparison: Comparison) -> str:
    """How many comparisons show a difference, and how they were made."""
    shown = sum(gap.shown for _, gap in comparison.asked)
    measured = any("measurement" in note for note in comparison.notes) or bool(comparison.gaps)
    how = "paired by replication" if comparison.paired else "unpaired: " + ("measured" if measured else "seeds differ")
    text = f"{shown} of {len(comparison.asked)} comparisons show a difference ({how}"
    intervals = sum(gap.interval is not None for _, gap in comparison.asked)
    text += f"; 95 % confidence for all {intervals} intervals together)." if intervals else "; no intervals)."
    if comparison.others:
        intervals = sum(gap.interval is not None for _, gap in comparison.others)
        text += f" Of {len(comparison.others)} other metrics {len(comparison.shown)} differ"
        text += f" (95 % for all {intervals} together)." if intervals else " (no intervals)."
    for points, side in ((comparison.only_first, "A"), (comparison.only_second, "B")):
        if points:
            text += f" {len(points)} points are only in {side}."
    return text


def _asked(rows: list[tuple[Point, Difference]], results: Results) -> Table:
    cells = []
    places = len({id(point) for point, _ in rows}) > 1
    for point, gap in rows:
        place = [_place(point, results, phrases.settings(point.set, results.axes))] if places else []
        cells.append([*place, _quantity(point, gap), *_sides(point, gap), _change(gap), _verdict(gap)])
    head = [*(["at"] if places else []), "metric", "A", "B", "B - A (95 % CI)", "difference"]
    return Table(head, cells, keys=1 + places)


def _others(comparison: Comparison, results: Results) -> Table:
    """The other metrics that differ most; --format json has all, with their intervals."""
    shown = comparison.shown
    places = len({id(point) for point, _ in shown}) > 1
    cells = [
        [
            *([_place(point, results, phrases.settings(point.set, results.axes))] if places else []),
            _quantity(point, gap).replace(" per run", "/run"),
            *_sides(point, gap),
            gap.verdict,
        ]
        for point, gap in shown[:MOST_OTHERS]
    ]
    head = [*(["at"] if places else []), "metric", "A", "B", "B is"]
    return Table(head, cells, 1 + places, "Also different", max(0, len(shown) - MOST_OTHERS))


def _place(point: Point, results: Results, settings: str) -> str:
    return f"{point.experiment}, {settings}" if len(results.experiments) > 1 else settings


def _quantity(point: Point, gap: Difference) -> str:
    if point[gap.metric].is_distribution:
        return f"{gap.metric} {gap.field}"
    return f"{gap.metric} per run" if point[gap.metric].is_count else gap.metric


def _sides(point: Point, gap: Difference) -> list[str]:
    weak = "*" if gap.field in point[gap.metric].weak else ""
    return [
        "not reached"
        if value is None
        else format_value(value, gap.unit, gap.metric, beside=[gap.first, gap.second]) + weak
        for value in (gap.first, gap.second)
    ]


def _change(gap: Difference) -> str:
    if gap.interval is None:
        return format_value(gap.value, gap.unit, gap.metric)
    like = max(abs(value) for value in (gap.first or 0.0, gap.second or 0.0))
    return format_ends(gap.value, gap.interval, gap.unit, gap.metric, like)


def _verdict(gap: Difference) -> str:
    verdict = gap.verdict
    return verdict.replace("no difference shown", "not shown") if not gap.shown else f"B is {verdict}"


def _quantiles(comparison: Comparison, results: Results) -> list[Table]:
    """Percentiles of both distributions, and their Kolmogorov-Smirnov distances."""
    rows, apart = [], []
    places = [[gap.point.experiment, phrases.settings(gap.point.set, results.axes)] for gap in comparison.gaps]
    several = any(place != places[0] for place in places)
    for gap, place in zip(comparison.gaps, places, strict=True):
        where = place if several else []
        if gap.distance is not None:
            apart.append([*where, gap.metric, percent(gap.distance)])
        for name, (one, other) in gap.quantiles.items():
            off = percent(other / one - 1, sign=True) if one else "–"
            both = [format_value(one, gap.unit), format_value(other, gap.unit)]
            rows.append([*where, gap.metric, name, *both, off])
    point = ["experiment", "at"] if several else []
    tables = [Table([*point, "metric", "percentile", "A", "B", "deviation"], rows)]
    return tables + ([Table([*point, "metric", "Kolmogorov-Smirnov distance"], apart)] if apart else [])
