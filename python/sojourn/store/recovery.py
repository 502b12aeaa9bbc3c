"""Recovers what reads of a damaged database of SQLite, row by row, into a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sojourn.store import aside, backup
from sojourn.store.schema import metadata

MOST_MISSED = 1000
"""Rows in succession that do not read, after which no more are looked for between the ends of a table that do."""
FOR_WINDOWS = """
INSERT INTO runs (id, uuid, command, name, network, world, begin_us, well)
    SELECT run_id, 'lost-' || run_id, 'monitor', 'monitor', 'ip', 'live', min(begin_us), 1 FROM windows
    WHERE run_id NOT IN (SELECT id FROM runs) GROUP BY run_id;
INSERT INTO targets (id, key, host, name, url)
    SELECT DISTINCT target_id, 'lost-' || target_id, '', 'target ' || target_id, ''
    FROM (SELECT target_id FROM windows UNION SELECT target_id FROM rollups)
    WHERE target_id NOT IN (SELECT id FROM targets);
INSERT OR IGNORE INTO run_targets (run_id, target_id) SELECT DISTINCT run_id, target_id FROM windows;
"""
"""What windows belong to where it is lost: a monitor and a target without their names."""
Row = tuple[Any, ...]


def integrity(file: Path) -> list[str]:
    """What SQLite finds wrong with a database; empty where it is sound."""
    try:
        with closing(backup.connected(file)) as connection:
            connection.execute("PRAGMA cell_size_check = ON")
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
            lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    wrong = [line for words in found if words != "ok" for line in words.splitlines()]
    return wrong + [f"a row of {table} belongs to a row of {parent} that is lost" for table, _, parent, _ in lost]


def recover(file: Path, new: Path, kept: Path) -> int:
    """Copies all rows that read into `new`, which has the tables; those that fit no more go to `kept`.

    Returns how many those are; rows that do not read at all are in no count.
    """
    with closing(backup.connected(file)) as source, closing(sqlite3.connect(new)) as target:
        source.text_factory = lambda octets: octets.decode(errors="replace")
        unfit = sum(_copy(table.name, source, target, kept) for table in metadata.sorted_tables)
        unfit += _without_orphans(target, kept)
        target.commit()
    return unfit


def _copy(table: str, source: sqlite3.Connection, target: sqlite3.Connection, kept: Path) -> int:
    names = [name for name in _columns(target, table) if name in _columns(source, table)]
    if not names:
        return 0
    quoted = ", ".join(f'"{name}"' for name in names)
    statement = f'INSERT INTO "{table}" ({quoted}) VALUES ({", ".join("?" * len(names))})'
    unfit = 0
    for row in _readable(source, f'SELECT rowid, {quoted} FROM "{table}" NOT INDEXED'):
        try:
            target.execute(statement, row[1:])
        except (sqlite3.Error, OverflowError, ValueError):
            aside.keep(kept, {table: [dict(zip(names, row[1:], strict=True))]})
            unfit += 1
    return unfit


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    try:
        return [str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")')]
    except sqlite3.Error:
        return []


def _readable(source: sqlite3.Connection, query: str) -> Iterator[Row]:
    """The rows from the first to one that does not read, from the last to one, and those between that are found."""
    first, last, is_whole = -1, None, True
    for row in _until_damage(source, f"{query} ORDER BY rowid"):
        is_whole = row is not None
        if row is not None:
            first = row[0]
            yield row
    if is_whole:
        return
    for row in _until_damage(source, f"{query} ORDER BY rowid DESC"):
        if row is None or row[0] <= first:
            break
        last = row[0]
        yield row
    missed, number = 0, first + 1
    while missed < MOST_MISSED and (last is None or number < last):
        found = [row for row in _until_damage(source, f"{query} WHERE rowid = {number}") if row is not None]
        yield from found
        missed, number = 0 if found else missed + 1, number + 1


def _until_damage(source: sqlite3.Connection, query: str) -> Iterator[Row | None]:
    """The rows of a query, and None where one does not read."""
    try:
        yield from source.execute(query)
    except (sqlite3.Error, OverflowError):
        yield None


def _without_orphans(target: sqlite3.Connection, kept: Path) -> int:
    """Removes rows that belong to a row that is lost, until there are none; windows get a monitor and a target."""
    removed = 0
    target.executescript(FOR_WINDOWS)
    while lost := {(table, rowid) for table, rowid, _, _ in target.execute("PRAGMA foreign_key_check")}:
        for table, rowid in lost:
            where = f'FROM "{table}" WHERE rowid = ?'
            row = target.execute(f"SELECT * {where}", (rowid,)).fetchone()
            aside.keep(kept, {table: [dict(zip(_columns(target, table), row, strict=True))]})
            target.execute(f"DELETE {where}", (rowid,))
        target.executescript(FOR_WINDOWS)
        removed += len(lost)
    return removed
