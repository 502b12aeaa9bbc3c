"""`mesh`: agents that measure each other, all the time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import monitor
from sojourn.cli.options import MonitorFormat, NoStore, Set


def mesh(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A document, as `sojourn new mesh` writes one.")],
    expect: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="An alert on every pair: 'response_time.p99 < 20 ms'. Repeatable."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Append windows, outages and alerts to files here, of a bounded size."),
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after this time: '24 h'.")] = None,
    on_alert: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Run by the shell as an alert is raised or cleared, with its line of JSON on the input; "
            "ended after 30 s.",
        ),
    ] = None,
    sets: Set = None,
    no_store: NoStore = False,
    form: Annotated[
        MonitorFormat,
        typer.Option("--format", help="A matrix in place on a terminal, else lines of text; or lines of JSON."),
    ] = MonitorFormat.table,
) -> int:
    """Has agents measure each other around the clock, in windows, with alerts, and serves the numbers to Prometheus.

    This host asks each agent of the document to measure all others, and collects what they measure: the requests leave
    from the agents. They run `sojourn agent --measures NETWORK` with the key of the document, and measure only while
    this host is connected. An agent that is away is an outage of what it measures, with the cause; it is asked again
    every two seconds, and no other pair is disturbed. Windows, alerts, files and numbers are those of
    `sojourn monitor`, with the agent that measured as `from`. The workbench (`sojourn serve`) shows the matrix.

    \b
    sojourn new mesh -o mesh.toml
    sojourn agent sojourn://0.0.0.0 --key-file sojourn.key --measures 192.0.2.0/24        on each host
    sojourn mesh mesh.toml --key-file sojourn.key --out meshed
    sojourn mesh mesh.toml --rate '2 /s' --window '30 s' --expect 'loss < 1 %' --format jsonl
    """
    from sojourn.live import mesh as begin  # noqa: PLC0415

    request = monitor.asked(
        ctx, file=file, set=sets or (), expect=expect or (), folder=out, duration=duration, on_alert=on_alert
    )
    monitor.follow(begin, request, form, command="mesh", stores=not no_store)
    return 0
