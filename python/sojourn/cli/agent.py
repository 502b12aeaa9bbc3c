"""`agent`: be the far end of a measurement, for hosts and on the air."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import Airtime, Callsign, Identify, InjectLoss, LiveFormat, NoCpuIdle, Pcap, Profile, Set

OWN_HOST = "sojourn://localhost"


def agent(
    url: Annotated[
        str,
        typer.Argument(
            metavar="[URL]", help="Where to serve, port 18620 unless named: sojourn://HOST, or a URL of the air."
        ),
    ] = OWN_HOST,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Serve those who have this key, from wherever. Mode 0600. [$SOJOURN_KEY]"),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Without a key, serve everyone, within tighter limits.")
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Of each session: packet-rate, bit-rate, volume, time, idle, packet-size, streams; and sessions, "
            "sessions-per-address. --limit 'bit-rate=100 Mbit/s'. Repeatable.",
        ),
    ] = None,
    no_cpu_idle: NoCpuIdle = False,
    callsign: Callsign = None,
    airtime: Airtime = None,
    profile: Profile = None,
    sets: Set = None,
    identify: Identify = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="End after so many sessions, or visitors on the air, have ended.")
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after so long: '10 min'.")] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the injected loss.")] = None,
    pcap: Pcap = None,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="A line of words per session or visitor, or of JSON.")
    ] = LiveFormat.table,
) -> int:
    """Serves those who measure: answers probes, takes and sends load, and on the air sends blocks back.

    Without a URL it serves its own host, at port 18620 of UDP and TCP. To be reached from elsewhere it needs a key that
    both ends have, or --open. Many may measure at once, each within the limits; a line tells of each session when it
    has ended, and the log on stderr of everything else. It runs until Ctrl-C, which ends every session with its
    results.

    On the air it is the far station: --callsign, --airtime and --profile must be given, a block goes back once it is
    whole, anything else as it comes, and Ctrl-C ends every link with DISC at once. Over XTP it is `sojourn listen` that
    answers.

    \b
    (umask 077; head -c 32 /dev/urandom | base64 > sojourn.key)     the key: copy it to the other host
    sojourn agent sojourn://0.0.0.0 --key-file sojourn.key
    sojourn agent 'sojourn://[::]:18620' --key-file sojourn.key --limit 'bit-rate=1 Gbit/s' --limit 'time=10 min'
    sojourn agent sojourn://0.0.0.0 --open --duration '1 h'
    sojourn agent kiss+tcp://127.0.0.1:8001 --callsign PONG-1 --airtime '12 s' --profile afsk-1200
    sojourn agent axudp://0.0.0.0:10093 --callsign PONG-1 --airtime '12 s' --profile g3ruh-9600
    """
    from sojourn.cli import live, output  # noqa: PLC0415
    from sojourn.live import answer  # noqa: PLC0415

    with live.Watcher() as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            if report.kind in ("listening", "note", "log"):
                output.say(live.line(report))
            else:
                output.data(live.line(report, form))

        serving = {"key_file": key_file, "open": open_, "limit": limit, "no_cpu_idle": no_cpu_idle}
        serving = {name: value for name, value in serving.items() if value}
        on_air = {"callsign": callsign, "airtime": airtime, "identify": identify, "profile": profile, "set": sets}
        options = {"count": count, "duration": duration, "inject_loss": inject_loss, "seed": seed, "pcap": pcap}
        answer(url, told, watcher, serving=serving or None, **on_air, **options)
    return 0
