"""`agent`: be the far station of a measurement on the air."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import Airtime, Callsign, Identify, InjectLoss, LiveFormat, Pcap, Profile, Set, Url


def agent(
    url: Url,
    callsign: Callsign = None,
    airtime: Airtime = None,
    profile: Profile = None,
    sets: Set = None,
    identify: Identify = None,
    count: Annotated[int | None, typer.Option(min=1, help="End after so many visitors have left.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after so long: '10 min'.")] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the injected loss.")] = None,
    pcap: Pcap = None,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="A line of words per visitor, or of JSON.")
    ] = LiveFormat.table,
) -> int:
    """Answers on the air as the far station: takes links, sends back blocks, and prints a line per visitor.

    A block of `sojourn measure` goes back once it is whole; anything else goes back as it comes. --callsign, --airtime
    and --profile must be given. Ctrl-C ends every link with DISC at once. Over XTP it is `sojourn listen` that answers.

    \b
    sojourn agent kiss+tcp://127.0.0.1:8001 --callsign PONG-1 --airtime '12 s' --profile afsk-1200
    sojourn agent axudp://0.0.0.0:10093 --callsign PONG-1 --airtime '12 s' --profile g3ruh-9600
    """
    from sojourn.cli import live, output  # noqa: PLC0415
    from sojourn.live import answer  # noqa: PLC0415

    with live.Watcher() as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            if report.kind in ("listening", "note"):
                output.say(live.line(report))
            else:
                output.data(live.line(report, form))

        on_air = {"callsign": callsign, "airtime": airtime, "identify": identify, "profile": profile, "set": sets}
        options = {"count": count, "duration": duration, "inject_loss": inject_loss, "seed": seed, "pcap": pcap}
        answer(url, told, watcher, **on_air, **options)
    return 0
