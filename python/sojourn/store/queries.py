"""Queries of the store: runs, the points of a run, and the state of targets over a period."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sojourn.errors import UnknownName
from sojourn.store import checksums, histogram
from sojourn.store.database import DamagedRun
from sojourn.store.records import MESH, MONITOR
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
LARGEST = 2**31 - 1
"""Number of a run, as the databases have it."""
_LONG = ("settings", "regime", "answer", "checksum")
"""What a list leaves out."""


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
    return runs.c.command.in_((MONITOR, MESH)) & runs.c.id.in_(seen)


def list_runs(connection: Connection, selection: Selection, most: int | None = None) -> list[Row]:
    """The latest runs, the latest first, with tags, verdicts, number of points, and whether they are sound."""
    statement = select(*checksums.columns(runs)).where(*selection.conditions())
    statement = statement.order_by(runs.c.begin_us.desc(), runs.c.id.desc()).limit(most)
    found = [dict(row._mapping) for row in connection.execute(statement)]
    numbers = [row["id"] for row in found]
    tagged = checksums.tags_of(connection, numbers)
    counted = checksums.points_of(connection, numbers)
    judged = checksums.verdicts_of(connection, numbers)
    return [
        _listed(row, counted.get(number, 0), judged[number], tagged[number])
        for row, number in zip(found, numbers, strict=True)
    ]


def sound(rows: Iterable[Row]) -> tuple[list[Row], list[int]]:
    """Of listed runs, those that are what was recorded, and the numbers of the others."""
    rows = list(rows)
    listed = [{name: value for name, value in row.items() if name != "is_sound"} for row in rows if row["is_sound"]]
    return listed, [row["id"] for row in rows if not row["is_sound"]]


def run(connection: Connection, number: int) -> Row:
    """All of one run: settings, document, points with metrics and verdicts.

    `UnknownName` where there is none, `DamagedRun` where it is not what was recorded.
    """
    refuse_unknown(connection, number)
    if checksums.damaged(connection, [number]):
        raise DamagedRun([number])
    statement = select(runs, scenarios.c.text).outerjoin(scenarios).where(runs.c.id == number)
    row = dict(connection.execute(statement).one()._mapping)
    del row["checksum"]
    for name in ("settings", "regime", "answer"):
        row[name] = None if row[name] is None else json.loads(row[name])
    return row | {"tags": checksums.tags_of(connection, [number])[number], "points": _points(connection, number)}


def refuse_unknown(connection: Connection, number: int) -> None:
    """`UnknownName` where there is no such run."""
    is_possible = 0 < number <= LARGEST
    if not is_possible or connection.execute(select(runs.c.id).where(runs.c.id == number)).first() is None:
        raise UnknownName(f"there is no run {_shown(number)} in the store; `sojourn history` lists them")


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


def _listed(row: Row, counted: int, judged: dict[str, int], tagged: list[str]) -> Row:
    is_sound = checksums.is_sound(row, counted, judged, tagged)
    kept = {name: value for name, value in row.items() if name not in _LONG} | {"well": bool(row["well"])}
    return kept | {"tags": tagged, "points": counted, "verdicts": judged, "is_sound": is_sound}


def _shown(number: int) -> str:
    return str(number) if abs(number) <= LARGEST else "of such a number"


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
