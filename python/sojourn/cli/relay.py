"""`relay`: a bad way between two hosts, for tests."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import LiveFormat


def relay(
    to: Annotated[str, typer.Option(metavar="HOST:PORT", help="The far host, where all is passed on to.")],
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Where the relay is reached, port 0 for any.")
    ] = "127.0.0.1:0",
    delay: Annotated[str | None, typer.Option(metavar="TIME", help="Every packet is so late: '20 ms'.")] = None,
    jitter: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="And later by up to this, evenly spread; packets keep their order: '5 ms'."),
    ] = None,
    loss: Annotated[str | None, typer.Option(metavar="SHARE", help="Datagrams lost by chance: '1 %'.")] = None,
    duplication: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Datagrams that arrive twice: '0.5 %'.")
    ] = None,
    reordering: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Datagrams held back so that others overtake them: '2 %'.")
    ] = None,
    hold: Annotated[str | None, typer.Option(metavar="TIME", help="How long those are held back. [10 ms]")] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="What the line carries, in bits of user data: '10 Mbit/s'.")
    ] = None,
    queue: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What waits for the line; more is lost: '30 kB'. [64 kB]")
    ] = None,
    outage: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="No datagram passes then, counted from the start: '10 s:15 s'."),
    ] = None,
    way: Annotated[
        str | None, typer.Option(metavar="WORD", help="Which way is bad: there (to the far host), back or both. [both]")
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Let other hosts reach it: whoever does reaches the far host through it.")
    ] = False,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after so long: '10 min'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all chances. [1]")] = None,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="What it did, in lines of words or of JSON.")
    ] = LiveFormat.table,
) -> int:
    """Passes UDP and TCP on to another host over a way that is late, slow, lossy or out for a while.

    Measure through it in place of the far host, and see what applications would feel on such a network, or whether a
    measurement finds what is known to be there. No rights are needed and nothing of the system is changed. The same
    seed gives the same packets of each direction, counted as they come, the same fate.

    UDP: each who reaches it comes from a port of his own at the far host. TCP at the same port: bytes are late and
    slow, and none is lost. With --rate all of one direction wait in one queue, datagrams behind the bytes of TCP, whose
    senders are held back when it is full. The relay itself adds some tens of
    microseconds, more on a busy host: run it once without options to see how many. Ways that differ there and back are
    two relays, one behind the other, each with its --way.

    Ctrl-C ends it, and it says what became of everything.

    \b
    sojourn agent sojourn://127.0.0.1:6040
    sojourn relay --to 127.0.0.1:6040 --listen 127.0.0.1:7000 --delay '20 ms' --jitter '5 ms' --loss '1 %' --seed 7
    sojourn measure sojourn://127.0.0.1:7000 --duration '10 s'

    \b
    sojourn relay --to 192.0.2.7:18620 --listen 127.0.0.1:7000 --rate '10 Mbit/s' --queue '250 kB'     a long queue
    sojourn relay --to 192.0.2.7:862 --listen 127.0.0.1:7000 --outage '10 s:15 s' --way back
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

        chances = {"loss": loss, "duplication": duplication, "reordering": reordering, "hold": hold}
        line = {"delay": delay, "jitter": jitter, "rate": rate, "queue": queue, "outage": outage, "way": way}
        begin(to, listen, told, watcher, seed=seed, open=open_, duration=duration, **chances, **line)
    return 0
