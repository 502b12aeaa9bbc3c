"""Queries of the store: runs, the points of a run, and the state of targets over a period."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sojourn.errors import UnknownName
from sojourn.store import histogram
from sojourn.store.schema import (
    metrics,
    outages,
    points,
    rollups,
    runs,
    scenarios,
    tags,
    targets,
    verdicts,
    windows,
)

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which runs; a member that is None selects all."""

    scenario: str | None = None
    """Name of the document or the study, or the beginning of its hash."""
    network: str | None = None
    host: str | None = None
    command: str | None = None
    tag: str | None = None
    since_us: int | None = None
    until_us: int | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """As conditions of the table of runs."""
        found: list[ColumnElement[bool]] = []
        if self.scenario is not None:
            found.append((runs.c.name == self.scenario) | runs.c.scenario_hash.startswith(self.scenario))
        for name in ("network", "host", "command"):
            if (value := getattr(self, name)) is not None:
                found.append(runs.c[name] == value)
        if self.tag is not None:
            found.append(runs.c.id.in_(select(tags.c.run_id).where(tags.c.tag == self.tag)))
        if self.since_us is not None:
            found.append((runs.c.begin_us >= self.since_us) | _goes_on_after(self.since_us))
        if self.until_us is not None:
            found.append(runs.c.begin_us < self.until_us)
        return found


def _goes_on_after(since_us: int) -> ColumnElement[bool]:
    """Of a monitor: whether a window of it began then or later."""
    seen = select(windows.c.run_id).where(windows.c.begin_us >= since_us)
    return (runs.c.command == "monitor") & runs.c.id.in_(seen)


def list_runs(connection: Connection, selection: Selection, most: int | None = None) -> list[Row]:
    """The latest runs, the latest first, with their tags, verdicts and number of points."""
    columns = [column for column in runs.c if column.name not in ("settings", "regime", "answer")]
    statement = select(*columns).where(*selection.conditions()).order_by(runs.c.begin_us.desc(), runs.c.id.desc())
    found = [dict(row._mapping) for row in connection.execute(statement.limit(most))]
    numbers = [row["id"] for row in found]
    by_run = tags_of(connection, numbers)
    counted = _points_of(connection, numbers)
    judged = _verdicts(connection, numbers)
    extra = ("tags", "points", "verdicts")
    return [
        row | dict(zip(extra, (by_run[n], counted.get(n, 0), judged[n]), strict=True))
        for row, n in zip(found, numbers, strict=True)
    ]


def run(connection: Connection, number: int) -> Row:
    """All of one run: settings, document, points with metrics and verdicts; `UnknownName` where there is none."""
    statement = select(runs, scenarios.c.text).outerjoin(scenarios).where(runs.c.id == number)
    found = connection.execute(statement).first()
    if found is None:
        raise UnknownName(f"there is no run {number} in the store; `sojourn history` lists them")
    row = dict(found._mapping)
    for name in ("settings", "regime", "answer"):
        row[name] = None if row[name] is None else json.loads(row[name])
    return row | {"tags": tags_of(connection, [number])[number], "points": _points(connection, number)}


