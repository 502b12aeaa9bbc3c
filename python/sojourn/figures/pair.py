"""The distributions of two results in one figure, as of a measurement and of a simulation of the same network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn import catalogue, phrases
from sojourn.errors import ResultsError
from sojourn.figures import distribution, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing, Figure
from sojourn.uncertainty import Kind
from sojourn.units import format_value, percent, scale

if TYPE_CHECKING:
    from sojourn.results import Metric, Point, Results

WORLDS = {"live": "measured"}
STATED = ("p50", "p90", "p95", "p99")
SHOWN = 98.0
"""Percent that the axis shows of each distribution, where the rest would take most of it."""
FAR = 1.5
"""Ratio of the longest value to that percentile from which the rest is left out."""


def draw(results: dict[str, Results], metric: str = "response_time") -> vl.Chart:
    """A line for the first point of each results that has the metric, by the name of the results."""
    points = {name: _point(of, name, metric) for name, of in results.items()}
    series = {name: _label(name, results[name]) for name in results}
    figure = Figure(id="compare", kind="distribution", y=(metric,))
    curves = {name: distribution.curve(Drawing(figure, of), points[name], metric) for name, of in results.items()}
    shortest = min(x for curve in curves.values() for x, share in curve if share >= distribution.LEFT_OUT)
    end = _end(curves)
    shown = scale("s", end)
    rows = []
    for name, curve in curves.items():
        within = [(shortest, 0.0), *((x, share) for x, share in curve if shortest <= x <= end)]
        steps = [*within, (end, within[-1][1])]
        rows += [{"x": shown.number(x), "share": share, "series": series[name]} for x, share in steps]
    label = phrases.with_unit(catalogue.metric_label(metric), shown.unit)
    x = vl.Field(
        "x:Q",
        title=label,
        scale=vl.Scale(domain=[shown.number(shortest), shown.number(end)], nice=True),
        axis=vl.Axis(format="~f"),
    )
    y = vl.Field("share:Q", title="Cumulative distribution (%)", scale=vl.Scale(domain=[0, 100]))
    chart = (
        theme.chart(rows)
        .mark("line", interpolate="step-after", strokeWidth=2, clip=True, tooltip=None)
        .encode(x=x, y=y, color=theme.colours(list(series.values()), symbolStrokeWidth=3), description="series:N")
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    stated = [f"{series[name]}: {_stated(points[name][metric])}{_beyond(curves[name], end)}." for name in results]
    return theme.dressed(chart, catalogue.metric_label(metric), " ".join(stated))


def _point(results: Results, name: str, metric: str) -> Point:
    found = next((point for point in results.points if point.get(metric) is not None), None)
    if found is None or found[metric].field("p50") is None:
        raise ResultsError(f"{name} has no distribution of {metric}, and so nothing to draw")
    return found


def _end(curves: dict[str, list[tuple[float, float]]]) -> float:
    """The longest value, or the percentile of all lines beyond which few values would take most of the axis."""
    longest = max(curve[-1][0] for curve in curves.values())
    most = max(next(x for x, share in curve if share >= min(SHOWN, curve[-1][1])) for curve in curves.values())
    return most if longest > FAR * most else longest


def _label(name: str, results: Results) -> str:
    """Where they are from, and in brackets their folder where that says something else."""
    world = str(results.raw.get("world"))
    world = WORLDS.get(world, world)
    return world if name == world else f"{world} ({name})"


def _stated(metric: Metric) -> str:
    texts = [
        f"{name} {known.kind if known.kind is Kind.not_reached else format_value(known.value, metric.unit)}"
        for name, known in ((name, metric.uncertainty(name)) for name in STATED)
    ]
    count = metric.field("count")
    return ", ".join([*([f"{count:.0f} samples"] if count else []), *texts])


def _beyond(curve: list[tuple[float, float]], end: float) -> str:
    """What the axis does not show of a line."""
    longest, reached = curve[-1]
    if longest <= end:
        return ""
    within = max((share for x, share in curve if x <= end), default=0.0)
    share = percent((reached - within) / 100)
    return f"; {share} beyond the axis, up to {format_value(longest, 's')}"
