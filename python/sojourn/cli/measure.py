"""`measure`: response time and throughput of a real network."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import (
    Airtime,
    Callsign,
    Format,
    Identify,
    InjectLoss,
    Out,
    Output,
    PacketSize,
    Pcap,
    Profile,
    Set,
    Url,
)


def measure(
    url: Url,
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
    callsign: Callsign = None,
    airtime: Airtime = None,
    identify: Identify = None,
    profile: Profile = None,
    sets: Set = None,
    probe: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="On the air: ping-pong, connect, test, digipeater or prompt. [ping-pong]"),
    ] = None,
    through: Annotated[
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

    The other host runs `sojourn listen`. Without --exchanges and --size both are measured; with one of them only that.
    A transfer is intact when the other end found the same SHA-256.

    The far station runs `sojourn agent`, or sends blocks back some other way; the probes other than ping-pong need
    nothing of it. --callsign, --airtime and --profile must be given; Ctrl-C ends the link with DISC at once.

    Exit code 1: the other end was not there, went away, or got something else.

    \b
    sojourn measure xtp+udp://127.0.0.1:36000
    sojourn measure xtp+udp://host:36000 --size '100 MiB' --packet-size '8 KiB' --replications 5
    sojourn measure xtp+udp://host:36000 --size '10 MiB' --inject-loss '5 %'
    sojourn measure xtp+ip://192.0.2.1 --exchanges 5000      as root: IP protocol 36
    sojourn measure kiss+tcp://127.0.0.1:8001/PONG-1 --callsign PING-1 --airtime '12 s' --profile afsk-1200
    sojourn measure axudp://host:10093/PONG-1?via=DIGI --callsign PING-1 --airtime '6 s' --profile g3ruh-9600
    """
    from sojourn.cli import live, output, simulate, summary  # noqa: PLC0415
    from sojourn.live import measure as begin  # noqa: PLC0415

    with live.Watcher(machine=output.data if form is Format.json else None) as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            output.say(live.line(report))

        options = {"exchanges": exchanges, "exchange_size": exchange_size, "size": size, "packet_size": packet_size}
        on_air = {"callsign": callsign, "airtime": airtime, "identify": identify, "profile": profile, "set": sets}
        probing = {"probe": probe, "through": through}
        common = {"inject_loss": inject_loss, "seed": seed, "replications": replications, "out": out, "pcap": pcap}
        outcome = begin(url, told, watcher, **options, **on_air, **probing, **common)
    output.warnings(outcome)
    if outcome.results is not None and form is Format.table:
        output.data("\n\n".join(summary.of_point(outcome.results, point) for point in outcome.results.points))
    elif outcome.results is not None:
        output.results(outcome, form)
    if out is not None:
        simulate.keep(outcome, out)
    return 0 if outcome.all_well else 1
