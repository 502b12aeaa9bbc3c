"""Copies of a store of SQLite, beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlalchemy import make_url

from sojourn.errors import SojournError

if TYPE_CHECKING:
    from sojourn.store.settings import Place

BESIDE = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database that is open."""


class NoBackup(SojournError):  # noqa: N818 - the name states the error
    """The copy could not be made, so nothing was changed."""


def file_of(place: Place) -> Path | None:
    """The file of a store of SQLite; None of a server."""
    database = None if place.is_postgresql else make_url(place.url.revealed()).database
    return Path(database) if database else None


def before_migration(file: Path, revision: str) -> Path:
    """Copies the database before its schema changes; the copy is named with the schema that it has."""
    copy = file.with_name(f"{file.name}.schema-{revision}")
    with _made(file, copy) as part:
        _copied(file, part)
    return copy


def before_repair(file: Path) -> Path:
    """Copies the database, octet by octet where SQLite cannot read it; the copy is named with the time."""
    copy = file.with_name(f"{file.name}.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    with _made(file, copy) as part:
        try:
            _copied(file, part)
        except sqlite3.Error:
            shutil.copyfile(file, part)
            for ending in BESIDE[:1]:
                beside = file.with_name(file.name + ending)
                if beside.exists():
                    shutil.copyfile(beside, copy.with_name(copy.name + ending))
    return copy


def put_in_place(file: Path, new: Path) -> None:
    """Replaces the database; what the old one has beside it belongs to no other."""
    for ending in BESIDE:
        file.with_name(file.name + ending).unlink(missing_ok=True)
    new.replace(file)


def connected(file: Path) -> sqlite3.Connection:
    """A connection that only reads."""
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)


@contextmanager
def _made(file: Path, copy: Path) -> Iterator[Path]:
    """The whole copy or none: a file to write, which then has the name."""
    part = copy.with_name(f"{copy.name}.part")
    try:
        part.unlink(missing_ok=True)
        yield part
        part.chmod(0o600)
        with part.open("rb") as stream:
            os.fsync(stream.fileno())
        part.replace(copy)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or error
        raise NoBackup(f"no backup of {file}, which is left as it is: {why}") from None


def _copied(file: Path, part: Path) -> None:
    with closing(connected(file)) as source, closing(sqlite3.connect(part)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # a copy is one file
