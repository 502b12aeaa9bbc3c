"""Levels over time from time 0 of the first replication, such as a queue length or an allowed cell rate.

A level may change a thousand times within one pixel: every span of time is drawn from its lowest to its highest level,
so that no peak is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, seconds
from sojourn.units import scale as fitting

PANEL_WIDTH, PANEL_HEIGHT = 340, 150
SPANS = 340
"""Spans of time in a panel, one for each pixel."""
Span = tuple[float, float, float]
"""When a span begins, and its lowest and highest level."""


def draw(drawing: Drawing) -> Any:
    """A row of panels for each metric, a column for each value of `at`, a colour for each experiment."""
    columns: list[float | None] = list(drawing.figure.at) or [None]
    charts = []
    for name in drawing.figure.y:
        spans = {value: _column(drawing, name, value) for value in columns}
        if not any(spans.values()):
            raise UnknownName(f"figure {drawing.figure.id} needs traces of {name}, not in these results")
        shown = _scale(drawing, name, [one for found in spans.values() for _, trace in found for one in trace])
        charts += [_panel(drawing, name, value, spans[value], shown) for value in columns]
    drawing.note("First replication from its start; each pixel spans the lowest to the highest level")
    return theme.panels(charts, len(columns)).resolve_scale(x="independent", y="independent", color="shared")


def enveloped(times: Sequence[float], levels: Sequence[float], end: float, spans: int = SPANS) -> list[Span]:
    """A level that changes at `times`, up to `end`: the lowest and highest in each of equal spans.

    A level holds until the next change, so a span without one has the level before it.
    """
    found: list[Span] = []
    level, index = (levels[0] if len(levels) else 0.0), 0
    for span in range(spans):
        low = high = level
        until = end * (span + 1) / spans
        while index < len(times) and times[index] < until:
            level = levels[index]
            low, high, index = min(low, level), max(high, level), index + 1
        found.append((end * span / spans, low, high))
    return found


def _column(drawing: Drawing, name: str, value: Any) -> list[tuple[str, list[Span]]]:
    """The traces of one panel: the experiment's title and its spans."""
    key = drawing.figure.x or ""
    return [
        (drawing.title_of(experiment), trace)
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if value is None or point.set.get(key) == value
        if (trace := _trace(drawing, name, point))
    ]


def _trace(drawing: Drawing, name: str, point: Point) -> list[Span]:
    trace = drawing.first_trace(name, point)
    if not trace:
        return []
    last = float(point.raw["duration"]) + float(point.raw["warm_up"])
    end = last if drawing.figure.until is None else min(last, seconds(drawing.figure.until))
    return enveloped([time for time, _ in trace], [level for _, level in trace], end)


def _scale(drawing: Drawing, name: str, spans: list[Span]) -> Scale:
    unit = next(metric.unit for point in drawing.points_drawn if (metric := point.get(name)) is not None)
    return fitting(unit, max((high for *_, high in spans), default=0.0), name)


def _panel(drawing: Drawing, name: str, value: Any, traces: list[tuple[str, list[Span]]], shown: Scale) -> Any:
    rows = [
        {"x": begin, "series": title, "low": low / shown.factor, "high": high / shown.factor}
        for title, trace in traces
        for begin, low, high in trace
    ]
    names = [drawing.title_of(experiment) for experiment in drawing.experiments]
    scale = vl.Scale(domain=names, range=theme.PALETTE[: len(names)])
    legend = theme.legend_of(names) if len(names) > 1 else None
    colour = vl.Field("series:N", sort=names, scale=scale, legend=legend)
    x = vl.Field("x:Q", title="Time (s)", scale=vl.Scale(nice=False), axis=vl.Axis(tickCount=6, format="~f"))
    title = drawing.axis_title(name, shown)
    y = vl.Field("low:Q", title=title, scale=vl.Scale(zero=True), axis=vl.Axis(tickCount=5, format="~f"))
    return (
        theme.chart(rows)
        .mark("area", interpolate="step-after", opacity=0.6, line=False, strokeWidth=1.2, tooltip=None)
        .encode(
            x=x,
            y=y,
            y2="high:Q",
            color=colour,
            stroke=colour,
            description="series:N",
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=theme.panel_title(drawing.at_setting(value)))
    )
