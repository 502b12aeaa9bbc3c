"""Lines over a key with the 95 % interval as a band: what curves and comparisons are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from sojourn.figures import theme
from sojourn.figures.drawing import Drawing, ends
from sojourn.units import Scale

BAND_NOTE = "Bands are 95 % intervals of the mean"
MOST_TICKS = 12
Series = tuple[str, str, str]
"""A line: its name in the legend, its experiment, its metric."""


def rows_of(drawing: Drawing, series: Sequence[Series], shown: Scale) -> list[dict[str, Any]]:
    """One row per point and line; word keys other than `x` become part of the line's name."""
    rows = []
    for label, experiment, name in series:
        for point in drawing.points(experiment):
            metric = point.get(name)
            if metric is None:
                continue
            others = drawing.other_settings(point)
            low, high = ends(metric)
            rows.append(
                {
                    "x": point.set.get(drawing.figure.x or ""),
                    "series": ", ".join([label, *others]) if label else ", ".join(others),
                    "value": shown.number(metric.mean),
                    "low": shown.number(low),
                    "high": shown.number(high),
                }
            )
    return rows


def layers_of(
    drawing: Drawing, rows: list[dict[str, Any]], title: str, domain: list[str] | None = None, note: str = BAND_NOTE
) -> list[Any]:
    """Band, line and marks; lines differ in colour, dash and shape."""
    names = domain or list(dict.fromkeys(str(row["series"]) for row in rows))
    x = x_axis(drawing, rows)
    how = logarithmic(row["low"] for row in rows) if drawing.figure.log else alt.Scale(zero=True)
    y = alt.Y("value:Q", title=title, scale=how, axis=alt.Axis(format="~f"))
    legend = theme.legend_of(names) if len(names) > 1 else None
    colour = alt.Color(
        "series:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=cycled(theme.PALETTE, len(names)))
    )
    shape = alt.Shape(
        "series:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=cycled(theme.SHAPES, len(names)))
    )
    dash = alt.StrokeDash(
        "series:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=cycled(theme.DASHES, len(names)))
    )
    base = theme.chart(rows)
    drawing.note(note)
    return [
        base.mark_area(opacity=0.18).encode(x=x, y=alt.Y("low:Q", title=title, scale=how), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=36, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
    ]


def x_axis(drawing: Drawing, rows: list[dict[str, Any]]) -> alt.X:
    """The axis of `x`: a number line, labelled in a unit that suits its middle, or words in their order."""
    if any(isinstance(row["x"], str) for row in rows):
        title = drawing.key_title(drawing.figure.x)
        return alt.X("x:O", title=title, sort=None, axis=alt.Axis(labelAngle=0))
    ticks = sorted({row["x"] for row in rows})
    title, factor = drawing.key_title_and_factor(drawing.figure.x, ticks[len(ticks) // 2] if ticks else 0.0)
    label = f"format(datum.value / {factor:g}, '~f')"
    axis = alt.Axis(labelExpr=label)
    if len(ticks) <= MOST_TICKS:
        # as they are: an axis rounds its labels to the distance of the ticks that it would have made itself
        axis = alt.Axis(values=ticks, labelOverlap=True, labelExpr=label)
    kind: dict[str, Any] = {"type": "log", "base": 2} if drawing.figure.doubles else {"zero": False}
    return alt.X("x:Q", title=title, scale=alt.Scale(nice=False, padding=10, **kind), axis=axis)


def logarithmic(values: Iterable[float | None]) -> alt.Scale:
    """A logarithmic scale that begins at 1, 2 or 5 times a power of ten below the least value."""
    least = min((value for value in values if value), default=1.0)
    power = 10.0 ** math.floor(math.log10(least))
    begin = max(step * power for step in (1, 2, 5) if step * power <= least * (1 + 1e-9))
    return alt.Scale(type="log", domainMin=begin)


def cycled(values: Sequence[Any], count: int) -> list[Any]:
    """So many values, from the start again when they run out."""
    return [values[index % len(values)] for index in range(count)]
