"""Grouped bars over the values of a key: one row of panels per experiment, one panel per metric."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn.figures import theme
from sojourn.figures.drawing import Drawing, interval_of
from sojourn.units import Scale

PANEL_WIDTH, PANEL_HEIGHT = 340, 210
INTERVAL_NOTE = "Whiskers are 95 % confidence intervals of the mean"
PUBLISHED_NOTE = "Black diamonds are published values"


def draw(drawing: Drawing) -> Any:
    """Bars of each metric in `y` against `x`, side by side for the values of `by`."""
    scales = {name: drawing.scale_of(name) for name in drawing.figure.y}
    several = len(drawing.experiments) > 1
    panels = [
        _panel(drawing, experiment, name, scales[name], drawing.title_of(experiment) if several else "")
        for experiment in drawing.experiments
        for name in drawing.figure.y
    ]
    return theme.panels(panels, len(drawing.figure.y)).resolve_scale(
        x="independent", xOffset="independent", y="independent"
    )


def _panel(drawing: Drawing, experiment: str, name: str, shown: Scale, title: str) -> Any:
    axis, shown_as = drawing.categories(drawing.points(experiment))
    rows = [row | {"x": shown_as.get(row["x"])} for row in _rows(drawing, experiment, name, shown)]
    if any("low" in row for row in rows):
        drawing.note(INTERVAL_NOTE)
    domain = list(dict.fromkeys(str(row["series"]) for row in rows))
    x = alt.X("x:O", title=axis, axis=alt.Axis(labelAngle=0, grid=False), sort=None)
    offset = alt.XOffset("series:N", sort=domain)
    height = alt.Y("value:Q", title=drawing.axis_title(name, shown), scale=alt.Scale(zero=True))
    base = theme.chart(rows)
    known = theme.chart([row for row in rows if "low" in row])
    whiskers = known.mark_rule(color=theme.INK, tooltip=None, aria=False)
    layers: list[Any] = [
        base.mark_bar().encode(x=x, xOffset=offset, y=height, color=theme.colours(domain)),
        whiskers.encode(x=x, xOffset=offset, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
    ]
    published = [
        row | {"x": shown_as[row["x"]]} for row in _published(drawing, experiment, name, shown) if row["x"] in shown_as
    ]
    if published:
        drawing.note(PUBLISHED_NOTE)
        layers.append(theme.published_mark(published, x=x, xOffset=offset, y=alt.Y("value:Q")))
    return alt.layer(*layers).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=theme.panel_title(title))


def _rows(drawing: Drawing, experiment: str, name: str, shown: Scale) -> list[dict[str, Any]]:
    rows = []
    for point in drawing.points(experiment):
        metric = point.get(name)
        if metric is not None:
            interval = interval_of(metric)
            row = {
                "x": point.set.get(drawing.figure.x or ""),
                "series": point.set.get(drawing.figure.by or "", experiment),
                "value": shown.number(metric.mean),
            }
            ends = {"low": shown.number(interval[0]), "high": shown.number(interval[1])} if interval else {}
            rows.append(row | ends)
    return rows


def _published(drawing: Drawing, experiment: str, name: str, shown: Scale) -> list[dict[str, Any]]:
    return [
        {
            "x": row.set[drawing.figure.x or ""],
            "series": row.set.get(drawing.figure.by or "", experiment),
            "value": shown.number(row.value),
        }
        for row in drawing.published_of(experiment, name, ("mean", "value"))
        if drawing.figure.x in row.set
    ]
