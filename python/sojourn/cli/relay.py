"""`relay`: a network emulator between two hosts, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import LARGEST_SEED, LiveFormat, Set


def relay(
    to: Annotated[str, typer.Option(metavar="HOST:PORT", help="The remote host to forward to.")],
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Address to listen at; port 0 for any.")
    ] = "127.0.0.1:0",
    direction: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Direction to impair: forward (to the remote host), reverse or both. [both]"),
    ] = None,
    delay: Annotated[str | None, typer.Option(metavar="TIME", help="One-way delay: '20 ms'.")] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="TIME", help="Uniform additional delay up to this, in order: '5 ms'.")
    ] = None,
    loss: Annotated[str | None, typer.Option(metavar="SHARE", help="Loss probability of datagrams: '1 %'.")] = None,
    duplication: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Duplication probability of datagrams: '0.5 %'.")
    ] = None,
    reordering: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Reordering probability of datagrams: '2 %'.")
    ] = None,
    reorder_delay: Annotated[
        str | None, typer.Option(metavar="TIME", help="Additional delay of reordered datagrams. [10 ms]")
    ] = None,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Link rate (payload bit/s): '10 Mbit/s'.")] = None,
    rate_trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Rate over time: a trace of Mahimahi, or CSV with time (s) and rate (bit/s)."
        ),
    ] = None,
    queue: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Queue limit in bytes (tail drop): '30 kB'. [64 kB]")
    ] = None,
    outage: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Carry nothing in this interval after the start: '10 s:15 s'."),
    ] = None,
    scenario: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Emulate the path of the probe of this scenario (kind ip), with its [[event]]s."
        ),
    ] = None,
    set_: Set = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Accept other hosts, which thereby reach the remote host.")
    ] = False,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after this time: '10 min'.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, max=LARGEST_SEED, help="Random seed. [1]")] = None,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="Counters as lines of text, or of JSON.")
    ] = LiveFormat.table,
) -> int:
    """Forwards UDP and TCP to another host through an emulated path (delay, jitter, loss, rate limit, outages).

    Measure to its address in place of the remote host, to see response time on such a network, or whether a
    measurement finds a known impairment. It needs no privileges and changes nothing of the system. With the same seed
    the same datagrams of each direction are lost, duplicated or reordered, by their number.

    UDP: each client has a port of its own towards the remote host. TCP at the same port: bytes are delayed and rate
    limited, never lost. With --rate or --rate-trace each direction has one queue, shared by datagrams and TCP, whose
    senders are back-pressured when it is full. The emulator adds some tens of microseconds, more on a busy host:
    measure through it without options to find how much. For impairments that differ by direction, chain two of them,
    each with its --direction.

    --scenario takes the links, routers and events between the hosts of the [probe] of a scenario of kind "ip", so that
    the same outage can be simulated and measured. Times count from the start of the relay, which ends with the run.

    Ctrl-C ends it and prints its counters.

    \b
    sojourn agent sojourn://127.0.0.1:6040
    sojourn relay --to 127.0.0.1:6040 --listen 127.0.0.1:7000 --delay '20 ms' --jitter '5 ms' --loss '1 %' --seed 7
    sojourn measure sojourn://127.0.0.1:7000 --duration '10 s'

    \b
    sojourn relay --to 192.0.2.7:18620 --listen 127.0.0.1:7000 --rate '10 Mbit/s' --queue '250 kB'     bufferbloat
    sojourn relay --to 192.0.2.7:18620 --listen 127.0.0.1:7000 --rate-trace cell.down --direction reverse
    sojourn relay --to 192.0.2.7:862 --listen 127.0.0.1:7000 --outage '10 s:15 s' --direction reverse
    sojourn relay --to 192.0.2.7:862 --listen 127.0.0.1:7000 --scenario path.toml
    """
    from sojourn.cli import live  # noqa: PLC0415
    from sojourn.live import Relay, changes  # noqa: PLC0415
    from sojourn.live import relay as begin  # noqa: PLC0415

    impairments = {
        "direction": direction,
        "delay": delay,
        "jitter": jitter,
        "loss": loss,
        "duplication": duplication,
        "reordering": reordering,
        "reorder-delay": reorder_delay,
        "rate": rate,
        "rate-trace": None if rate_trace is None else str(rate_trace),
        "queue": queue,
        "duration": duration,
    }
    with live.Watcher() as watcher:
        request = Relay(
            to=to,
            listen=listen,
            options=changes({f"--{name}": (name, value) for name, value in impairments.items()}),
            open=open_,
            outage=outage,
            scenario=scenario,
            set=set_ or (),
            seed=seed,
        )
        begin(request, watcher.printing(form), watcher)
    return 0
