"""`serve`: the workbench, pages over a folder of scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The folder of scenarios. [.]")] = Path(),
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to serve at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="TCP port; 0 takes a free one.")] = 18622,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Links kept between starts, lines `NAME ROLE TOKEN`; written where there is none. [new ones]",
        ),
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate chain in PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key in PEM.")] = None,
    public_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="https://NAME of a reverse proxy in front, which terminates TLS."),
    ] = None,
    at_once: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Jobs that run at the same time; others wait.")
    ] = 2,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=1024, help="Threads of each job. [all processors]")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler that computes: tcp://HOST:8786, or local:8.")
    ] = None,
    no_measurements: Annotated[
        bool, typer.Option("--no-measurements", help="Pages simulate only, and start no measurement.")
    ] = False,
) -> int:
    """Serves the workbench: edit the scenarios of a folder in a browser, start jobs, look at results and history.

    It prints two links, each with a token: one may run (edit, start, stop), the other may view. A token file has more,
    each with a name that is shown beside the jobs of its visitors. Jobs are processes of
    `sojourn run`, `sweep`, `find`, `study` and `measure`; they go on when the browser is closed, and stop with the
    server. Their results are in .sojourn/jobs of the folder, finished replications in the cache: after a crash a job
    continues from them.

    Only this host reaches 127.0.0.1. Any other address needs TLS: a certificate, or a reverse proxy that has one.

    \b
    sojourn serve
    sojourn serve lab --jobs 8 --at-once 1
    sojourn serve lab --host 192.0.2.5 --tls-cert lab.crt --tls-key lab.key --token-file tokens
    sojourn serve lab --token-file tokens --public-url https://lab.example.org
    """
    from sojourn import platforms  # noqa: PLC0415
    from sojourn.extras import require  # noqa: PLC0415

    platforms.require("serve")
    for package in ("starlette", "uvicorn", "jinja2"):
        require(package, "the pages of `sojourn serve`")
    from dataclasses import replace  # noqa: PLC0415

    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.errors import UserError  # noqa: PLC0415
    from sojourn.workbench import server  # noqa: PLC0415
    from sojourn.workbench.access import Tokens  # noqa: PLC0415
    from sojourn.workbench.settings import Settings, refuse_unsafe  # noqa: PLC0415

    refuse_unsafe(host, tls_cert, tls_key, public_url)
    if cluster is not None and jobs is not None:
        raise UserError("--jobs are threads of this host: with --cluster leave it out")
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder")
    settings = Settings(
        folder=folder.resolve(),
        host=host,
        port=port,
        tokens=Tokens.fresh() if token_file is None else Tokens.of_file(token_file),
        tls_cert=tls_cert,
        tls_key=tls_key,
        public_url=public_url,
        threads=jobs,
        cluster=cluster,
        at_once=at_once,
        measures=not no_measurements,
    )
    listening = server.bound(host, port)
    settings = replace(settings, port=listening.getsockname()[1])

    def on_begin() -> None:
        for link in settings.tokens.links:
            whose = "" if link.name == link.role else f" ({link.name})"
            label = f"to {link.role}{whose}:"
            output.data(f"{label:<8} {settings.origin}/enter?token={link.token.revealed()}")
        output.print_message(f"serving {settings.folder}; Ctrl-C ends it")

    server.serve(settings, listening, on_begin)
    return 0
