"""A history made anew from folders of results and of monitors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sojourn.errors import UserError
from sojourn.store import backup, checksums, spool
from sojourn.store.database import opened
from sojourn.store.folders import Unread, records
from sojourn.store.healing import new_database
from sojourn.store.loading import load
from sojourn.store.rows import Writer
from sojourn.store.settings import Place

Key = tuple[Any, ...]
KEYS = {
    "run": ("type", "command", "began", "elapsed_s", "host"),
    "window": ("type", "target", "begin", "end"),
    "outage": ("type", "target", "begin", "end"),
    "alert": ("type", "target", "end", "condition"),
}


@dataclass
class Rebuilt:
    """What became of a history."""

    runs: int = 0
    """Runs and monitors that it has."""
    backup: Path | None = None
    """The copy of the old database; None where there was none."""
    unread: Unread = field(default_factory=Unread)


def rebuild(place: Place, folders: Sequence[Path]) -> Rebuilt:
    """Makes the history of these folders and of the records that wait; the old database is kept beside it.

    `UserError` where a server has runs: its database is replaced by its administrator.
    """
    done = Rebuilt()
    file = backup.file_of(place)
    with spool.only_loader(place.spool, wait=True):
        spool.seal(place.spool)
        waiting = _waiting(place)
        if file is None:
            _refuse_filled(place)
        if file is None or not file.exists():
            _fill(place, folders, waiting, done)
        else:
            done.backup = backup.before_repair(file)
            with new_database(file) as made:
                _fill(made, folders, waiting, done)
    load(place, wait=True)
    with opened(place) as engine, engine.connect().execution_options(reads=True) as connection:
        done.runs = checksums.count(connection)
    return done


def _refuse_filled(place: Place) -> None:
    with opened(place) as engine, engine.connect().execution_options(reads=True) as connection:
        if checksums.count(connection):
            raise UserError(
                f"the store {place.shown} has runs: have its administrator keep it (pg_dump) and create an empty "
                "database, which this command fills"
            )


def _fill(place: Place, folders: Sequence[Path], waiting: set[Key], done: Rebuilt) -> None:
    with opened(place) as engine:
        for group in records(folders, done.unread):
            with engine.begin() as connection:
                Writer(connection).write(record for record in group if _key(record) not in waiting)


def _waiting(place: Place) -> set[Key]:
    """What waits for the store: it is loaded afterwards, under an identity that no folder has."""
    lines = (line for file in spool.sealed(place.spool) for line in spool.read(file))
    return {_key(record.members) for line in lines for record in line.records} - {()}


def _key(record: dict[str, Any]) -> Key:
    """What a record is the same by; nothing of a monitor and its conditions, to which windows belong."""
    names = KEYS.get(str(record.get("type")), ())
    return tuple(record.get(name) for name in names)
