"""Samples of a time in order of observation."""

from __future__ import annotations

from itertools import islice
from typing import Any

from sojourn import catalogue, phrases
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, format_value, scale

PANEL_WIDTH, PANEL_HEIGHT = 340, 120
MOST_SAMPLES = 1000
ROOM = 0.06
"""Margin above and below, as a share of the range."""


def draw(drawing: Drawing) -> Any:
    """Rows of panels for experiments and settings, a column for each value of `at`; first replication."""
    columns = drawing.figure.at
    panels = [
        (drawing.rest(point), title, point, values)
        for title, points in drawing.panels()
        for point in points
        if (values := _samples(drawing, point))
    ]
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} needs samples of {drawing.figure.y[0]}, not in these results")
    order = {value: index for index, value in enumerate(columns)}
    titles = list(dict.fromkeys((title, rest) for rest, title, _, _ in panels))
    panels.sort(key=lambda panel: (titles.index((panel[1], panel[0])), order.get(_x(drawing, panel[2]), 0)))
    shown = scale("s", max(max(values) for *_, values in panels))
    ranges = {value: _range([v for *_, p, v in panels if _x(drawing, p) == value]) for value in order or [None]}
    charts = [
        _panel(drawing, title, rest, point, values, shown, ranges.get(_x(drawing, point)))
        for rest, title, point, values in panels
    ]
    drawing.note(f"The first {MOST_SAMPLES} samples of the first replication in order; one scale for each column")
    return theme.panels(charts, max(1, len(columns))).resolve_scale(x="independent", y="independent")


def _x(drawing: Drawing, point: Point) -> Any:
    return point.set.get(drawing.figure.x or "")


def _samples(drawing: Drawing, point: Point) -> list[float]:
    found = drawing.results.columns_at(point, drawing.figure.y[0])
    first = (value for run, value in zip(found["replication"], found["value"], strict=True) if run == 0)
    return list(islice(first, MOST_SAMPLES))


def _range(samples: list[list[float]]) -> tuple[float, float] | None:
    """From the smallest to the largest sample of a column, with a margin."""
    if not samples:
        return None
    low, high = min(map(min, samples)), max(map(max, samples))
    room = ROOM * (high - low) or 0.01 * high
    return low - room, high + room


def _panel(  # noqa: PLR0913, PLR0917
    drawing: Drawing,
    title: str,
    rest: str,
    point: Point,
    values: list[float],
    shown: Scale,
    ends: tuple[float, float] | None,
) -> Any:
    rows = [{"x": index + 1, "value": round(value / shown.factor, 5)} for index, value in enumerate(values)]
    at = drawing.at_setting(_x(drawing, point))
    several = len(drawing.experiments) > 1
    heading = ", ".join(part for part in (title if several else "", rest, at) if part)
    low, high, mean = (format_value(value, "s") for value in (min(values), max(values), sum(values) / len(values)))
    text = f"{low} to {high}, mean {mean}" if low != high else f"constant {low}"
    y = vl.Scale(domain=[end / shown.factor for end in ends], nice=False, zero=False) if ends else vl.Scale(zero=False)
    head = vl.Title(
        theme.wrapped(heading),
        subtitle=text,
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=theme.MUTED,
    )
    return (
        theme.chart(rows)
        .mark("circle", color=theme.PALETTE[0], size=7, opacity=0.7, aria=False)
        .encode(
            x=vl.Field("x:Q", title="Sample", scale=vl.Scale(nice=False, zero=False), axis=vl.Axis(tickCount=5)),
            y=vl.Field(
                "value:Q",
                title=phrases.with_unit(catalogue.metric_label(drawing.figure.y[0]), shown.unit),
                scale=y,
                axis=vl.Axis(tickCount=4, format="~f"),
            ),
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=head)
    )
