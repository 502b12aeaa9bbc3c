"""`listen`: a reflector of XTP, STAMP or an echo, a Modbus server; on the air, on MS/TP and on CAN, a monitor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import keyed
from sojourn.cli.options import (
    LARGEST_COUNT,
    LARGEST_SEED,
    Format,
    InjectLoss,
    Out,
    Output,
    Overwrite,
    Pcap,
    Set,
    Url,
)


def listen(
    ctx: typer.Context,
    url: Url,
    count: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=LARGEST_COUNT,
            help="End after this many associations, requests over a serial line, or frames heard on the air, "
            "on MS/TP or on CAN.",
        ),
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after this time: '10 min'.")] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="STAMP: authenticated packets only; mode 0600 or 0440. [$SOJOURN_KEY]"),
    ] = None,
    sets: Set = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=LARGEST_SEED, help="Seed of the injected loss.")
    ] = None,
    out: Out = None,
    pcap: Pcap = None,
    overwrite: Overwrite = False,
    form: Output = Format.table,
) -> int:
    """Runs an XTP, STAMP or echo reflector or a Modbus server; on the air, MS/TP and CAN, monitors and sends nothing.

    XTP: requests are returned as they are, transfers answered with their length and SHA-256, and a line reports each
    association. Every host that can send to the address is served: 127.0.0.1 is this host alone, 0.0.0.0 all.

    STAMP and the UDP and TCP echoes return no more than they receive, within a rate limit per host and in all, and
    nothing to ports below 1024. With a key STAMP reflects authenticated packets only.

    Modbus, over TCP or a serial line: a server for tests, whose registers hold their own addresses.

    MS/TP: a table of tokens, rotation, polls for master and errors, and of each station how long it takes, by the names
    of bacnet-stack's mstpcap (Treply, Tusage, Trpfm, Tder, Tpostpd), live on a terminal and at the end.

    CAN: a table of identifiers with their rates, intervals and, where the URL has a bit rate, their load.

    On the air: a table of utilization, frames, retries, stations heard and which stations talk to each other, live on a
    terminal and at the end; --format json writes it as results. The far station of a measurement is `sojourn agent`.

    Ctrl-C ends it.

    \b
    sojourn listen xtp+udp://127.0.0.1:36000
    sojourn listen xtp+udp://0.0.0.0:36000 --count 1 --duration '1 min'
    sojourn listen xtp+ip://192.0.2.1           as root: IP protocol 36
    sojourn listen stamp://0.0.0.0:862          any STAMP session-sender can use it
    sojourn listen udp-echo://127.0.0.1:7007
    sojourn listen modbus://127.0.0.1:5020?delay=5
    sojourn listen mstp:///dev/ttyUSB0?baud=38400 --duration '10 min' --pcap trunk.pcap
    sojourn listen can://can0?bit-rate=500000 --duration '1 min' --pcap bus.pcap
    sojourn listen kiss+tcp://127.0.0.1:8001 --profile afsk-1200
    sojourn listen kiss+serial:///dev/ttyUSB0?baud=9600 --profile hf-300 --duration '1 h' --format json
    """
    from sojourn.cli import interruption, live, output, simulate  # noqa: PLC0415
    from sojourn.live import Listen  # noqa: PLC0415
    from sojourn.live import listen as serve  # noqa: PLC0415

    with live.Watcher() as watcher:
        request = Listen(
            url=url,
            key_file=key_file,
            options=keyed.given(ctx).changes,
            set=sets or (),
            count=count,
            duration=duration,
            inject_loss=inject_loss,
            seed=seed,
            out=out,
            pcap=pcap,
            overwrite=overwrite,
        )
        outcome = serve(request, watcher.printing(form), watcher)
    interruption.hold_back()
    output.warnings(outcome)
    if outcome.results is not None and form is Format.table:
        output.data(live.survey_table(watcher.survey or {}))
    elif outcome.results is not None:
        output.results(outcome, form)
    if out is not None:
        simulate.keep(outcome, out)
    return 0
