"""Shortest, mean and longest of a distribution over a key, one panel per experiment, as measurements are published."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from sojourn.figures import floor, theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import x_axis
from sojourn.units import Scale

SERIES = {"longest": "max_mean", "mean": "mean", "shortest": "min_mean"}
PANEL_WIDTH, PANEL_HEIGHT = 340, 230
NOTE = "Shortest and longest are those of one run, averaged over the runs; the band is the 95 % interval of the mean"


def draw(drawing: Drawing) -> Any:
    """Lines for shortest, mean and longest of the first metric in `y` against `x`."""
    name = drawing.figure.y[0]
    shown = drawing.scale_of(name, ("mean",))
    drawing.note(NOTE)
    several = len(drawing.experiments) > 1
    panels = [_panel(drawing, experiment, name, shown, several) for experiment in drawing.experiments]
    return theme.panels(panels, 2 if several else 1).resolve_scale(y="shared", x="shared")


def _panel(drawing: Drawing, experiment: str, name: str, shown: Scale, several: bool) -> Any:
    rows, band = _rows(drawing, experiment, name, shown)
    x = x_axis(drawing, rows)
    ticks = _ticks(drawing, name, shown) if drawing.figure.log else []
    how = alt.Scale(type="log", domain=[ticks[0], ticks[-1]]) if ticks else alt.Scale(zero=True)
    axis = alt.Axis(format="~f", values=ticks) if ticks else alt.Axis(format="~f")
    y = alt.Y("value:Q", title=drawing.axis_title(name, shown), scale=how, axis=axis)
    domain = list(SERIES)
    lines = theme.chart(rows)
    shape = alt.Shape(
        "series:N", sort=domain, scale=alt.Scale(domain=domain, range=theme.SHAPES[:3]), legend=theme.legend_of(domain)
    )
    layers: list[Any] = [
        *floor.beside(drawing, name, shown, drawing.points(experiment), how),
        theme.chart(band)
        .mark_area(color=theme.PALETTE[1], opacity=0.25)
        .encode(x=x, y=alt.Y("low:Q", scale=how, title=drawing.axis_title(name, shown), axis=axis), y2="high:Q"),
        lines.mark_line().encode(x=x, y=y, color=theme.colours(domain)),
        lines.mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y, color=theme.colours(domain), shape=shape),
    ]
    published = [
        {"x": row.set[drawing.figure.x], "value": shown.number(row.value)}
        for row in drawing.published_of(experiment, name, ("mean",))
        if drawing.figure.x in row.set
    ]
    if published:
        drawing.note("Black diamonds are the published means")
        layers.append(theme.published_mark(published, x=x, y=alt.Y("value:Q", scale=how)))
    title = theme.panel_title(drawing.title_of(experiment) if several else "")
    return alt.layer(*layers).properties(
        width=PANEL_WIDTH if several else theme.WIDTH, height=PANEL_HEIGHT if several else theme.HEIGHT, title=title
    )


def _rows(
    drawing: Drawing, experiment: str, name: str, shown: Scale
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, band = [], []
    for point in drawing.points(experiment):
        metric = point.get(name)
        if metric is None:
            continue
        x = point.set.get(drawing.figure.x or "")
        rows += [{"x": x, "series": word, "value": shown.number(metric.field(of))} for word, of in SERIES.items()]
        if metric.interval:
            low, high = metric.interval
            low = max(low, metric.field("min") or low)  # an interval of a time does not reach below the shortest one
            band.append({"x": x, "low": shown.number(low), "high": shown.number(high)})
    return rows, band


def _ticks(drawing: Drawing, name: str, shown: Scale) -> list[float]:
    """1, 2, 5, 10, 20, ... over all panels, from below the smallest value to above the largest."""
    values = [
        value / shown.factor
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if (metric := point.get(name))
        for field in SERIES.values()
        if (value := metric.field(field))
    ]
    low, high = min(values), max(values)
    steps = [
        step * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in (1, 2, 5)
    ]
    first = max(step for step in steps if step <= low)
    last = min((step for step in steps if step >= high), default=steps[-1])
    return [step for step in steps if first <= step <= last]
