"""`listen`: be the other end of a measurement."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import InjectLoss, LiveFormat, Url


def listen(
    url: Url,
    count: Annotated[int | None, typer.Option(min=1, help="End after so many associations.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="End after so long: '10 min'.")] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the injected loss.")] = None,
    form: Annotated[
        LiveFormat, typer.Option("--format", help="A line of words per association, or of JSON.")
    ] = LiveFormat.table,
) -> int:
    """Answers those who measure, and prints a line per association; Ctrl-C ends it.

    Requests come back as they are; a transfer is answered with its length and SHA-256. Whoever can send to the
    address given can make this host answer: 127.0.0.1 is this host alone, 0.0.0.0 everybody.

    \b
    sojourn listen xtp+udp://127.0.0.1:36000
    sojourn listen xtp+udp://0.0.0.0:36000 --count 1 --duration '1 min'
    sojourn listen xtp+ip://192.0.2.1           as root: IP protocol 36
    """
    from sojourn.cli import live, output  # noqa: PLC0415
    from sojourn.cli.progress import ProgressLine, live_line  # noqa: PLC0415
    from sojourn.live import listen as serve  # noqa: PLC0415

    with ProgressLine(words=live_line) as progress:

        def told(report: live.Report) -> None:
            progress.close()
            if report.kind in ("listening", "strangers"):
                output.say(live.line(report))
            else:
                output.data(live.line(report, form))

        options = {"count": count, "duration": duration, "inject_loss": inject_loss}
        serve(url, told, progress, seed=seed, **options)
    return 0
