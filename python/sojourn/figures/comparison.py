"""One metric of several experiments over a key, with intervals: what a change brings."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn.figures import floor, theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import layers_of, rows_of, x_axis


def draw(drawing: Drawing) -> Any:
    """One panel per metric in `y`, below each other; one line per experiment."""
    panels = [_panel(drawing, name) for name in drawing.figure.y]
    if len(panels) == 1:
        return panels[0]
    return alt.vconcat(*panels, spacing=22).resolve_scale(color="shared", shape="shared", strokeDash="shared")


def _panel(drawing: Drawing, name: str) -> Any:
    shown = drawing.scale_of(name)
    several = len(drawing.experiments) > 1
    series = [(drawing.title_of(experiment) if several else "", experiment, name) for experiment in drawing.experiments]
    rows = rows_of(drawing, series, shown)
    points = [point for experiment in drawing.experiments for point in drawing.points(experiment)]
    layers = floor.beside(drawing, name, shown, points)
    layers += layers_of(drawing, rows, drawing.axis_title(name, shown))
    published = [
        {"x": row.set[drawing.figure.x], "value": shown.number(row.value)}
        for experiment in drawing.experiments
        for row in drawing.published_of(experiment, name, ("mean", "value"))
        if drawing.figure.x in row.set
    ]
    if published:
        drawing.note("Black diamonds are published numbers")
        layers.append(theme.published_mark(published, x=x_axis(drawing, rows), y=alt.Y("value:Q")))
    return alt.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT if len(drawing.figure.y) == 1 else 200)
