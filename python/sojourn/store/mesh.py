"""The last windows of a mesh, from the store."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sojourn.matrix import MET, MISSED, OUTAGE, PLAIN, SILENT, Cell, Matrix
from sojourn.store.records import MESH, of_pair
from sojourn.store.schema import alerts, conditions, outages, run_targets, runs, targets, windows
from sojourn.store.series import limits
from sojourn.store.status import LATE

if TYPE_CHECKING:
    from sqlalchemy import Connection

SHOWN = {
    "response_time": ("p50", "p99"),
    "one_way_delay/forward": ("one_way_delay/forward", "one_way_delay/forward.p99"),
}
"""What a matrix can show, and the fields of both numbers of a cell."""
LEAST_US = 60_000_000
"""A window counts as this long at least where a pair without news is called silent."""


@dataclass(frozen=True)
class Mesh:
    """A mesh and its matrix."""

    run: int
    name: str
    host: str
    """Of the coordinator."""
    last_us: int
    """End of the latest window."""
    window_s: float
    matrix: Matrix


def meshes(connection: Connection, most: int) -> list[tuple[int, str, int]]:
    """Number, name and begin of the latest meshes, the latest first."""
    statement = select(runs.c.id, runs.c.name, runs.c.begin_us).where(runs.c.command == MESH)
    found = connection.execute(statement.order_by(runs.c.begin_us.desc(), runs.c.id.desc()).limit(most))
    return [(row.id, row.name, row.begin_us) for row in found]


def latest(connection: Connection, run: int, shown: str, now_us: int) -> Mesh | None:
    """The matrix of a mesh; None where there is no such mesh."""
    row = connection.execute(select(runs).where(runs.c.id == run, runs.c.command == MESH)).first()
    if row is None:
        return None
    of_run = select(targets.c.id, targets.c.name).join(run_targets).where(run_targets.c.run_id == run)
    pairs = {number: of_pair(name) for number, name in connection.execute(of_run.order_by(targets.c.id))}
    names = list(dict.fromkeys(measuring for measuring, _ in pairs.values()))
    last = _Last(connection, run)
    cells = {pair: cell for number, pair in pairs.items() if (cell := last.cell(number, shown, now_us)) is not None}
    return Mesh(run, row.name, row.host or "", last.end_us, last.length_us / 1e6, Matrix(names, cells))


@dataclass
class _Last:
    """What is known of the targets of a run now."""

    connection: Connection
    run: int
    windows: dict[int, Any] = field(default_factory=dict)
    conditions: dict[int, list[str]] = field(default_factory=dict)
    raised: dict[int, list[str]] = field(default_factory=dict)
    causes: dict[int, str] = field(default_factory=dict)
    end_us: int = 0
    length_us: int = 0

    def __post_init__(self) -> None:
        own = windows.c.run_id == self.run
        newest = select(windows.c.begin_us, windows.c.end_us).where(own).order_by(windows.c.begin_us.desc()).limit(1)
        found = self.connection.execute(newest).first()
        if found is None:
            return
        self.end_us, self.length_us = found.end_us, found.end_us - found.begin_us
        last = select(windows.c.target_id, func.max(windows.c.number).label("number")).where(own)
        # of a pair that has none since, the last one is older than what counts as silent
        recent = windows.c.begin_us >= self.end_us - 10 * max(self.length_us, LEAST_US)
        numbers = last.where(recent).group_by(windows.c.target_id).subquery()
        statement = select(windows).where(own).join(numbers, numbers.c.number == windows.c.number)
        self.windows = {row.target_id: row for row in self.connection.execute(statement)}
        self.conditions = self._texts(conditions, conditions.c.condition)
        self.raised = self._raised()
        open_ones = select(outages.c.target_id, outages.c.cause).where(
            outages.c.run_id == self.run, outages.c.end_us.is_(None), outages.c.cause.is_not(None)
        )
        self.causes = {row.target_id: row.cause for row in self.connection.execute(open_ones)}

    def _texts(self, table: Any, column: Any) -> dict[int, list[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for number, text in self.connection.execute(
            select(table.c.target_id, column).where(table.c.run_id == self.run)
        ):
            found[number].append(text)
        return found

    def _raised(self) -> dict[int, list[str]]:
        """The conditions whose last alert was not cleared."""
        own = alerts.c.run_id == self.run
        numbers = select(func.max(alerts.c.number)).where(own).group_by(alerts.c.target_id, alerts.c.condition)
        last = select(alerts).where(own, alerts.c.number.in_(numbers), alerts.c.event == "raised")
        found: defaultdict[int, list[str]] = defaultdict(list)
        for row in self.connection.execute(last):
            found[row.target_id].append(row.condition)
        return found

    def cell(self, target: int, shown: str, now_us: int) -> Cell | None:
        """The cell of a target; None without a window."""
        row = self.windows.get(target)
        if row is None:
            return None
        fields = _fields(row)
        low, high = (fields.get(name) for name in SHOWN[shown])
        lost = fields.get("loss") if row.sent else None
        if now_us - row.end_us > LATE * max(row.end_us - row.begin_us, LEAST_US):
            return Cell(low, high, lost, SILENT)
        if row.in_outage:
            return Cell(low, high, lost, OUTAGE, self.causes.get(target, ""))
        asked = self.conditions.get(target, [])
        missed = [text for text in asked if _is_missed(text, fields) or text in self.raised.get(target, ())]
        state = MISSED if missed else MET if asked else PLAIN
        return Cell(low, high, lost, state, "; ".join(missed))


def _fields(row: Any) -> dict[str, float | None]:
    """The numbers of a window by the names that conditions give them."""
    quantiles = {name: getattr(row, name) for name in ("mean", "min", "max", "p50", "p90", "p95", "p99", "p999")}
    others: dict[str, float] = json.loads(row.metrics or "{}")
    counted = {} if not row.sent or "loss" in others else {"loss": 1 - row.answered / row.sent}
    return quantiles | others | counted | {f"response_time.{name}": value for name, value in quantiles.items()}


def _is_missed(text: str, fields: dict[str, float | None]) -> bool:
    """Whether a window misses a condition; one on what a record does not keep is left to its alert."""
    for metric, value in fields.items():
        limit = limits([text], metric).get(text)
        if limit is None:
            continue
        if value is None:  # more than the quantile's share was lost
            return "<" in text
        return not (value <= limit if "<" in text else value >= limit)
    return False
