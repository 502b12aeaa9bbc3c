"""`monitor`: continuous measurement of many targets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli import keyed
from sojourn.cli.options import HOSTS, SERVICES, MonitorFormat, NoStore, Set
from sojourn.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sojourn.live import Monitor

    Begin = Callable[[Monitor, Callable[[dict[str, Any], str], None]], None]


def monitor(
    ctx: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|URL ...",
            help="A document with targets, as `sojourn new monitor` writes one, or URLs: "
            f"{', '.join((*HOSTS[:4], *SERVICES))}; or both.",
        ),
    ],
    expect: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="An alert on every target: 'response_time.p99 < 20 ms'. Repeatable."),
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
        typer.Option("--format", help="A table in place on a terminal, else lines of text; or lines of JSON."),
    ] = MonitorFormat.table,
) -> int:
    """Measures many targets around the clock, in windows, with alerts, and serves the numbers to Prometheus.

    Each target gets requests at a low rate, open loop. A window has the metrics of `sojourn measure` with the same
    intervals. A condition of [expect] that two windows in a row miss raises an alert, two that meet it clear the alert
    (raise_after and clear_after of [monitor]). Whatever happens to a target, unreachable at the start, gone, restarted,
    is an outage of that target: the monitor goes on and tries again. It runs until Ctrl-C or SIGTERM. Names are
    resolved again as an outage begins and every few minutes. A pause of this host is an event of its own, no loss.

    With --out every window, outage and alert is a line of JSON in a file for each day, written as it happens; the same
    command continues there. Below 2 % of a processor for ten targets at 10 requests per second.

    \b
    sojourn monitor sojourn://192.0.2.7 stamp://192.0.2.1 --expect 'response_time.p99 < 20 ms' --expect 'loss < 1 %'
    sojourn new monitor -o monitor.toml
    sojourn monitor monitor.toml --out monitored
    sojourn monitor monitor.toml --metrics 192.0.2.5:18621 --format jsonl
    sojourn monitor icmp://192.0.2.9 https://www.example.org/ --rate '1 /min' --timeout '5 s'
    sojourn monitor icmp://www.example.org --addresses all --quiet '22:00-06:00' --on-alert 'mail -s alert noc'
    sojourn monitor udp-echo://192.0.2.9:7 --window '10 s' --rate '2 /s' --duration '24 h'
    """
    from sojourn.live import monitor as begin  # noqa: PLC0415

    file, urls = _targets(what)
    request = asked(
        ctx, file=file, urls=urls, set=sets or (), expect=expect or (), folder=out, duration=duration, on_alert=on_alert
    )
    follow(begin, request, form, command="monitor", stores=not no_store)
    return 0


def asked(ctx: typer.Context, **given: Any) -> Monitor:
    """What a command asks for, with the keys that its options set."""
    from sojourn.live import Monitor  # noqa: PLC0415

    return Monitor(options=keyed.given(ctx).changes, **given)


def follow(begin: Begin, request: Monitor, form: MonitorFormat, *, command: str, stores: bool) -> None:
    """Shows and records each line until the end."""
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.cli.monitoring import Monitoring  # noqa: PLC0415
    from sojourn.store import settings  # noqa: PLC0415
    from sojourn.store.recording import MonitorRecorder  # noqa: PLC0415

    place = settings.place() if stores else None
    recorded = asdict(request) | {"command": command}
    recorder = MonitorRecorder(recorded, place, output.note) if place is not None else None

    with Monitoring(machine=form is MonitorFormat.jsonl) as shown:

        def on_line(line: dict[str, Any], text: str) -> None:
            if recorder is not None:
                recorder.line(line)
            shown.line(line, text)

        begin(request, on_line)


def _targets(what: Sequence[str]) -> tuple[Path | None, list[str]]:
    """The document, if one is given, and the URLs."""
    files = [Path(word) for word in what if "://" not in word and (word.endswith(".toml") or Path(word).exists())]
    if len(files) > 1:
        raise UserError(f"{files[1]} is a second document, and a monitor has one: write all targets into it")
    return (files[0] if files else None), [word for word in what if Path(word) not in files]