def tags_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The tags of runs, in the order of the alphabet."""
    found: dict[int, list[str]] = {number: [] for number in numbers}
    statement = select(tags.c.run_id, tags.c.tag).where(tags.c.run_id.in_(numbers)).order_by(tags.c.tag)
    for number, tag in connection.execute(statement):
        found[number].append(tag)
    return found


def watched(connection: Connection, since_us: int, until_us: int, name: str | None = None) -> list[Row]:
    """Each target over a time: windows, requests, losses, quantiles and outages. Loaded windows are left out."""
    rows: dict[int, Row] = {}
    bins: defaultdict[int, list[bytes]] = defaultdict(list)
    for table, count in ((windows, None), (rollups, rollups.c.windows)):
        of_time = (table.c.begin_us >= since_us) & (table.c.begin_us < until_us) & ~table.c.loaded
        statement = select(
            table.c.target_id, table.c.sent, table.c.answered, table.c.histogram, *([] if count is None else [count])
        ).where(of_time)
        for target, sent, answered, octets, *several in connection.execute(statement):
            row = rows.setdefault(target, {"windows": 0, "sent": 0, "answered": 0})
            row["windows"] += several[0] if several else 1
            row["sent"] += sent
            row["answered"] += answered
            bins[target].append(octets)
    return [
        {"target": found.name, "url": found.url, "host": found.host}
        | _summary(rows[found.id], bins[found.id])
        | _outages(connection, found.id, since_us, until_us)
        for found in connection.execute(select(targets).order_by(targets.c.name, targets.c.id))
        if found.id in rows and name in (None, found.name)
    ]


def windows_of(connection: Connection, target: str, since_us: int | None, until_us: int | None) -> Iterator[Row]:
    """The windows of a target in the order of time, without those that were rolled up."""
    statement = select(windows).join(targets).where(targets.c.name == target).order_by(windows.c.begin_us)
    if since_us is not None:
        statement = statement.where(windows.c.begin_us >= since_us)
    if until_us is not None:
        statement = statement.where(windows.c.begin_us < until_us)
    for row in connection.execute(statement.execution_options(yield_per=1000)):
        found = dict(row._mapping)
        bins = histogram.decode(found["histogram"] or b"")
        yield found | {"metrics": json.loads(found["metrics"]), "histogram": {str(bin_): n for bin_, n in bins.items()}}


def _summary(row: Row, octets: Iterable[bytes]) -> Row:
    total = histogram.merged(octets)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    quantiles = {name: histogram.quantile(total, share, row["sent"]) for name, share in shares.items()}
    return row | {"loss": 1 - row["answered"] / row["sent"] if row["sent"] else None} | quantiles


def _outages(connection: Connection, target: int, since_us: int, until_us: int) -> Row:
    of_time = (outages.c.target_id == target) & (outages.c.begin_us >= since_us) & (outages.c.begin_us < until_us)
    count, seconds = connection.execute(
        select(func.count(), func.coalesce(func.sum(outages.c.duration_s), 0.0)).where(of_time)
    ).one()
    return {"outages": count, "outage_s": float(seconds)}


def _points(connection: Connection, number: int) -> list[Row]:
    statement = select(points).where(points.c.run_id == number).order_by(points.c.position)
    found: dict[int, Row] = {row.id: dict(row._mapping) for row in connection.execute(statement)}
    for point in found.values():
        point.update(settings=json.loads(point["settings"]), metrics={}, verdicts=[])
    of_run = points.c.run_id == number
    for row in connection.execute(select(metrics).join(points).where(of_run).order_by(metrics.c.name)):
        fields = {name: value for name, value in row._mapping.items() if value is not None}
        found[fields.pop("point_id")]["metrics"][fields.pop("name")] = fields
    for row in connection.execute(select(verdicts).join(points).where(of_run)):
        fields = dict(row._mapping)
        found[fields.pop("point_id")]["verdicts"].append(fields)
    return list(found.values())


def _points_of(connection: Connection, numbers: Sequence[int]) -> dict[int, int]:
    """How many points a run has."""
    statement = select(points.c.run_id, func.count()).where(points.c.run_id.in_(numbers)).group_by(points.c.run_id)
    return {row[0]: row[1] for row in connection.execute(statement)}


def _verdicts(connection: Connection, numbers: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many verdicts of each kind a run has."""
    found: dict[int, dict[str, int]] = {number: {} for number in numbers}
    statement = select(points.c.run_id, verdicts.c.verdict, func.count()).join(points)
    statement = statement.where(points.c.run_id.in_(numbers)).group_by(points.c.run_id, verdicts.c.verdict)
    for number, verdict, count in connection.execute(statement):
        found[number][verdict] = count
    return found
