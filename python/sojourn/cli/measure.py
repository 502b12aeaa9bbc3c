"""`measure`: response time and throughput of a real network."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli import keyed, panels
from sojourn.cli.ci import JUnit, JUnitUndecided, Reports, Summary, Undecided
from sojourn.cli.options import (
    HOSTS,
    LARGEST_COUNT,
    LARGEST_SEED,
    RADIO,
    SERVICES,
    Figures,
    Format,
    MeasureFormat,
    NoStore,
    Out,
    Overwrite,
    Pcap,
    Set,
    figure_formats,
    format_of_numbers,
)
from sojourn.errors import ScenarioError, UserError

if TYPE_CHECKING:
    from sojourn.scenario import Scenario


def measure(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="URL | FILE",
            help=f"The peer: {', '.join(HOSTS)}; {', '.join(SERVICES)}; {', '.join(RADIO)}. Or a document: a "
            "measurement, as `sojourn new ip-measurement` writes one, or a scenario whose probe and background are "
            "measured.",
        ),
    ],
    peer: Annotated[
        str | None, typer.Option(metavar="URL", help="With a FILE: the peer, in place of its measure.peer.")
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOAD",
            help="Load the path (latency under load): tcp:STREAMS or udp:RATE, then keys of [[load]]: tcp:4, "
            "'tcp:2,down,congestion=reno', 'udp:50 Mbit/s,dscp=8'. Repeatable.",
            rich_help_panel=panels.LOAD,
        ),
    ] = None,
    sets: Set = None,
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUES", help="An axis, as of `sojourn sweep`: each point is measured. Repeatable."),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", help="What every phase should meet: 'response_time.p99 < 20 ms'. Repeatable."
        ),
    ] = None,
    replications: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=LARGEST_COUNT, help="Repetitions, for 95 % CIs. [1]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=LARGEST_SEED, help="Seed of random schedules, data and injected loss. [1]"
        ),
    ] = None,
    out: Out = None,
    figures: Figures = None,
    pcap: Pcap = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    junit: JUnit = None,
    summary_file: Summary = None,
    junit_undecided: JUnitUndecided = Undecided.skipped,
    form: Annotated[
        MeasureFormat,
        typer.Option(
            "--format",
            callback=format_of_numbers,
            help="Format of the numbers on standard output; jsonl: a line an event, as it goes.",
        ),
    ] = MeasureFormat.table,
) -> int:
    """Measures response time and throughput to another host or a radio station.

    Most options are short for a key of a document, as --rate '50 /s' for --set 'measure.rate=50 /s'; several values of
    one, as in --rate '50,100 /s', are an axis. `sojourn new ip-measurement` writes such a document, and `sojourn schema
    ip` lists its keys with units and ranges.

    Timed tests (sojourn, stamp, udp-echo, tcp-echo) send requests on an open-loop schedule, and time each from when it
    was sent and from when it was scheduled, which avoids coordinated omission. The peer runs `sojourn agent`, or
    `sojourn listen` for the other protocols. With --transport tcp retransmissions and head-of-line blocking are
    included. With --load the path is measured idle, loaded and recovering. Two seconds of calibration come first: the
    noise floor of this host. Ctrl-C ends the test and keeps what was measured.

    Services (dns, http, https) and icmp need nothing at the peer. Their requests leave by the same schedules: a slow
    answer delays no later request. Those over connections are split into phases: resolve, connect, tls, first_byte
    and whole. DNS errors as NXDOMAIN, an HTTP status of 400 or above, refused connections and TLS errors are failures,
    counted by kind.

    Buses: modbus and modbus-rtu read a server again and again, mstp a property of a BACnet device as one more master of
    the trunk, can and can-udp a record of a node by UDS or an object of CANopen; exceptions and errors of devices are
    failures, counted by kind. Every request is sent once. On a serial line and on CAN the default is 10 requests per
    second, over MS/TP one.

    Over XTP the peer runs `sojourn listen`. Without --exchanges and --size both are measured, with one of them only
    that. A transfer is intact when the peer computed the same SHA-256.

    A scenario that was simulated is measured under the same names, for `sojourn compare`: its [probe], [background] and
    [run]. A warning lists its keys that real networks do not obey.

    Radio: the far station runs `sojourn agent` or returns blocks by other means; probes other than ping-pong need no
    agent. --callsign, --airtime and --profile are required. Ctrl-C releases the link with DISC.

    Exit code 1: peer unreachable, connection lost, payload corrupted, or an --expect missed.

    \b
    sojourn measure sojourn://host --key-file sojourn.key --duration '60 s'
    sojourn measure sojourn://host --load tcp:4 --duration '60 s' --out results
    sojourn measure sojourn://host --transport tcp --schedule ping-pong --exchange-size '64 B,16 KiB'
    sojourn measure sojourn://host --load tcp:1 --expect 'response_time.p99 < 20 ms' --expect 'loss < 1 %'
    sojourn measure sojourn://host --voice g711 --set measure.voice.playout_delay='60 ms' --load 'udp:50 Mbit/s,down'
    sojourn measure sojourn://host --rate '50,100,200 /s'
    sojourn measure measurement.toml --set load.streams=8
    sojourn measure scenario.toml --peer sojourn://host --out live
    sojourn measure stamp://192.0.2.1 --rate '10 /s' --dscp 46
    sojourn measure 'dns://192.0.2.53/www.example.org?type=AAAA' --rate '10 /s'
    sojourn measure https://www.example.org/ --rate '2 /s' --expect 'response_time.p95 < 300 ms'
    sojourn measure icmp://192.0.2.1 --rate '10 /s'
    sojourn measure 'modbus://192.0.2.7?unit=1&function=4&address=0&count=10' --rate '5 /s'
    sojourn measure 'modbus-rtu:///dev/ttyUSB0?baud=9600&parity=none&unit=17&count=10' --duration '60 s'
    sojourn measure 'mstp:///dev/ttyUSB0?baud=38400&mac=5&to=7' --duration '10 min' --pcap trunk.pcap
    sojourn measure 'can://can0?service=uds&request=7E0&response=7E8&data=22F190' --pcap bus.pcap
    sojourn measure 'can-udp://239.74.163.2:43113?service=sdo&node=5&index=1018&sub=1' --duration '10 s'
    sojourn measure xtp+udp://host:36000 --size '100 MiB' --packet-size '8 KiB' --replications 5
    sojourn measure xtp+ip://192.0.2.1 --exchanges 5000      as root: IP protocol 36
    sojourn measure kiss+tcp://127.0.0.1:8001/PONG-1 --callsign PING-1 --airtime '12 s' --profile afsk-1200
    sojourn measure axudp://host:10093/PONG-1?via=DIGI --callsign PING-1 --airtime '6 s' --profile g3ruh-9600
    """
    from sojourn.cli import interruption, live, output, simulate, summary  # noqa: PLC0415
    from sojourn.cli.events import Events  # noqa: PLC0415
    from sojourn.live import Measure  # noqa: PLC0415
    from sojourn.live import measure as begin  # noqa: PLC0415
    from sojourn.store.recording import record_run  # noqa: PLC0415

    formats = figure_formats(figures)
    reports = Reports.asked("measure", what, junit, summary_file, junit_undecided)
    url, file = _ends(what, peer)
    options = keyed.given(ctx)
    events = Events() if form is MeasureFormat.jsonl else None
    with live.Watcher(events) as watcher:

        def on_report(report: live.Report) -> None:
            watcher.close()
            output.print_message(live.line(report))
            if events is not None:
                events.report(report)

        request = Measure(
            peer=url,
            file=file,
            options=options.changes,
            load=load or (),
            set=sets or (),
            over=[*options.axes, *(over or [])],
            expect=expect or (),
            seed=seed,
            replications=replications,
            out=out,
            pcap=pcap,
            overwrite=overwrite,
        )
        outcome = begin(request, on_report, watcher)
    interruption.hold_back()
    if not no_store:
        record_run(outcome, output.note)
    reports.write_outcome(outcome)
    twin = _twin(file, [f"{change.key}={change.value}" for change in request.options], sets or []) if out else None
    with simulate.kept(outcome, out, scenario=twin, formats=formats):
        output.warnings(outcome)
        if events is not None:
            events.result(outcome)
        elif outcome.results is not None and form is MeasureFormat.table:
            # a point that failed at once was reported, and has nothing to show
            if measured := [
                summary.of_point(outcome.results, point) for point in outcome.results.points if point.metrics
            ]:
                said = summary.of_phases(outcome.results)
                output.data("\n\n".join([*([said] if said else []), *measured]))
        elif outcome.results is not None:
            output.results(outcome, Format(form.value))
        output.verdicts(outcome)
    return 0 if outcome.all_well else 1


def _twin(file: Path | None, options: list[str], sets: list[str]) -> Scenario | None:
    """The scenario that was measured, which the report simulates; None without a scenario."""
    from sojourn.scenario import LIVE, Scenario  # noqa: PLC0415

    if file is None:
        return None
    scenario = Scenario(file, tuple(change for change in (*options, *sets) if not change.startswith(LIVE)))
    with suppress(ScenarioError):
        return scenario if scenario.document() is not None else None
    return None


def _ends(what: str, peer: str | None) -> tuple[str | None, Path | None]:
    """The peer's URL and the document's file, at least one of them."""
    if "://" in what:
        if peer is not None:
            raise UserError("--peer is the peer of a document, and the argument is a URL already")
        return what, None
    if not what.endswith(".toml") and not Path(what).exists():
        return what, None  # neither a document nor a URL: reported as a mistake in the latter
    return peer, Path(what)
