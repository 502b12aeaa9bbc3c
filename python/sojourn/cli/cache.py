"""`cache`: shows the disk usage of finished replications, removes them, and merges the caches of shards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Shows, clears, limits or merges caches of finished replications.")

Folder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The cache in this folder. [the user's, as SOJOURN_CACHE names it]")
]


@app.command()
def status(folder: Folder = None) -> None:
    """Shows the size of the cache and its limit.

    A command that is repeated or continued reads finished replications in place of computing them again. Above the
    limit, 2 GiB unless another is set, the ones longest unused are removed.

    \b
    sojourn cache status
    sojourn cache status --folder shards/3
    """
    from sojourn import replications  # noqa: PLC0415
    from sojourn.cli.output import data  # noqa: PLC0415
    from sojourn.units import format_size  # noqa: PLC0415

    folder = folder or replications.folder()
    kept, limit = replications.kept(folder), replications.limit(folder)
    limited = "no limit" if limit is None else f"limit {format_size(limit)}"
    data(f"{folder}: {kept.count} replications, {format_size(kept.size)}, {limited}")


@app.command()
def clear(
    unused: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Only those that no command has used for this many days."),
    ] = None,
    folder: Folder = None,
) -> None:
    """Removes all replications, or those not used for some days.

    \b
    sojourn cache clear
    sojourn cache clear --unused 30
    """
    from sojourn import replications  # noqa: PLC0415
    from sojourn.cli.output import print_message  # noqa: PLC0415
    from sojourn.units import format_size  # noqa: PLC0415

    removed = replications.remove(folder or replications.folder(), unused or 0.0)
    print_message(f"removed {removed.count} replications, {format_size(removed.size)}")


@app.command()
def limit(
    size: Annotated[str, typer.Argument(metavar="SIZE", help="'500 MB', '20 GiB', or none.")],
    folder: Folder = None,
) -> None:
    """Limits the cache to a size, and removes what exceeds it, longest unused first.

    The limit holds from then on.

    \b
    sojourn cache limit '500 MB'
    sojourn cache limit none
    """
    from sojourn import replications  # noqa: PLC0415
    from sojourn.cli.output import print_message  # noqa: PLC0415
    from sojourn.units import format_size  # noqa: PLC0415

    removed = replications.limit_to(folder or replications.folder(), replications.parsed_size(size))
    print_message(f"removed {removed.count} replications, {format_size(removed.size)}")


@app.command()
def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER ... INTO", help="Caches, and the one they are copied to.")
    ],
) -> int:
    """Copies the replications of caches, those of shards, into one.

    What is there already or does not read back is left out, so it may be interrupted and repeated. A command with
    SOJOURN_CACHE=INTO then finds all of them. A cache that this makes has no limit.

    \b
    sojourn cache merge shards/* all
    SOJOURN_CACHE=all sojourn sweep site.toml --over 'probe.data=1 B,8 B' --replications 1000 --out out/sweep
    """
    from sojourn import replications  # noqa: PLC0415
    from sojourn.cli.output import print_message  # noqa: PLC0415

    *sources, into = folders
    merged = replications.merge(sources, into)
    print_message(f"{into}: {merged.added} replications added, {merged.present} were there already")
    if merged.damaged:
        print_message(f"{merged.damaged} were damaged and left out: the shards they are of compute them again")
    return 1 if merged.damaged else 0
