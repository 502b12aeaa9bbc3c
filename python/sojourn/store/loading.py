"""Loads waiting records into the store, each exactly once.

A file is loaded in parts. How many of its lines are loaded is written in the transaction that loads them, so that a
kill, a server that goes away or a second attempt loses none and repeats none; only then the file is deleted. A record
that does not read, or that the tables do not take, is put aside before its part is stored; all others are loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, ProgrammingError, StatementError

from sojourn import framing
from sojourn.store import spool
from sojourn.store.database import StoreError, opened
from sojourn.store.records import CHECKED
from sojourn.store.rows import Writer
from sojourn.store.schema import loaded
from sojourn.store.settings import Place

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

PART = 2000
"""Lines in a transaction."""
OF_ITS_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
"""What a record raises that has other members than a record of its version."""
OF_ITS_VALUES = ("22", "23", "42")
"""Classes of errors of PostgreSQL that are of the values given: data, constraints, types."""
Entry = tuple[int, bytes, dict[str, Any]]
"""Number of the line, the line, and a record of it."""


def load(place: Place, *, wait: bool = False) -> int:
    """Loads all that waits, unless another process does so; returns how many lines it loaded.

    With `wait` it waits for the other process, so that all that was recorded until now is in the store afterwards.
    """
    with spool.only_loader(place.spool, wait=wait) as alone:
        if not alone or not spool.waiting(place.spool):
            return 0
        spool.seal(place.spool)
        with opened(place) as engine:
            return sum(_load_file(engine, file) for file in spool.sealed(place.spool))


def _load_file(engine: Engine, file: Path) -> int:
    with engine.connect() as connection:
        done = connection.execute(select(loaded.c.records).where(loaded.c.file == file.name)).scalar()
        connection.rollback()
    known, first = done is not None, done or 0
    lines = spool.read(file, first)
    done = first
    while part := list(islice(lines, PART)):
        with engine.begin() as connection:
            if known:
                where = (loaded.c.file == file.name) & (loaded.c.records == done)
                moved = connection.execute(update(loaded).where(where).values(records=done + len(part)))
                if moved.rowcount != 1:
                    raise StoreError(f"{file} is being loaded by another host")
            else:
                connection.execute(insert(loaded).values(file=file.name, records=len(part)))
            unread = [(line.number, line.rest) for line in part if line.rest]
            refused = [(number, octets) for number, octets, _ in _write(connection, list(_entries(part, unread)))]
            framing.put_aside(file, sorted([*unread, *refused]))
        known, done = True, done + len(part)
    file.unlink()
    return done - first


def _entries(part: Sequence[spool.Line], unread: list[tuple[int, bytes]]) -> Iterator[Entry]:
    """The records of lines; those that cannot be what was written are added to `unread`."""
    for line in part:
        for record in line.records:
            version = record.members.get("record")
            if record.is_checked or (isinstance(version, int) and version < CHECKED):
                yield line.number, line.octets, record.members
            else:
                unread.append((line.number, line.octets))


def _write(connection: Connection, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Writes records; returns those that the tables do not take, found by halving."""
    if not entries:
        return ()
    try:
        with connection.begin_nested():
            Writer(connection).write(record for _, _, record in entries)
    except (*OF_ITS_SHAPE, StatementError) as error:
        if not _is_of_a_record(error):
            raise
        if len(entries) == 1:
            return entries
        half = len(entries) // 2
        return [*_write(connection, entries[:half]), *_write(connection, entries[half:])]
    return ()


def _is_of_a_record(error: Exception) -> bool:
    """Whether an error is of what is written, not of the database, which may be full or away."""
    if isinstance(error, OF_ITS_SHAPE):
        return True
    original = getattr(error, "orig", None)
    fields = original.args[0] if original is not None and original.args else None
    if isinstance(fields, dict):
        return str(fields.get("C", ""))[:2] in OF_ITS_VALUES
    return isinstance(error, DataError | IntegrityError | InterfaceError | ProgrammingError) or isinstance(
        original, OF_ITS_SHAPE
    )
