"""Time series of a measurement: the response time of every request over its send time, and the goodput of the load."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue
from sojourn.errors import UnknownName
from sojourn.figures import floor, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import logarithmic_axis
from sojourn.figures.drawing import Drawing
from sojourn.units import scale

RESPONSES_HEIGHT, LOAD_HEIGHT = 240, 90
MOST_MARKS = 4000
"""More requests are thinned to the minimum and maximum of neighbouring ones."""
ROOM = 1.25
"""Extension of the logarithmic axis beyond the longest response time, where lost requests are marked."""
Trace = list[tuple[float, float]]


def draw(drawing: Drawing) -> Any:
    """Requests above, the load below where there was one; a colour for each phase."""
    name = drawing.figure.y[0]
    responses = _traces(drawing, name)
    if not responses:
        raise UnknownName(f"figure {drawing.figure.id} needs traces of {name}, not in these results")
    end = max(time for trace in responses.values() for time, _ in trace)
    x = vl.Field("x:Q", title="Time (s)", scale=vl.Scale(domain=[0, end], nice=False), axis=vl.Axis(format="~f"))
    charts = [_requests(drawing, name, responses, x)]
    load = [point for trace in _traces(drawing, "throughput").values() for point in trace]
    if load:
        charts.append(_load(drawing, load, x))
    drawing.note("Requests of the first replication by send time")
    return charts[0] if len(charts) == 1 else vl.vconcat(*charts, spacing=16).resolve_scale(color="independent")


def _traces(drawing: Drawing, name: str) -> dict[str, Trace]:
    """(seconds, value) of the first replication, by phase."""
    found = {}
    for experiment in drawing.experiments:
        for point in drawing.points(experiment):
            if trace := drawing.first_trace(name, point):
                label = ", ".join([drawing.title_of(experiment), *drawing.other_settings(point)])
                found[label] = trace
    return found


def _requests(drawing: Drawing, name: str, responses: dict[str, Trace], x: vl.Field) -> Any:
    values = sorted(value for trace in responses.values() for _, value in trace)
    shown = scale("s", values[len(values) // 2])
    noise = floor.noise_floor(drawing.points_drawn, name)
    least, most = floor.least_of(values[0], noise) / shown.factor, values[-1] * ROOM / shown.factor
    how = vl.Scale(type="log", domain=[least, most], nice=False)
    y = vl.Field("y:Q", scale=how, **logarithmic_axis(catalogue.metric_label(name), shown, (least, most)))
    domain = list(responses)
    several = sum(map(len, responses.values())) / MOST_MARKS
    if several > 1:
        drawing.note("Thinned to the minimum and maximum of neighbouring requests")
    rows = [
        {"x": round(time, 4), "y": value / shown.factor, "series": phase}
        for phase, trace in responses.items()
        for time, value in _thinned(trace, several)
    ]
    marks = theme.chart(rows).mark("circle", size=9, opacity=0.6, clip=True, aria=False)
    said: list[vl.Part] = [
        vl.Field("x:Q", title="Time (s)"),
        vl.Field("y:Q", title=drawing.axis_title(name, shown), format=".4~g"),
        vl.Field("series:N", title="Phase"),
    ]
    colour = theme.colours(domain) if len(domain) > 1 else vl.value(theme.PALETTE[0])
    layers = [*floor.beneath(drawing, shown, noise, least, how), marks.encode(x=x, y=y, color=colour, tooltip=said)]
    lost = [time for trace in _traces(drawing, "failures").values() for time, _ in trace]
    if lost:
        drawing.note("Crosses at the upper edge are lost requests")
        crosses = theme.chart([{"x": time, "y": most} for time in lost])
        layers.append(
            crosses.mark("point", shape="cross", angle=45, size=40, color=theme.INK, filled=True, tooltip=None).encode(
                x=x, y=y
            )
        )
    return vl.layer(*layers).properties(width=theme.WIDTH, height=RESPONSES_HEIGHT)


def _load(drawing: Drawing, load: Trace, x: vl.Field) -> Any:
    shown = scale("bit/s", max(value for _, value in load))
    title = drawing.axis_title("throughput", shown)
    y = vl.Field("y:Q", title=title, scale=vl.Scale(zero=True), axis=vl.Axis(format="~f", tickCount=4))
    rows = [{"x": time, "y": value / shown.factor} for time, value in load]
    return (
        theme.chart(rows)
        .mark(
            "area",
            interpolate="step-before",
            color=theme.PALETTE[6],
            opacity=0.5,
            line={"color": theme.PALETTE[6]},
            tooltip=None,
        )
        .encode(x=x, y=y)
        .properties(width=theme.WIDTH, height=LOAD_HEIGHT)
    )


def _thinned(trace: Trace, several: float) -> Trace:
    """The minimum and maximum of neighbouring requests; all where there are few."""
    if several <= 1:
        return trace
    size = 2 * int(several + 1)
    kept = []
    for start in range(0, len(trace), size):
        chunk = sorted(trace[start : start + size], key=lambda one: one[1])
        kept += [chunk[0], chunk[-1]]
    return kept
