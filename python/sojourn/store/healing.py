"""What is damaged of a store, and its repair."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sojourn import framing
from sojourn.store import aside, backup, checksums, spool
from sojourn.store.database import DamagedRun, StoreError, StoreIsNewer, opened
from sojourn.store.loading import load
from sojourn.store.recovery import integrity, recover
from sojourn.store.settings import Place
from sojourn.store.waiting import StoreBusy


@dataclass
class Found:
    """What a check found."""

    damage: list[str] = field(default_factory=list)
    """A sentence for each thing that is damaged."""
    kept: list[Path] = field(default_factory=list)
    """Files with what was put aside before; all else is sound."""
    runs: int = 0
    """Runs that were read."""


def check(place: Place) -> Found:
    """Reads all records that wait and the whole database; changes nothing but the schema of an earlier version."""
    found = Found(kept=sorted(file for file in _aside(place) if file.exists()))
    for file, numbers in spool.damaged(place.spool):
        found.damage.append(f"{framing.where(file, numbers)} of the records that wait cannot be read")
    wrong = _of_file(place)
    found.damage += wrong
    if wrong:
        return found
    try:
        with opened(place) as engine, engine.connect().execution_options(reads=True) as connection:
            found.runs = checksums.count(connection)
            numbers = checksums.damaged(connection)
    except (StoreBusy, StoreIsNewer):
        raise
    except StoreError as error:
        if not place.is_postgresql:
            found.damage.append(str(error))
            return found
        raise
    found.damage += [str(DamagedRun(numbers)).partition(":")[0]] if numbers else []
    return found


def repair(place: Place) -> list[str]:
    """Puts aside what is damaged, and keeps all else; a sentence for each thing that it did, none where all is sound.

    A database of SQLite is copied before anything of it changes.
    """
    done = []
    with spool.only_loader(place.spool, wait=True):
        file = backup.file_of(place)
        if file is not None and file.exists() and not _is_sound(place):
            done += _repair_file(place, file)
        done += _runs_put_aside(place)
    damaged = sum(len(numbers) for _, numbers in spool.damaged(place.spool))
    load(place, wait=True)
    if damaged:
        done.append(f"{damaged} records that waited are put aside, all others are loaded")
    return done


@contextmanager
def new_database(file: Path) -> Iterator[Place]:
    """A database with the tables and nothing in them, which replaces a file when the body is done."""
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}-") as folder:
        made = Place(f"sqlite:///{folder}/new", Path(folder) / "spool")
        with opened(made):
            pass
        yield made
        _install(Path(folder) / "new", file)


def _repair_file(place: Place, file: Path) -> list[str]:
    done = [f"{file} was copied to {backup.before_repair(file)}"]
    if not _of_file(place) and not _unreadable(place):
        return done
    with new_database(file) as made:
        new = backup.file_of(made)
        assert new is not None
        unfit = recover(file, new, aside.file_of(place))
        with opened(made) as engine, engine.begin() as connection:
            checksums.fill(connection)
            runs = checksums.count(connection)
    return [*done, f"{runs} runs were recovered, {unfit} rows that fit no more are put aside"]


def _runs_put_aside(place: Place) -> list[str]:
    with opened(place) as engine:
        numbers = aside.put_runs_aside(engine, place)
    if not numbers:
        return []
    shown = ", ".join(map(str, numbers))
    return [f"damaged runs were put aside in {aside.file_of(place)}: {shown}"]


def _of_file(place: Place) -> list[str]:
    file = backup.file_of(place)
    if file is None or not file.exists():
        return []
    return [f"{file}: {words}" for words in integrity(file)]


def _unreadable(place: Place) -> bool:
    try:
        with opened(place) as engine, engine.connect().execution_options(reads=True) as connection:
            checksums.damaged(connection)
    except (StoreBusy, StoreIsNewer):
        raise
    except StoreError:
        return True
    return False


def _is_sound(place: Place) -> bool:
    return not check(place).damage


def _install(new: Path, file: Path) -> None:
    """Into the file that other programs may have open, or in its place where SQLite cannot write to it."""
    with closing(sqlite3.connect(new)) as source:
        source.execute("PRAGMA journal_mode = DELETE")
        try:
            with closing(sqlite3.connect(file)) as target:
                source.backup(target)
            if not integrity(file):
                return
        except sqlite3.Error:
            pass
    backup.put_in_place(file, new)


def _aside(place: Place) -> set[Path]:
    return {aside.file_of(place), *place.spool.glob(f"*{framing.DAMAGED}")}
