"""`measure`: response time and throughput of a real network."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import Format, InjectLoss, Out, Output, PacketSize, Url


def measure(
    url: Url,
    exchanges: Annotated[
        int | None,
        typer.Option(
            min=0, help="Requests and their answers, one after the other. [1000; none if only --size is given]"
        ),
    ] = None,
    exchange_size: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Bytes of a request and of its answer. [64 B]")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Bytes of a transfer. [10 MiB; none if only --exchanges is given]"),
    ] = None,
    packet_size: PacketSize = None,
    replications: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Repeat all of it so often, for 95 % intervals. [1]")
    ] = None,
    inject_loss: InjectLoss = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the data sent and of the injected loss. [1]")] = None,
    out: Out = None,
    form: Output = Format.table,
) -> int:
    """Measures response time and throughput against another host that runs `sojourn listen`.

    Without --exchanges and --size both are measured; with one of them only that. A transfer is intact when the other
    end found the same SHA-256. Exit code 1: the other end was not there, went away, or got something else.

    \b
    sojourn measure xtp+udp://127.0.0.1:36000
    sojourn measure xtp+udp://host:36000 --size '100 MiB' --packet-size '8 KiB' --replications 5
    sojourn measure xtp+udp://host:36000 --size '10 MiB' --inject-loss '5 %'
    sojourn measure xtp+ip://192.0.2.1 --exchanges 5000      as root: IP protocol 36
    """
    from sojourn.cli import live, output, simulate, summary  # noqa: PLC0415
    from sojourn.cli.progress import ProgressLine, live_line  # noqa: PLC0415
    from sojourn.live import measure as begin  # noqa: PLC0415

    with ProgressLine(words=live_line) as progress:

        def told(report: live.Report) -> None:
            progress.close()
            output.say(live.line(report))

        options = {"exchanges": exchanges, "exchange_size": exchange_size, "size": size, "packet_size": packet_size}
        common = {"inject_loss": inject_loss, "seed": seed, "replications": replications, "out": out}
        outcome = begin(url, told, progress, **options, **common)
    output.warnings(outcome)
    if outcome.results is not None and form is Format.table:
        output.data("\n\n".join(summary.of_point(outcome.results, point) for point in outcome.results.points))
    elif outcome.results is not None:
        output.results(outcome, form)
    if out is not None:
        simulate.keep(outcome, out)
    return 0 if outcome.all_well else 1
