"""The state of monitored targets: the last window of each, raised alerts, and totals over a period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sojourn.store.queries import watched
from sojourn.store.schema import alerts, targets, windows

if TYPE_CHECKING:
    from sqlalchemy import Connection

LATE = 3
"""Lengths of a window after which a target without a new one counts as not monitored."""


def status(connection: Connection, since_us: int, until_us: int) -> list[dict[str, Any]]:
    """A row for each target with windows in a time, those in trouble first."""
    totals = {(row["host"], row["target"], row["url"]): row for row in watched(connection, since_us, until_us)}
    rows = []
    for target in connection.execute(select(targets).order_by(targets.c.name, targets.c.id)):
        total = totals.get((target.host, target.name, target.url))
        last = _last(connection, target.id)
        if total is None or last is None:
            continue
        raised = _raised(connection, target.id, since_us)
        rows.append(total | {"last_us": last.end_us, "raised": raised, "state": _state(last, raised, until_us)})
    order = ("outage", "alert", "silent", "up")
    return sorted(rows, key=lambda row: order.index(row["state"]))


def _last(connection: Connection, target: int) -> Any:
    statement = select(windows.c.begin_us, windows.c.end_us, windows.c.in_outage)
    of_target = statement.where(windows.c.target_id == target)
    return connection.execute(of_target.order_by(windows.c.begin_us.desc()).limit(1)).first()


def _raised(connection: Connection, target: int, since_us: int) -> list[str]:
    """The conditions whose last alert was not cleared."""
    statement = select(alerts.c.condition, alerts.c.event).where(alerts.c.target_id == target)
    recent = statement.where(alerts.c.at_us >= since_us).order_by(alerts.c.at_us, alerts.c.number)
    events = {row.condition: row.event for row in connection.execute(recent)}
    return sorted(condition for condition, event in events.items() if event == "raised")


def _state(last: Any, raised: list[str], now_us: int) -> str:
    """ "outage", "alert" or "up"; "silent" of a target that is not monitored any more."""
    if now_us - last.end_us > LATE * max(last.end_us - last.begin_us, 60_000_000):
        return "silent"
    return "outage" if last.in_outage else "alert" if raised else "up"
