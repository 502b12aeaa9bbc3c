"""What a scenario's events did, as text."""

from __future__ import annotations

from typing import Any

from sojourn.cli.output import table
from sojourn.point import Point, format_quantile
from sojourn.units import format_interval, format_value


def of_point(point: Point) -> str:
    """A line for each event: when it happened, how long until recovery, how often there was none; empty without."""
    rows = []
    for name, recovery in point.members_of_events().items():
        never, occurred = int(recovery.raw.get("never") or 0), recovery.sent or 0
        times = [event for event in point.events if event["name"] == name]
        rows.append(
            (
                name,
                _when(times),
                format_interval(recovery.mean, recovery.interval, recovery.unit, recovery.name)
                if recovery.applies
                else "never",
                format_quantile(recovery, "p99") if recovery.applies else "",
                f"{never} of {occurred}",
            )
        )
    return table(rows, ("event", "happens", "recovery time, mean", "p99", "never recovered")) if rows else ""


def _when(times: list[dict[str, Any]]) -> str:
    """When an event happens: its first time, how long it lasts, and how often it happens."""
    if not times:
        return "at random"
    begin, end = times[0]["begin"], times[0]["end"]
    lasts = "" if end is None else f" for {format_value(end - begin, 's')}"
    return f"at {format_value(begin, 's')}{lasts}" + ("" if len(times) == 1 else f", {len(times)} times")
