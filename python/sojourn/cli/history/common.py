"""What the commands of `history` have in common: the store, a selection of runs, and how both are shown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.errors import UserError
from sojourn.store.times import moment

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from sojourn.store.queries import Selection
    from sojourn.store.settings import Place

MUCH = 10 << 20
"""Octets of records that take seconds to load."""


class HistoryFormat(StrEnum):
    """Formats of what the store holds."""

    table = "table"
    json = "json"
    csv = "csv"


Scenario = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of this scenario or study: its name, or its hash's beginning.")
]
Network = Annotated[str | None, typer.Option(metavar="KIND", help="Of this kind of network.")]
Host = Annotated[str | None, typer.Option(metavar="NAME", help="Run on this host.")]
Command = Annotated[str | None, typer.Option(metavar="WORD", help="Of this command: run, measure, monitor, ...")]
Tag = Annotated[str | None, typer.Option(metavar="WORD", help="With this tag.")]
Since = Annotated[
    str | None, typer.Option(metavar="TIME", help="Since an age (90 min, 1 d, 8 w) or a time in UTC (2026-03-01).")
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Until an age or a time in UTC.")]
Form = Annotated[HistoryFormat, typer.Option("--format", help="Format on standard output.")]


def require_extra() -> None:
    """The first line of every command: raises `UserError` where the platform has no store, `MissingExtra` where what
    reads it is not installed."""
    from sojourn import platforms  # noqa: PLC0415
    from sojourn.extras import require  # noqa: PLC0415

    platforms.require("history")
    require("sqlalchemy", "the commands of `sojourn history`")


def place() -> Place:
    """The store; `UserError` where recording is off."""
    from sojourn.store import settings  # noqa: PLC0415

    found = settings.place()
    if found is None:
        raise UserError(f"there is no store: {settings.VARIABLE} or {settings.configuration()} says off")
    return found


@contextmanager
def store() -> Iterator[Engine]:
    """The store, with all that waited for it."""
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import spool  # noqa: PLC0415
    from sojourn.store.database import opened  # noqa: PLC0415
    from sojourn.units import format_size  # noqa: PLC0415

    found = place()
    if octets := spool.waiting(found.spool):
        from sojourn.store.loading import load  # noqa: PLC0415

        if octets > MUCH:
            output.print_message(f"loading {format_size(octets)} of records into {found.shown}")
        load(found, wait=True)
    with opened(found) as engine:
        yield engine


@contextmanager
def reading() -> Iterator[Connection]:
    """A connection to the store, with all that waited for it."""
    with store() as engine, engine.connect().execution_options(reads=True) as connection:
        yield connection


def note_damaged(numbers: Sequence[int]) -> None:
    """Says which runs are left out because they are not what was recorded."""
    if numbers:
        from sojourn.cli import output  # noqa: PLC0415
        from sojourn.store.database import DamagedRun  # noqa: PLC0415

        output.note(f"left out: {DamagedRun(numbers)}")


def selection(**members: str | None) -> Selection:
    """The runs of these options."""
    from sojourn.store.queries import Selection  # noqa: PLC0415

    since, until = moment(members.pop("since")), moment(members.pop("until", None))
    return Selection(since_us=since, until_us=until, **members)


def written(rows: Sequence[dict[str, Any]], form: HistoryFormat) -> str:
    """Rows as JSON or CSV."""
    if form is HistoryFormat.json:
        return json.dumps(list(rows), indent=1, ensure_ascii=False, default=_plain)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return json.dumps(value, default=_plain) if isinstance(value, dict | list) else _plain(value)


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes | memoryview) else value
