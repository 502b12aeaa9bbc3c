"""`cache`: how much finished replications take on disk, and removing them."""

from __future__ import annotations

from typing import Annotated

import typer


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of them.")] = False,
    unused: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Remove those that no command has used for this many days."),
    ] = None,
) -> None:
    """Shows the size of the cache of finished replications, or clears it.

    A command that is repeated or continued reads them in place of computing them again. Above 2 GiB the ones longest
    unused are removed by themselves.

    \b
    sojourn cache
    sojourn cache --unused 30
    sojourn cache --clear
    """
    from sojourn import replications  # noqa: PLC0415
    from sojourn.cli.output import data, print_message  # noqa: PLC0415
    from sojourn.units import format_size  # noqa: PLC0415

    folder = replications.folder()
    if clear or unused is not None:
        removed = replications.remove(folder, 0.0 if clear else unused or 0.0)
        print_message(f"removed {removed.count} replications, {format_size(removed.size)}")
    kept = replications.kept(folder)
    data(f"{folder}: {kept.count} replications, {format_size(kept.size)}")
