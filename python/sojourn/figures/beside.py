"""A simulation and a measurement of the same outage over time, in one figure.

The simulation has windows that are aligned to its event; the measurement's requests are put into the same windows by
their send times, shifted so that its first outage begins with the event.
"""

from __future__ import annotations

from bisect import bisect_right
from statistics import median
from typing import TYPE_CHECKING, Any

from sojourn import catalogue, phrases
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.timeline import answered_shares
from sojourn.units import format_value, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sojourn.results import Point, Results

METRIC, LOST = "response_time", "failures"
SIMULATED, MEASURED = "simulated", "measured"
HEIGHT, LOST_HEIGHT = 220, 90
Row = dict[str, Any]


def fits(results: Sequence[Results]) -> bool:
    """Whether these are a simulation with an event whose times are known and a measurement that saw an outage."""
    return len(results) == 2 and _simulated(results) is not None and _measured(results) is not None


def draw(results: Sequence[Results]) -> vl.Chart:
    """The median response time of each window above, the share of requests that were not answered below."""
    (simulation, timeline), (measurement, outage) = _simulated(results), _measured(results)  # type: ignore[misc]
    event = simulation.points[0].events[0]
    shift = event["begin"] - outage["begin"]
    starts, ends = timeline["start"], timeline["end"]
    answered = _windows(_times(measurement, METRIC, shift), starts, ends[-1])
    lost = _windows(_times(measurement, LOST, shift), starts, ends[-1])
    middles = [(begin + end) / 2 for begin, end in zip(starts, ends, strict=True)]
    times = [
        *_rows(middles, timeline["p50"], SIMULATED),
        *_rows(middles, [median(values) if values else None for values in answered], MEASURED),
    ]
    shares = [
        *_rows(middles, [_lost(share) for share in answered_shares(timeline)], SIMULATED),
        *_rows(middles, [_lost(_share(a, no)) for a, no in zip(answered, lost, strict=True)], MEASURED),
    ]
    shown = scale("s", max(row["y"] for row in times if row["y"] is not None))
    for row in times:
        row["y"] = None if row["y"] is None else row["y"] / shown.factor
    title = phrases.with_unit(f"{catalogue.metric_label(METRIC)}, median", shown.unit)
    seen = [middle for middle, a, no in zip(middles, answered, lost, strict=True) if a or no]
    domain = [starts[0], max(ends[-1], seen[-1])]
    rules = [{"x": time} for time in (event["begin"], event["end"]) if time is not None]
    above = _panel(times, vl.Field("y:Q", title=title, scale=vl.Scale(zero=True)), domain, rules, HEIGHT)
    share = vl.Field(
        "y:Q", title="Not answered (%)", scale=vl.Scale(domain=[0, 105]), axis=vl.Axis(values=[0, 50, 100])
    )
    below = _panel(shares, share, domain, rules, LOST_HEIGHT)
    caption = (
        f"Event {event['name']} of the simulation: {_length(event['begin'], event['end'])} (dashed). "
        f"Outage of the measurement: {_length(outage['begin'], outage['end'])}, shifted to begin with it. "
        "Requests count where they were sent."
    )
    return theme.dressed(vl.vconcat(above, below, spacing=12), "The same outage, simulated and measured", caption)


def _simulated(results: Sequence[Results]) -> tuple[Results, dict[str, Any]] | None:
    for of in results:
        for point in of.points[:1]:
            timeline = point.timeline(METRIC)
            if timeline is not None and point.events:
                return of, timeline
    return None


def _measured(results: Sequence[Results]) -> tuple[Results, dict[str, Any]] | None:
    for of in results:
        outages = [outage for point in of.points for outage in _outages(point)]
        if of.raw.get("world") == "live" and outages:
            return of, outages[0]
    return None


def _outages(point: Point) -> list[dict[str, Any]]:
    return [outage for outage in point.raw.get("outages") or [] if outage["end"] is not None]


def _times(measurement: Results, metric: str, shift: float) -> list[tuple[float, float]]:
    """When each request of the first replication was sent, by the simulation's clock, and its value."""
    found = [measurement.columns_at(point, metric, "traces") for point in measurement.points]
    kept = (row for one in found for row in zip(one["replication"], one["time_s"], one["value"], strict=True))
    return [(time + shift, value) for replication, time, value in kept if replication == 0]


def _windows(requests: list[tuple[float, float]], starts: list[float], end: float) -> list[list[float]]:
    """The values of each window."""
    windows: list[list[float]] = [[] for _ in starts]
    for time, value in requests:
        if starts[0] <= time < end:
            windows[bisect_right(starts, time) - 1].append(value)
    return windows


def _share(answered: list[float], lost: list[float]) -> float | None:
    return len(answered) / (len(answered) + len(lost)) if answered or lost else None


def _lost(answered: float | None) -> float | None:
    """The percentage that was not answered, of the share that was."""
    return None if answered is None else 100 * (1 - answered)


def _rows(middles: list[float], values: Sequence[float | None], series: str) -> list[Row]:
    return [{"x": x, "y": y, "series": series} for x, y in zip(middles, values, strict=True)]


def _panel(rows: list[Row], y: vl.Field, domain: list[float], rules: list[Row], height: int) -> Any:
    x = vl.Field("x:Q", title="Time (s)", scale=vl.Scale(domain=domain, nice=False), axis=vl.Axis(format="~f"))
    colour = theme.colours([SIMULATED, MEASURED], symbolStrokeWidth=3, symbolType="stroke")
    lines = theme.chart(rows).mark("line", strokeWidth=1.5, clip=True, tooltip=None).encode(x=x, y=y, color=colour)
    dashed = theme.chart(rules).mark("rule", color=theme.MUTED, strokeDash=[3, 3], strokeWidth=0.8, tooltip=None)
    return vl.layer(lines, dashed.encode(x=x)).properties(width=theme.WIDTH, height=height)


def _length(begin: float, end: float | None) -> str:
    return "until the end" if end is None else format_value(end - begin, "s")
