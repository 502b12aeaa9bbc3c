"""Metrics over time in windows that are aligned to the events of a scenario, with the events marked.

Of response times the median and the 99 % quantile of the requests sent in each window, of levels their mean; bands are
95 % confidence intervals over the replications, faded where they have no upper end. A 99 % quantile without an interval
is left out: of so few responses it is one of the longest, and jumps from window to window. Where no window has one, the
95 % quantile takes its place. A window of which a quantile is not reached has a cross at the top. Where requests were
lost, their share has a panel of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sojourn.errors import UnknownName
from sojourn.figures import open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import cycled
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.uncertainty import Kind, Uncertainty, of_ends
from sojourn.units import Scale, rounded, seconds
from sojourn.units import scale as fitting

HEIGHT, EVENT_HEIGHT = 170, 34
STATISTICS = {"p50": "median", "p95": "p95", "p99": "p99"}
TAILS = ("p99", "p95")
"""The first that a window bears is drawn."""
Row = dict[str, Any]


def draw(drawing: Drawing) -> Any:
    """The events on top, then a panel for each metric and one for what was lost."""
    points = [point for experiment in drawing.experiments for point in drawing.points(experiment)]
    shown = [name for name in drawing.figure.y if any(point.timeline(name) for point in points)]
    if not shown:
        raise UnknownName(f"figure {drawing.figure.id} needs a scenario with events: nothing is observed over time")
    timelines = [found for point in points for name in shown if (found := point.timeline(name)) is not None]
    begin = min(float(timeline["start"][0]) for timeline in timelines)
    end = max(float(timeline["end"][-1]) for timeline in timelines)
    if drawing.figure.until is not None:
        end = min(end, seconds(drawing.figure.until))
    domain = [begin, end]
    several = len(points) > 1
    panels = [_metric(drawing, name, domain, several) for name in shown]
    lost = _lost(drawing, domain)
    timed = [timeline for timeline in timelines if timeline.get("p99")]
    tails = {_tail(timeline) for timeline in timed}
    if tails == {None}:
        drawing.note("Response times are medians: no window has responses enough for a p95")
    elif not all(all(_reached(timeline, "p99")) for timeline in timed):
        drawn = " or ".join(tail for tail in TAILS if tail in tails)
        drawing.note(
            f"The line of {drawn} has gaps where a window has too few responses for an upper end of its interval"
        )
    charts = [chart for chart in (_events(points, domain), *panels, lost) if chart is not None]
    drawing.note("Windows begin and end with the events; requests count where they were sent")
    drawing.note(open_ends.BANDS)
    return vl.vconcat(*charts, spacing=12).resolve_scale(color="independent")


def _x(domain: list[float], titled: bool = True) -> vl.Field:
    how = vl.Scale(domain=domain, nice=False)
    return vl.Field("x:Q", title="Time (s)" if titled else None, scale=how, axis=vl.Axis(format="~f", tickCount=8))


def _events(points: list[Point], domain: list[float]) -> Any:
    """A bar for each event from its begin to its end, a stroke for one that has none; named at its begin."""
    events = points[0].events
    names = list(dict.fromkeys(event["name"] for event in events))
    if not names:
        return None
    rows = [
        {"x": event["begin"], "x2": min(domain[1], event["end"] or event["begin"]), "name": event["name"]}
        for event in events
        if event["begin"] < domain[1]
    ]
    y = vl.Field("name:N", title=None, sort=names, axis=vl.Axis(grid=False, labelFlush=False))
    bars = theme.chart(rows).mark("bar", color=theme.PALETTE[1], opacity=0.7, height=10, tooltip=None)
    strokes = theme.chart(rows).mark("tick", color=theme.PALETTE[1], thickness=2, size=14, tooltip=None)
    layers = [bars.encode(x=_x(domain, titled=False), x2="x2:Q", y=y), strokes.encode(x=_x(domain, titled=False), y=y)]
    return vl.layer(*layers).properties(width=theme.WIDTH, height=EVENT_HEIGHT * max(1, len(names)) // 2 + 10)


def _metric(drawing: Drawing, name: str, domain: list[float], several: bool) -> Any:
    """One metric: bands below, lines above, the begins of events as dashed rules."""
    rows, series = _rows(drawing, name, domain[1], several)
    unit = next(timeline["unit"] for point in drawing.points_drawn if (timeline := point.timeline(name)))
    scale: Scale = fitting(unit, max((row["y"] for row in rows if row["y"] is not None), default=0.0), name)
    for row in rows:
        for key in ("y", "low", "high"):
            row[key] = scale.number(row[key])
    marks = [row for row in rows if row["kind"] is Kind.not_reached]
    has_open = any(row["low"] is not None and row["high"] is None for row in rows)
    how = vl.Scale(zero=True)
    top = open_ends.top_of((row[end] for row in rows for end in ("y", "high")), is_log=False)
    if has_open or marks:
        how |= {"domainMax": top, "nice": False}
    if has_open:
        drawing.note(open_ends.FADED_BANDS)
    y = vl.Field("y:Q", title=drawing.axis_title(name, scale), scale=how, axis=vl.Axis(tickCount=5))
    colour = theme.colours(series) if len(series) > 1 else vl.value(theme.PALETTE[0])
    x = _x(domain)
    by_series = dict(zip(series, cycled(theme.PALETTE, len(series)), strict=True))
    layers = [
        *open_ends.bands(
            rows, top, by_series, x, {key: part for key, part in y.items() if key not in ("field", "type")}
        ),
        theme.chart(rows).mark("line", strokeWidth=1.5, clip=True, tooltip=None).encode(x=x, y=y, color=colour),
        _rules(drawing.points_drawn, x, domain),
        *open_ends.crosses(marks, series, x=x, color=colour),
    ]
    return vl.layer(*layers).properties(width=theme.WIDTH, height=HEIGHT)


def _rules(points: list[Point], x: vl.Field, domain: list[float]) -> Any:
    """The begin and the end of every event."""
    times = {time for event in points[0].events for time in (event["begin"], event["end"]) if time is not None}
    rows = [{"x": time} for time in sorted(times) if domain[0] <= time <= domain[1]]
    return (
        theme.chart(rows).mark("rule", color=theme.MUTED, strokeDash=[3, 3], strokeWidth=0.8, tooltip=None).encode(x=x)
    )


def _rows(drawing: Drawing, name: str, end: float, several: bool) -> tuple[list[Row], list[str]]:
    """The middle of each window with value and interval, and the names of the series in order.

    A window without a value stays, so that the line has a gap there.
    """
    rows: list[Row] = []
    series: list[str] = []
    for experiment in drawing.experiments:
        for point in drawing.points(experiment):
            timeline = point.timeline(name)
            if timeline is None:
                continue
            whose = ", ".join([drawing.title_of(experiment), *drawing.other_settings(point)]) if several else ""
            fields = [field for field in ("p50", _tail(timeline)) if field and any(_reached(timeline, field))] or [
                "mean"
            ]
            for field in fields:
                called = ", ".join(part for part in (whose, STATISTICS.get(field, "")) if part) or "mean"
                series.append(called)
                windows = zip(timeline["start"], timeline["end"], _known(timeline, field), strict=True)
                rows += [
                    {
                        "x": (begin + until) / 2,
                        "y": None if field in TAILS and known.kind is not Kind.closed else known.value,
                        "low": known.low,
                        "high": known.high,
                        "kind": known.kind,
                        "series": called,
                        "label": f"{rounded((begin + until) / 2, 6)} s, {called}: not reached",
                    }
                    for begin, until, known in windows
                    if (begin + until) / 2 <= end
                ]
    return rows, series


def _tail(timeline: Mapping[str, Any]) -> str | None:
    """The quantile of the tail that some window has responses enough for."""
    return next((field for field in TAILS if any(_reached(timeline, field))), None)


def _known(timeline: Mapping[str, Any], field: str) -> list[Uncertainty]:
    """What is known of a field in each window: a quantile is not reached where too much of what was sent failed."""
    values = timeline.get(field) or []
    intervals = timeline.get("ci95" if field == "mean" else f"{field}_ci95") or [None] * len(values)
    answered = answered_shares(timeline) if timeline.get("sent") else [None] * len(values)
    return [
        Uncertainty(Kind.not_reached, None, (ends or [None])[0])
        if value is None and share is not None
        else of_ends(value, *(ends or (None, None)))
        for value, ends, share in zip(values, intervals, answered, strict=True)
    ]


def _reached(timeline: Mapping[str, Any], field: str) -> list[bool]:
    """For each window, whether it has responses enough for a quantile: of the tail, for both ends of its interval."""
    kinds = [known.kind for known in _known(timeline, field)]
    if field in TAILS:
        return [kind is Kind.closed for kind in kinds]
    return [known.value is not None for known in _known(timeline, field)]


def answered_shares(timeline: Mapping[str, Any]) -> list[float | None]:
    """The share of each window's requests that were answered, of those not in flight at the end; None without any."""
    in_flight = timeline.get("in_flight") or [0] * len(timeline["sent"])
    windows = zip(timeline["delivered"], timeline["sent"], in_flight, strict=True)
    return [delivered / (sent - open_) if sent > open_ else None for delivered, sent, open_ in windows]


def _lost(drawing: Drawing, domain: list[float]) -> Any:
    """The share of each window's requests that were not answered, from its begin to its end; none where all were."""
    rows = [
        {"x": begin, "x2": min(until, domain[1]), "y": 100 * (1 - answered), "none": 0}
        for point in drawing.points_drawn[:1]
        if (timeline := point.timeline("response_time"))
        for begin, until, answered in zip(timeline["start"], timeline["end"], answered_shares(timeline), strict=True)
        if answered is not None and begin < domain[1]
    ]
    if not any(row["y"] > 0 for row in rows):
        return None
    y = vl.Field("y:Q", title="Not answered (%)", scale=vl.Scale(domain=[0, 100]), axis=vl.Axis(tickCount=3))
    areas = theme.chart(rows).mark("rect", color=theme.PALETTE[1], opacity=0.5, tooltip=None)
    return areas.encode(x=_x(domain), x2="x2:Q", y=y, y2="none:Q").properties(width=theme.WIDTH, height=HEIGHT // 2)
