"""`history check`, `history repair` and `history rebuild`: damage of the store, and how it heals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.history.common import place, require_extra


def check() -> int:
    """Reads the whole history and says what of it is damaged: exit code 1 where something is.

    Every record that waits has a checksum, and so has every run in the database; SQLite also checks its file, as PRAGMA
    integrity_check does. What is damaged never changes a number in silence: a run whose checksum is another one is not
    shown. Nothing is changed, except that the tables of an earlier version are first brought up to date, as by every
    command of `history`.

    \b
    sojourn history check
    sojourn history check || sojourn history repair
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import healing  # noqa: PLC0415

    found = healing.check(place())
    for file in found.kept:
        output.print_message(f"{file} keeps what was damaged before; delete it when you need it no more")
    if found.damage:
        output.data("\n".join(found.damage))
        output.print_message("`sojourn history repair` puts aside what is damaged and keeps all else")
        return 1
    output.data(f"the history is sound: {found.runs} runs")
    return 0


def repair() -> int:
    """Puts aside what is damaged of the history and keeps everything else.

    A database of SQLite is first copied beside itself, named with the time. Then every row that reads is copied into
    new tables with new indexes. A run whose checksum is another one moves to a file that ends in .damaged, as do
    records that waited and do not read: nothing is deleted for good. Of a PostgreSQL server the backup is its
    administrator's (pg_dump).

    What is lost is made anew from results: sojourn history rebuild.

    \b
    sojourn history check
    sojourn history repair
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import healing  # noqa: PLC0415

    done = healing.repair(place())
    output.data("\n".join(done) if done else "the history is sound: nothing to repair")
    return 0


def rebuild(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER ...", help="Folders of results (--out), of monitors, or folders of such."),
    ],
) -> int:
    """Makes the history anew from folders of results, and keeps the old database beside it as a backup.

    Each folder is searched, however deep, for the results.json of a run and for the files of a monitor. Records that
    wait are loaded as well. The new history has what the folders have: tags, and runs without --out, are in the backup
    alone. A run that is in several folders, or found twice, is in it once. Exit code 1 where a folder did not read.

    A PostgreSQL server that has runs is not replaced: its administrator creates an empty database, which this fills.

    \b
    sojourn history rebuild results studies/out
    sojourn history rebuild ~/lab/.sojourn/jobs monitored
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store.rebuilding import rebuild  # noqa: PLC0415

    done = rebuild(place(), folders)
    for sentence in done.unread:
        output.print_message(f"not in the history: {sentence}")
    if done.backup is not None:
        output.print_message(f"the old history is kept in {done.backup}")
    output.data(f"the history has {done.runs} runs")
    return 1 if done.unread else 0
