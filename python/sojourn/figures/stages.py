"""One metric of all its members over a key: how busy each stage is, one panel per experiment."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import cycled, x_axis
from sojourn.figures.members import members
from sojourn.results import Point
from sojourn.units import Scale

PANEL_WIDTH, PANEL_HEIGHT = 340, 240


def draw(drawing: Drawing) -> Any:
    """A line for each member of `y`, at the first setting of all keys but `x`."""
    name = drawing.figure.y[0]
    panels = [
        (drawing.title_of(experiment), _first_settings(drawing, experiment)) for experiment in drawing.experiments
    ]
    known = list(dict.fromkeys(member for _, points in panels for point in points for member in members(point, name)))
    if not known:
        raise UnknownName(f"no metric {name}/... in these results")
    shown = drawing.scale_of(name)
    charts = [_panel(drawing, title, points, shown, known) for title, points in panels]
    return theme.panels(charts, min(2, len(charts))).resolve_scale(x="independent", y="shared", color="shared")


def _first_settings(drawing: Drawing, experiment: str) -> list[Point]:
    """The points that share the first setting of every key but `x`."""
    points = drawing.points(experiment)
    others = {key: value for key, value in points[0].set.items() if key != drawing.figure.x}
    if others:
        drawing.note(f"{drawing.title_of(experiment)}: {labels.settings(others, drawing.results.axes)}")
    return [point for point in points if all(point.set.get(key) == value for key, value in others.items())]


def _panel(drawing: Drawing, title: str, points: list[Point], shown: Scale, known: list[str]) -> Any:
    name = drawing.figure.y[0]
    rows = [
        {"x": point.set.get(drawing.figure.x or ""), "series": member, "value": shown.number(metric.mean)}
        for point in points
        for member, metric in members(point, name).items()
    ]
    colour = alt.Color(
        "series:N",
        sort=known,
        scale=alt.Scale(domain=known, range=cycled(theme.PALETTE, len(known))),
        legend=theme.legend_of(known),
    )
    y = alt.Y("value:Q", title=drawing.axis_title(name, shown), scale=alt.Scale(zero=True))
    base = theme.chart(rows).encode(x=x_axis(drawing, rows), y=y, color=colour)
    return alt.layer(base.mark_line(strokeWidth=1.8), base.mark_point(filled=True, size=26, opacity=1)).properties(
        width=PANEL_WIDTH, height=PANEL_HEIGHT, title=theme.panel_title(title)
    )
