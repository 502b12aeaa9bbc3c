"""`measure`: response time and throughput of a real network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import (
    Airtime,
    Callsign,
    Format,
    Identify,
    InjectLoss,
    NoCpuIdle,
    Out,
    Output,
    PacketSize,
    Pcap,
    Profile,
    Set,
)
from sojourn.errors import UserError


def measure(
    what: Annotated[
        str,
        typer.Argument(
            metavar="URL | FILE",
            help="The other end: sojourn://HOST, stamp://HOST, udp-echo://HOST, tcp-echo://HOST, xtp+udp://HOST:PORT, "
            "xtp+ip://HOST, kiss+tcp://HOST:PORT/CALL, kiss+serial://DEVICE?baud=RATE/CALL or axudp://HOST:PORT/CALL. "
            "Or a scenario of kind ip, whose probe and background are measured against --peer.",
        ),
    ],
    peer: Annotated[
        str | None, typer.Option(metavar="URL", help="With a FILE: the other end, as sojourn://HOST.")
    ] = None,
    exchanges: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Requests and their answers, one after the other. [1000, on the air 20; none if only --size is given]",
        ),
    ] = None,
    exchange_size: Annotated[
        str | None,
        typer.Option(metavar="SIZE,...", help="Bytes of a request and of its answer, or several: '64 B,1 KiB'. [64 B]"),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Bytes of a transfer. [10 MiB; none if only --exchanges is given]"),
    ] = None,
    packet_size: PacketSize = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="By the clock: how long to measure, or to load: '60 s'. [10 s, loaded 20 s]"),
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="By the clock: requests per second: '50 /s'. [100 /s]")
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="By the clock: periodic, poisson, burst:N or ping-pong, the latter with a pause if need be: "
            "'ping-pong,think=2 ms,spread=3 ms'. [periodic]",
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOAD",
            help="Load the network meanwhile: tcp:4, 'tcp:2,down,congestion=reno,pace=5 Mbit/s', 'udp:50 Mbit/s,up', "
            "each with start= and stop= if need be. Repeatable.",
        ),
    ] = None,
    idle: Annotated[
        str | None, typer.Option(metavar="TIME", help="Before a load: how long the network is measured idle. [5 s]")
    ] = None,
    recovery: Annotated[
        str | None, typer.Option(metavar="TIME", help="After a load: how long its recovery is measured. [5 s]")
    ] = None,
    voice: Annotated[
        str | None,
        typer.Option(metavar="CODEC", help="By the clock: voice instead of a schedule: g711, 'g729a,play-out=60 ms'."),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Against sojourn://: what carries requests and answers, udp or tcp. [udp]"),
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="By the clock: an answer that takes longer is a loss. [2 s]")
    ] = None,
    dscp: Annotated[int | None, typer.Option(min=0, max=63, help="By the clock: requests' code point. [0]")] = None,
    ecn: Annotated[int | None, typer.Option(min=0, max=3, help="By the clock: requests' ECN field. [0]")] = None,
    bind: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="By the clock: the address of this host to send from.")
    ] = None,
    pacing: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="By the clock: hybrid (sleep, then spin), sleep or spin. [as the processors allow]"
        ),
    ] = None,
    no_cpu_idle: NoCpuIdle = False,
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The agent's key, mode 0600. [$SOJOURN_KEY]")
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", help="What is to hold in every phase: 'response_time.p99 < 20 ms'. Repeatable."
        ),
    ] = None,
    callsign: Callsign = None,
    airtime: Airtime = None,
    identify: Identify = None,
    profile: Profile = None,
    sets: Set = None,
    probe: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="On the air: ping-pong, connect, test, digipeater or prompt. [ping-pong]"),
    ] = None,
    via_node: Annotated[
        list[str] | None,
        typer.Option(metavar="LINE", help="On the air: said to a node on the way, as 'C PONG-1'. Repeatable."),
    ] = None,
    replications: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Repeat all of it so often, for 95 % intervals. [1]")
    ] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the data sent and of the injected loss. [1]")] = None,
    out: Out = None,
    pcap: Pcap = None,
    form: Output = Format.table,
) -> int:
    """Measures response time and throughput against another host or a station on the air.

    By the clock (sojourn, stamp, udp-echo, tcp-echo): requests leave by a schedule, answered or not, and each is timed
    from when it left and from when it was to. The other host runs `sojourn agent`, or `sojourn listen` for the others.
    With --transport tcp an agent is asked over a connection, as applications that use one ask: what is lost on the way
    comes late, and all behind it. With --load the network is measured idle, loaded and while it recovers. Two seconds
    of calibration come first: what this host can tell at all. Ctrl-C ends it with what was measured.

    Over XTP the other host runs `sojourn listen`. Without --exchanges and --size both are measured; with one of them
    only that. A transfer is intact when the other end found the same SHA-256.

    A scenario that was simulated is measured with the same names, so that `sojourn compare` holds the two together: its
    [probe], [background] and [run] are done, and what it says of the network is told to be left out.

    On the air the far station runs `sojourn agent`, or sends blocks back some other way; the probes other than
    ping-pong need nothing of it. --callsign, --airtime and --profile must be given; Ctrl-C ends the link with DISC at
    once.

    Exit code 1: the other end was not there, went away, or got something else, or an --expect was missed.

    \b
    sojourn measure sojourn://host --key-file sojourn.key --duration '60 s'
    sojourn measure sojourn://host --load tcp:4 --duration '60 s' --out results
    sojourn measure sojourn://host --transport tcp --schedule ping-pong --exchange-size '64 B,16 KiB'
    sojourn measure sojourn://host --load tcp:1 --expect 'response_time.p99 < 20 ms' --expect 'loss < 1 %'
    sojourn measure sojourn://host --voice g711 --load 'udp:50 Mbit/s,down'
    sojourn measure scenario.toml --peer sojourn://host --out live
    sojourn measure stamp://192.0.2.1 --rate '10 /s' --dscp 46
    sojourn measure xtp+udp://127.0.0.1:36000
    sojourn measure xtp+udp://host:36000 --size '100 MiB' --packet-size '8 KiB' --replications 5
    sojourn measure xtp+udp://host:36000 --size '10 MiB' --inject-loss '5 %'
    sojourn measure xtp+ip://192.0.2.1 --exchanges 5000      as root: IP protocol 36
    sojourn measure kiss+tcp://127.0.0.1:8001/PONG-1 --callsign PING-1 --airtime '12 s' --profile afsk-1200
    sojourn measure axudp://host:10093/PONG-1?via=DIGI --callsign PING-1 --airtime '6 s' --profile g3ruh-9600
    """
    from sojourn.cli import live, output, simulate, summary  # noqa: PLC0415
    from sojourn.live import measure as begin  # noqa: PLC0415

    url, file = _ends(what, peer)
    with live.Watcher(machine=output.data if form is Format.json else None) as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            output.say(live.line(report))

        options = {"exchanges": exchanges, "exchange_size": exchange_size, "size": size, "packet_size": packet_size}
        on_air = {"callsign": callsign, "airtime": airtime, "identify": identify, "profile": profile, "set": sets}
        probing = {"probe": probe, "via_node": via_node, "expect": expect}
        plan = {
            "rate": rate,
            "schedule": schedule,
            "load": load or [],
            "idle": idle,
            "recovery": recovery,
            "timeout": timeout,
            "dscp": dscp,
            "ecn": ecn,
            "bind": bind,
            "pacing": pacing,
            "no_cpu_idle": no_cpu_idle or None,
            "voice": voice,
            "transport": transport,
            "key_file": str(key_file) if key_file else None,
        }
        timed = {"duration": duration, "plan": {key: value for key, value in plan.items() if value not in (None, [])}}
        common = {"inject_loss": inject_loss, "seed": seed, "replications": replications, "out": out, "pcap": pcap}
        outcome = begin(url, told, watcher, **options, **timed, **on_air, **probing, **common, file=file)
    output.warnings(outcome)
    if outcome.results is not None and form is Format.table:
        # what failed at once has told why, and has nothing to show
        if measured := [summary.of_point(outcome.results, point) for point in outcome.results.points if point.metrics]:
            output.data("\n\n".join(measured))
    elif outcome.results is not None:
        output.results(outcome, form)
    output.verdicts(outcome)
    if out is not None:
        simulate.keep(outcome, out)
    return 0 if outcome.all_well else 1


def _ends(what: str, peer: str | None) -> tuple[str, str | None]:
    """The other end's URL, and the scenario's file where there is one."""
    if "://" in what:
        if peer is not None:
            raise UserError("--peer names the other end for a scenario, and there is a URL already")
        return what, None
    if peer is None and not what.endswith(".toml") and not Path(what).exists():
        return what, None  # neither a scenario nor a URL: the latter's mistake is told
    if peer is None:
        raise UserError(
            f"nothing says where the other end is: sojourn measure {what} --peer sojourn://HOST, or a URL in its place"
        )
    return peer, what
