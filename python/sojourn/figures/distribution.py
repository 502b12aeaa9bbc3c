"""Cumulative distribution of a time, with its percentiles."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise
from typing import Any

from sojourn import catalogue, phrases
from sojourn.figures import floor, open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import logarithmic_axis
from sojourn.figures.drawing import Drawing
from sojourn.results import Metric, Point
from sojourn.uncertainty import Kind
from sojourn.units import Scale, format_value, scale

QUANTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p999": 99.9}
RAISED = {"p999": -9}
"""Vertical shift, in pixels, of the labels of percentiles that lie close together."""
NEAR_THE_AXIS = 0.15
"""Share of a logarithmic axis in which a label has no room on its left."""
FAR_FROM_THE_END = 0.6
"""Share of a linear axis beyond which a label has no room on its right; of a logarithmic one it has more."""
MOST_POINTS = 400
LEFT_OUT = 0.5
"""Percent of the shortest samples outside a logarithmic axis."""


def draw(drawing: Drawing) -> Any:
    """A line for each point, from its samples, its histogram or its percentiles."""
    name = drawing.figure.y[0] if drawing.figure.y else "response_time"
    points = [
        point
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if point.get(name) is not None
    ]
    shown = scale("s", max((point[name].field("p99") or 0.0) for point in points) if points else 0.0)
    rows, marks, beyond = [], [], []
    for point in points:
        label = label_of(drawing, point) if len(points) > 1 else point.experiment
        rows += [{"x": shown.number(x), "share": share, "series": label} for x, share in curve(drawing, point, name)]
        marks += _marks(point[name], label, shown)
        beyond += _beyond(point[name], label)
    if len(points) == 1:
        drawing.note("Marks are percentiles of all samples, pooled over replications")
    if beyond:
        drawing.note("Crosses at the right edge are percentiles that are not reached: more than their share failed")
    return _chart(drawing, rows, marks, beyond, name, shown, floor.noise_floor(points, name))


def label_of(drawing: Drawing, point: Point) -> str:
    """The name of a line: its experiment, its settings, or both."""
    if len(drawing.experiments) == 1:
        return phrases.settings(point.set, drawing.results.axes)
    settings = [phrases.settings(point.set, drawing.results.axes)] if point.set else []
    return ", ".join([drawing.title_of(point.experiment), *settings])


def _chart(  # noqa: PLR0913, PLR0917
    drawing: Drawing,
    rows: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    beyond: list[dict[str, Any]],
    name: str,
    shown: Scale,
    noise: float | None,
) -> Any:
    domain = list(dict.fromkeys(str(row["series"]) for row in rows))
    label = catalogue.metric_label(name)
    plain = {"title": phrases.with_unit(label, shown.unit), "axis": vl.Axis(format="~f")}
    shortest = floor.least_of(_shortest(rows), shown.number(noise))
    longest = max((row["x"] for row in rows), default=1.0)
    how = (
        vl.Scale(type="log", domain=[shortest, longest])
        if drawing.figure.axis_scale("x") == "log"
        else vl.Scale(zero=True)
    )
    x = vl.Field(
        "x:Q",
        scale=how,
        **(logarithmic_axis(label, shown, (shortest, longest)) if drawing.figure.axis_scale("x") == "log" else plain),
    )
    y = vl.Field("share:Q", title="Cumulative distribution (%)", scale=vl.Scale(domain=[0, 100]))
    colour = theme.colours(domain, symbolStrokeWidth=3) if len(domain) > 1 else vl.value(theme.PALETTE[0])
    line = (
        theme.chart(rows)
        .mark("line", interpolate="step-after", strokeWidth=2, clip=True, tooltip=None)
        .encode(x=x, y=y, color=colour, description="series:N")
    )
    under = floor.left_of(drawing, shown, noise, shortest if drawing.figure.axis_scale("x") == "log" else 0.0, how)
    at_the_edge = open_ends.crosses(beyond, domain, x=vl.value("width"), y=y, color=colour)
    if len(domain) > 1:
        over = [*under, line, *at_the_edge]
        return (vl.layer(*over) if len(over) > 1 else line).properties(width=theme.WIDTH, height=theme.HEIGHT)
    base = theme.chart(marks).encode(x=x, y=y)
    layers = [
        *under,
        line,
        *at_the_edge,
        base.mark("point", filled=True, size=60, color=theme.PALETTE[1], opacity=1).encode(
            tooltip="text:N", description="text:N"
        ),
        *(
            base.filtered(f"datum.field == '{field}'")
            .mark("text", **_beside(field, marks, shortest, longest), color=theme.INK, fontSize=11)
            .encode(text="text:N")
            for field in QUANTILES
        ),
    ]
    return vl.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT)


def _shortest(rows: list[dict[str, Any]]) -> float:
    """Start of a logarithmic axis: the shortest samples except a few."""
    return min((float(row["x"]) for row in rows if row["share"] >= LEFT_OUT), default=0.0)


def _beside(field: str, marks: list[dict[str, Any]], shortest: float, longest: float) -> dict[str, Any]:
    """Position of the label of a percentile: left of its mark and above the curve, or right and below near the axis."""
    x = next((float(mark["x"]) for mark in marks if mark["field"] == field), longest)
    below = {"align": "left", "dx": 9, "dy": 9}
    if shortest > 0 and math.log(x / shortest) < NEAR_THE_AXIS * math.log(longest / shortest):
        return below
    # left of p99 the curve is nearly as high
    if field == "p99" and x < FAR_FROM_THE_END * longest:
        return below
    return {"align": "right", "dx": -9, "dy": RAISED.get(field, 0)}


def curve(drawing: Drawing, point: Point, name: str) -> list[tuple[float, float]]:
    """(value in seconds, percent at or below of all that were sent), thinned to what a screen can show.

    What failed lies beyond every time: the line ends below 100 % by its share.
    """
    whole = 100 * (1 - point[name].failed_share)
    values = sorted(drawing.results.columns_at(point, name)["value"])
    if values:
        return _thinned([(value, whole * (index + 1) / len(values)) for index, value in enumerate(values)])
    bins = drawing.results.columns_at(point, name, "histograms")
    if bins["count"]:
        total = sum(bins["count"])
        shares = (whole * below / total for below in accumulate(bins["count"]))
        return _thinned(list(zip(bins["to_s"], shares, strict=True)))
    return _from_quantiles(point[name], whole)


def _thinned(steps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points over the whole range, the jumps that can be seen, and all of the last fifty for the tail."""
    step = max(1, len(steps) // MOST_POINTS)
    rises = (after[1] - before[1] for before, after in pairwise(steps))
    jumps = (index for index, rise in enumerate(rises, 1) if rise >= 100 / MOST_POINTS)
    kept = sorted({*range(0, len(steps), step), *jumps, *range(max(0, len(steps) - 50), len(steps))})
    return [steps[index] for index in kept]


def _from_quantiles(metric: Metric, whole: float) -> list[tuple[float, float]]:
    fields = {"min": 0.0} | QUANTILES | {"max": whole}
    return [(value, share) for field, share in fields.items() if (value := metric.field(field)) is not None]


def _marks(metric: Metric, label: str, shown: Scale) -> list[dict[str, Any]]:
    marks = []
    for field, share in QUANTILES.items():
        value = metric.field(field)
        if value is not None and field not in metric.weak:
            text = f"{field.replace('p999', 'p99.9')}  {format_value(value, metric.unit)}"
            marks.append({"x": shown.number(value), "share": share, "series": label, "field": field, "text": text})
    return marks


def _beyond(metric: Metric, label: str) -> list[dict[str, Any]]:
    """The percentiles that are not reached."""
    return [
        {"share": share, "series": label, "label": f"{label}: {field.replace('p999', 'p99.9')} not reached"}
        for field, share in QUANTILES.items()
        if metric.uncertainty(field).kind is Kind.not_reached
    ]
