"""The effects of a scenario's events, in words."""

from __future__ import annotations

from typing import Any

from sojourn import phrases
from sojourn.point import Point
from sojourn.results import Metric
from sojourn.units import format_interval, format_value


def sentence(point: Point) -> str:
    """How long recovery took after each event: "After cut (at 20 s for 5 s) recovery took 5.01 s from its begin."."""
    said = [_of_event(name, recovery, point) for name, recovery in point.members_of_events().items()]
    return f"{phrases.capitalised('; '.join(said))}." if said else ""


def _of_event(name: str, recovery: Metric, point: Point) -> str:
    never, occurred = int(recovery.raw.get("never") or 0), recovery.sent or 0
    after = f"after {name} ({when(events_of(point, name))})"
    if not recovery.applies:
        return f"{after} no recovery in {never} of {occurred}"
    took = format_interval(recovery.mean, recovery.interval, recovery.unit, recovery.name)
    return f"{after} recovery took {took} from its begin" + (
        f", and never came in {never} of {occurred}" if never else ""
    )


def events_of(point: Point, name: str) -> list[dict[str, Any]]:
    """The occurrences of an event whose times are known."""
    return [event for event in point.events if event["name"] == name]


def when(times: list[dict[str, Any]]) -> str:
    """When an event happens: its first time, how long it lasts, and how often it happens."""
    if not times:
        return "at random"
    begin, end = times[0]["begin"], times[0]["end"]
    lasts = "" if end is None else f" for {format_value(end - begin, 's')}"
    return f"at {format_value(begin, 's')}{lasts}" + ("" if len(times) == 1 else f", {len(times)} times")
