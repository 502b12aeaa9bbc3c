"""`agent`: the measurement server, for hosts and on the air."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import keyed
from sojourn.cli.options import (
    LARGEST_COUNT,
    LARGEST_SEED,
    InjectLoss,
    LiveFormat,
    NoCpuIdle,
    Overwrite,
    Pcap,
    Set,
)

OWN_HOST = "sojourn://localhost"


def agent(
    ctx: typer.Context,
    url: Annotated[
        str,
        typer.Argument(
            metavar="[URL]",
            help="Address to serve at, port 18620 by default: sojourn://HOST, or the URL of a radio or of an MS/TP "
            "trunk.",
        ),
    ] = OWN_HOST,
    key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Serve clients with this key, on any host: a file of mode 0600 or 0440, or a folder with a file for "
            "each client, named after it. [$SOJOURN_KEY]",
        ),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Without a key, serve all clients, within tighter limits.")
    ] = False,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NETWORK",
            help="With a key, measure other agents for clients with that key, those in this network (sojourn mesh): "
            "10.0.0.0/8. Repeatable.",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Limits of each session: packet-rate, bit-rate, volume, time, idle, packet-size, streams; and of all: "
            "sessions, sessions-per-address. --limit 'bit-rate=100 Mbit/s'. Repeatable.",
        ),
    ] = None,
    no_cpu_idle: NoCpuIdle = False,
    sets: Set = None,
    count: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=LARGEST_COUNT,
            help="End after this many sessions, or connections of a radio station.",
        ),
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after this time: '10 min'.")] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=LARGEST_SEED, help="Seed of the injected loss.")
    ] = None,
    pcap: Pcap = None,
    overwrite: Overwrite = False,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="One line of text, or of JSON, per session or connection.")
    ] = LiveFormat.table,
) -> int:
    """Runs the measurement server: responds to probes, sinks and sources traffic; on the air it returns blocks.

    Without a URL it serves its own host, at port 18620 of UDP and TCP. To be reached from other hosts it needs a key
    shared with the clients, or --open. Several clients can measure at once, each within the limits. A line reports
    each session when it has ended; the log goes to stderr. It runs until Ctrl-C, which ends every session with its
    results. Keys are read again when their files change; with --key-file SIGHUP does not end it.

    With --measures it also measures other agents, for a coordinator with its key and while that is connected
    (`sojourn mesh`): for no other client, and none outside the networks given.

    On the air it is the far station: --callsign, --airtime and --profile are required, a block is returned once it is
    complete, other data as it arrives, and Ctrl-C releases every link with DISC. XTP, STAMP and echo peers run
    `sojourn listen`.

    On an MS/TP trunk it is a device for tests, which answers ReadProperty of any object; on CAN a node for tests, which
    answers ReadDataByIdentifier of UDS and SDO uploads of CANopen.

    \b
    (umask 077; head -c 32 /dev/urandom | base64 > sojourn.key)     the key: copy it to the other host
    sojourn agent sojourn://0.0.0.0 --key-file sojourn.key
    sojourn agent 'sojourn://[::]:18620' --key-file sojourn.key --limit 'bit-rate=1 Gbit/s' --limit 'time=10 min'
    sojourn agent sojourn://0.0.0.0 --key-file sojourn.key --measures 192.0.2.0/24 --limit 'packet-rate=100 /s'
    sojourn agent sojourn://0.0.0.0 --open --duration '1 h'
    sojourn agent kiss+tcp://127.0.0.1:8001 --callsign PONG-1 --airtime '12 s' --profile afsk-1200
    sojourn agent axudp://0.0.0.0:10093 --callsign PONG-1 --airtime '12 s' --profile g3ruh-9600
    sojourn agent 'mstp:///dev/ttyUSB0?baud=38400&mac=7&device=1234'
    sojourn agent 'can-udp://239.74.163.2?request=7E0&node=5'
    """
    from sojourn.cli import live  # noqa: PLC0415
    from sojourn.live import Agent  # noqa: PLC0415
    from sojourn.live import agent as serve  # noqa: PLC0415

    if key_file is not None:
        # the agent looks at its key files twice a second, whether it is asked to or not
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with live.Watcher() as watcher:
        request = Agent(
            url=url,
            key_file=key_file,
            open=open_,
            measures=measures or (),
            no_cpu_idle=no_cpu_idle,
            limit=limit or (),
            options=keyed.given(ctx).changes,
            set=sets or (),
            count=count,
            duration=duration,
            inject_loss=inject_loss,
            seed=seed,
            pcap=pcap,
            overwrite=overwrite,
        )
        serve(request, watcher.printing(form), watcher)
    return 0
