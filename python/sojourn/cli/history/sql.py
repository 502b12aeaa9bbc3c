"""`history sql`: read-only SQL queries of the user."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.history.common import Form, HistoryFormat, place, reading, require_extra, written


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One statement of SQL.")],
    form: Form = HistoryFormat.table,
) -> int:
    """Answers a query in SQL, read-only.

    The tables and their columns: docs/reference/store.md. Times are microseconds since 1970.

    \b
    sojourn history sql 'SELECT command, count(*) FROM runs GROUP BY command'
    sojourn history sql 'SELECT name, max(p99) FROM targets JOIN windows ON targets.id = target_id GROUP BY name'
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import querying  # noqa: PLC0415

    with reading():
        pass  # what waits is part of the answer
    rows = querying.answer(place(), query)
    if form is not HistoryFormat.table:
        output.data(written(rows, form))
    elif rows:
        output.data(output.table([["" if v is None else str(v) for v in row.values()] for row in rows], list(rows[0])))
    else:
        output.print_message("no rows")
    return 0
