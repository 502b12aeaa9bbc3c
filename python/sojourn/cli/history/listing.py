"""`history`: the runs of the store, and the targets that monitors watched."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sojourn.cli.history.common import (
    Command,
    Form,
    HistoryFormat,
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
    written,
)
from sojourn.store.times import clock, moment

MOST = 20


def history(
    ctx: typer.Context,
    scenario: Scenario = None,
    network: Network = None,
    host: Host = None,
    command: Command = None,
    tag: Tag = None,
    since: Since = None,
    until: Until = None,
    all_: Annotated[bool, typer.Option("--all", help=f"All runs, in place of the latest {MOST}.")] = False,
    form: Form = HistoryFormat.table,
) -> int:
    """Lists what was run, measured and monitored, the latest first, from the store of results.

    Every run, sweep, find, study, measure and monitor is recorded: document, settings, build, host, metrics with
    intervals and verdicts. The store is a file of SQLite in the user's data folder, or a PostgreSQL server that
    SOJOURN_STORE names; SOJOURN_STORE=off records nothing, --no-store not this once. Passwords never enter it.

    With --since also each target of a monitor: its requests, losses and quantiles in that time, and its outages.

    \b
    sojourn history
    sojourn history --since '1 d'
    sojourn history --scenario site --network lontalk
    sojourn history show 12
    SOJOURN_STORE=postgresql://lab@db.example.org/sojourn?sslmode=verify-full sojourn history --host gw-3
    """
    if ctx.invoked_subcommand is not None:
        return 0
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import queries  # noqa: PLC0415

    chosen = selection(
        scenario=scenario, network=network, host=host, command=command, tag=tag, since=since, until=until
    )
    with reading() as connection:
        listed = queries.list_runs(connection, chosen, None if all_ or form is not HistoryFormat.table else MOST)
        rows, damaged = queries.sound(listed)
        watched = []
        if chosen.since_us is not None:
            end = moment(until) or moment("0 min")
            watched = queries.watched(connection, chosen.since_us, end or 0)
    note_damaged(damaged)
    if form is not HistoryFormat.table:
        output.data(written(rows, form))
        return 0
    if not listed:
        output.print_message("no runs in the store" if chosen == queries.Selection() else "no such runs in the store")
        return 0
    output.data(_table(rows))
    if watched:
        output.data("\n" + _targets(watched))
    if len(listed) == MOST and not all_:
        output.print_message(f"\nthe latest {MOST}; all of them with --all")
    return 0


def _table(rows: list[dict[str, Any]]) -> str:
    from sojourn.cli import output  # noqa: PLC0415

    head = ["run", "began (UTC)", "command", "scenario", "network", "host", "points", "verdicts", "tags"]
    return output.table(
        [
            [
                str(row["id"]),
                clock(row["begin_us"]),
                row["command"],
                row["name"],
                row["network"] or "",
                row["host"] or "",
                str(row["points"] or ""),
                ", ".join(f"{count} {verdict}" for verdict, count in sorted(row["verdicts"].items())),
                ", ".join(row["tags"]),
            ]
            for row in rows
        ],
        head,
    )


def _targets(rows: list[dict[str, Any]]) -> str:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.units import format_duration, format_value, percent_lost  # noqa: PLC0415

    head = ["target", "host", "windows", "sent", "lost", "p50", "p99", "outages", "without response"]
    return output.table(
        [
            [
                row["target"],
                row["host"],
                str(row["windows"]),
                str(row["sent"]),
                "–" if row["loss"] is None else percent_lost(row["loss"], digits=2),
                format_value(row["p50"], "s"),
                format_value(row["p99"], "s"),
                str(row["outages"]),
                format_duration(row["outage_s"]) if row["outage_s"] else "–",
            ]
            for row in rows
        ],
        head,
    )
