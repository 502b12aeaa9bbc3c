"""Runs that are damaged in the database: their rows are kept in a file, and the rest of the history is sound again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from sojourn import framing
from sojourn.store import backup, checksums
from sojourn.store.schema import metadata, metrics, points, runs, scenarios, verdicts, windows

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from sojourn.store.settings import Place

UNKNOWN = {"name": "monitor", "well": True, "scenario_id": None} | dict.fromkeys(
    ("peer", "scenario_hash", "settings", "regime", "answer", "folder", "seed", "replications", "elapsed_s")
)
"""What a monitor has whose row is damaged: its windows stay."""


def file_of(place: Place) -> Path:
    """Where damaged rows go: beside the database, of a server beside the records that wait for it."""
    database = backup.file_of(place) or place.spool / "database"
    return database.with_name(f"{database.name}{framing.DAMAGED}")


def put_runs_aside(engine: Engine, place: Place) -> list[int]:
    """Moves all damaged runs out of the database; returns their numbers."""
    with engine.begin() as connection:
        numbers = checksums.damaged(connection)
        for number in numbers:
            keep(file_of(place), _rows(connection, number))
            if _has_windows(connection, number):
                connection.execute(update(runs).where(runs.c.id == number).values(command="monitor", **UNKNOWN))
                checksums.write(connection, [number])
            else:
                connection.execute(delete(runs).where(runs.c.id == number))
    return numbers


def keep(file: Path, rows: dict[str, Sequence[Any]]) -> None:
    """Appends rows by their table as a line with a checksum."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.open("ab") as kept:
        kept.write(framing.framed(json.dumps(rows, ensure_ascii=False, default=_plain)) + b"\n")


def _rows(connection: Connection, number: int) -> dict[str, Sequence[Any]]:
    """All rows of a run except windows, which stay."""
    of_points = select(points.c.id).where(points.c.run_id == number)
    found: dict[str, Sequence[Any]] = {}
    where: Any
    for table in metadata.sorted_tables:
        if table in (metrics, verdicts):
            where = table.c.point_id.in_(of_points)
        elif table is scenarios:
            where = scenarios.c.id.in_(select(runs.c.scenario_id).where(runs.c.id == number))
        elif table is not windows and (key := "id" if table is runs else "run_id") in table.c:
            where = table.c[key] == number
        else:
            continue
        statement = select(*checksums.columns(table)).where(where)
        found[table.name] = [dict(row._mapping) for row in connection.execute(statement)]
    return found


def _has_windows(connection: Connection, number: int) -> bool:
    return connection.execute(select(windows.c.run_id).where(windows.c.run_id == number).limit(1)).first() is not None


def _plain(value: Any) -> str:
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else str(value)
