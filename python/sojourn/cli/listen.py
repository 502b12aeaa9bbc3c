"""`listen`: be the other end of a measurement; on the air, hear what others say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import Format, InjectLoss, Out, Output, Pcap, Profile, Set, Url


def listen(
    url: Url,
    count: Annotated[
        int | None, typer.Option(min=1, help="End after so many associations, or frames heard on the air.")
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after so long: '10 min'.")] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="STAMP: answer those alone who have this key. Mode 0600. [$SOJOURN_KEY]"),
    ] = None,
    profile: Profile = None,
    sets: Set = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the injected loss.")] = None,
    out: Out = None,
    pcap: Pcap = None,
    form: Output = Format.table,
) -> int:
    """Answers those who measure over XTP, STAMP or an echo; on the air, tells who talks to whom and transmits nothing.

    XTP: requests come back as they are; a transfer is answered with its length and SHA-256; a line tells of each
    association. Whoever can send to the address given can make this host answer: 127.0.0.1 is this host alone, 0.0.0.0
    everybody.

    STAMP and the echoes of UDP and TCP send back what they get, never more, within a rate for each host and for all,
    and nothing to ports below 1024. With a key STAMP answers authentic probes alone.

    On the air: a table of utilisation, frames, retries, stations heard and who talks to whom, live on a terminal and at
    the end; --format json gives it as results. To answer as the far station of a measurement: `sojourn agent`.

    Ctrl-C ends it.

    \b
    sojourn listen xtp+udp://127.0.0.1:36000
    sojourn listen xtp+udp://0.0.0.0:36000 --count 1 --duration '1 min'
    sojourn listen xtp+ip://192.0.2.1           as root: IP protocol 36
    sojourn listen stamp://0.0.0.0:862          any STAMP device may measure against it
    sojourn listen udp-echo://127.0.0.1:7007
    sojourn listen kiss+tcp://127.0.0.1:8001 --profile afsk-1200
    sojourn listen kiss+serial:///dev/ttyUSB0?baud=9600 --profile hf-300 --duration '1 h' --format json
    """
    from sojourn.cli import live, output, simulate  # noqa: PLC0415
    from sojourn.live import listen as serve  # noqa: PLC0415

    with live.Watcher() as watcher:

        def told(report: live.Report) -> None:
            watcher.close()
            if report.kind in ("listening", "strangers", "note"):
                output.say(live.line(report))
            else:
                output.data(live.line(report, form))

        options = {"count": count, "duration": duration, "inject_loss": inject_loss, "profile": profile, "set": sets}
        serving = {"key_file": str(key_file)} if key_file else None
        outcome = serve(url, told, watcher, seed=seed, out=out, pcap=pcap, serving=serving, **options)
    output.warnings(outcome)
    if outcome.results is not None and form is Format.table:
        output.data(live.survey_table(watcher.survey or {}))
    elif outcome.results is not None:
        output.results(outcome, form)
    if out is not None:
        simulate.keep(outcome, out)
    return 0
