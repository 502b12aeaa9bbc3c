"""The effects of a scenario's events, as text."""

from __future__ import annotations

from sojourn.cli.output import table
from sojourn.point import Point, format_quantile
from sojourn.recoveries import events_of, when
from sojourn.units import format_interval


def of_point(point: Point) -> str:
    """A line for each event: when it happened, how long until recovery, how often there was none; empty without."""
    rows = []
    for name, recovery in point.members_of_events().items():
        never, occurred = int(recovery.raw.get("never") or 0), recovery.sent or 0
        rows.append(
            (
                name,
                when(events_of(point, name)),
                format_interval(recovery.mean, recovery.interval, recovery.unit, recovery.name)
                if recovery.applies
                else "never",
                format_quantile(recovery, "p99") if recovery.applies else "",
                f"{never} of {occurred}",
            )
        )
    return table(rows, ("event", "happens", "recovery time, mean", "p99", "never recovered")) if rows else ""
