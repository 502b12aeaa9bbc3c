"""`history export`: runs or windows of the store, for other programs."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.history.common import (
    Command,
    Host,
    Network,
    Scenario,
    Since,
    Tag,
    Until,
    note_damaged,
    reading,
    require_extra,
    selection,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from sojourn.store.queries import Selection


class ExportFormat(StrEnum):
    """Formats of an export."""

    jsonl = "jsonl"
    csv = "csv"


def export(
    scenario: Scenario = None,
    network: Network = None,
    host: Host = None,
    command: Command = None,
    tag: Tag = None,
    since: Since = None,
    until: Until = None,
    target: Annotated[str | None, typer.Option(metavar="NAME", help="The windows of this target, not runs.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A file. [standard output]")] = None,
    form: Annotated[
        ExportFormat, typer.Option("--format", help="A run or window a line in JSON, or a metric or window a row.")
    ] = ExportFormat.jsonl,
) -> int:
    """Writes runs with all their metrics, or the windows of a target, as lines of JSON or as CSV.

    \b
    sojourn history export --since '30 d' -o march.jsonl
    sojourn history export --scenario site --format csv | head
    sojourn history export --target gw --since '7 d' --format csv -o gw.csv
    """
    require_extra()
    chosen = selection(
        scenario=scenario, network=network, host=host, command=command, tag=tag, since=since, until=until
    )
    opened = nullcontext(sys.stdout) if out is None else out.open("w", encoding="utf-8")
    damaged: list[int] = []
    with reading() as connection, opened as stream:
        rows = _runs(connection, chosen, form, damaged) if target is None else _windows(connection, target, chosen)
        _write(rows, form, stream)
    note_damaged(damaged)
    return 1 if damaged else 0


def _write(rows: Iterator[dict[str, Any]], form: ExportFormat, stream: Any) -> None:
    import csv  # noqa: PLC0415
    import json  # noqa: PLC0415

    if form is ExportFormat.jsonl:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False, default=_hex) + "\n")
        return
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({name: json.dumps(value) if isinstance(value, dict) else value for name, value in row.items()})


def _runs(
    connection: Connection, chosen: Selection, form: ExportFormat, damaged: list[int]
) -> Iterator[dict[str, Any]]:
    from sojourn.cli.history.show import flat  # noqa: PLC0415
    from sojourn.store import queries  # noqa: PLC0415
    from sojourn.store.database import DamagedRun  # noqa: PLC0415

    for row in reversed(queries.list_runs(connection, chosen)):
        try:
            found = queries.run(connection, row["id"])
        except DamagedRun:
            damaged.append(row["id"])
            continue
        yield from [found] if form is ExportFormat.jsonl else flat(found)


def _windows(connection: Connection, target: str, chosen: Selection) -> Iterator[dict[str, Any]]:
    from sojourn.store import queries  # noqa: PLC0415

    return queries.windows_of(connection, target, chosen.since_us, chosen.until_us)


def _hex(value: Any) -> str:
    return bytes(value).hex()
