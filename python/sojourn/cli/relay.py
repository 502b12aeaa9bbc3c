"""`relay`: a network emulator between two hosts, for tests."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import LiveFormat


def relay(
    to: Annotated[str, typer.Option(metavar="HOST:PORT", help="The remote host, to which everything is forwarded.")],
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Address to listen on, port 0 for any.")
    ] = "127.0.0.1:0",
    delay: Annotated[str | None, typer.Option(metavar="TIME", help="One-way delay: '20 ms'.")] = None,
    jitter: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Uniform jitter, from zero to this; packets stay in order: '5 ms'."),
    ] = None,
    loss: Annotated[str | None, typer.Option(metavar="SHARE", help="Random loss of datagrams: '1 %'.")] = None,
    duplication: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Probability of duplication: '0.5 %'.")
    ] = None,
    reordering: Annotated[str | None, typer.Option(metavar="SHARE", help="Probability of reordering: '2 %'.")] = None,
    reorder_delay: Annotated[
        str | None, typer.Option(metavar="TIME", help="Extra delay of reordered datagrams. [10 ms]")
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="Link rate, in bits of user data: '10 Mbit/s'.")
    ] = None,
    queue: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Queue limit in bytes, tail drop beyond it: '30 kB'. [64 kB]")
    ] = None,
    outage: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Outage: no datagram passes, from the start of the relay: '10 s:15 s'."),
    ] = None,
    direction: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Direction to impair: forward (to the remote host), reverse or both. [both]"),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Let other hosts reach the relay, and the remote host through it.")
    ] = False,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="Duration: '10 min'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed. [1]")] = None,
    form: Annotated[LiveFormat, typer.Option("--format", help="Report as text or as JSON lines.")] = LiveFormat.table,
) -> int:
    """Forwards UDP and TCP to another host through an emulated path (delay, jitter, loss, rate limit, outages).

    Measure through it in place of the remote host to see how applications respond to such a network, or to check that a
    measurement finds known impairments. It needs no privileges and changes nothing in the system. The same seed gives
    the same verdicts on the packets of each direction, in order of arrival.

    UDP: each client has a source port of its own towards the remote host. TCP on the same port is delayed and
    rate-limited, never lost. With --rate all traffic of one direction shares one queue, datagrams behind the bytes of
    TCP, whose flow control slows the senders when it is full. The relay itself adds some tens of microseconds, more on
    a busy host: run it once without options to measure them. For different impairments in each direction, chain two
    relays, each with its --direction.

    Ctrl-C ends it, and it reports the counts.

    \b
    sojourn agent sojourn://127.0.0.1:6040
    sojourn relay --to 127.0.0.1:6040 --listen 127.0.0.1:7000 --delay '20 ms' --jitter '5 ms' --loss '1 %' --seed 7
    sojourn measure sojourn://127.0.0.1:7000 --duration '10 s'

    \b
    sojourn relay --to 192.0.2.7:18620 --listen 127.0.0.1:7000 --rate '10 Mbit/s' --queue '250 kB'     a long queue
    sojourn relay --to 192.0.2.7:862 --listen 127.0.0.1:7000 --outage '10 s:15 s' --direction reverse
    """
    from sojourn.cli import live, output  # noqa: PLC0415
    from sojourn.live import relay as begin  # noqa: PLC0415

    with live.Watcher() as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            if report.kind in ("listening", "note"):
                output.say(live.line(report))
            else:
                output.data(live.line(report, form))

        chances = {"loss": loss, "duplication": duplication, "reordering": reordering}
        line = {"delay": delay, "jitter": jitter, "reorder_delay": reorder_delay, "rate": rate, "queue": queue}
        when = {"outage": outage, "direction": direction}
        begin(to, listen, told, watcher, seed=seed, open=open_, duration=duration, **chances, **line, **when)
    return 0
