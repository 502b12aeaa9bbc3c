"""Loads waiting records into the store, each exactly once.

A file is loaded in parts. How many of its records are loaded is written in the transaction that loads them, so that a
kill, a server that goes away or a second attempt loses none and repeats none; only then the file is deleted.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from sojourn.store import spool
from sojourn.store.database import StoreError, opened
from sojourn.store.rows import Writer
from sojourn.store.schema import loaded
from sojourn.store.settings import Place

if TYPE_CHECKING:
    from sqlalchemy import Engine

PART = 2000
"""Records in a transaction."""


def load(place: Place, *, wait: bool = False) -> int:
    """Loads all that waits, unless another process does so; returns how many records it loaded.

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
    records = spool.read(file, first)
    done = first
    while part := list(islice(records, PART)):
        with engine.begin() as connection:
            if known:
                where = (loaded.c.file == file.name) & (loaded.c.records == done)
                moved = connection.execute(update(loaded).where(where).values(records=done + len(part)))
                if moved.rowcount != 1:
                    raise StoreError(f"{file} is being loaded by another host")
            else:
                connection.execute(insert(loaded).values(file=file.name, records=len(part)))
            Writer(connection).write(part)
        known, done = True, done + len(part)
    file.unlink()
    return done - first
