"""`history tag` and `history prune`: labels for runs, and removal of old ones."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.history.common import require_extra, store
from sojourn.store.settings import HOURS, WINDOWS
from sojourn.store.times import moment


def tag(
    run: Annotated[int, typer.Argument(metavar="RUN", help="Its number, as `sojourn history` lists it.")],
    tags: Annotated[list[str], typer.Argument(metavar="TAG ...", help="Words of your own.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove them.")] = False,
) -> int:
    """Adds tags to a run, or removes them.

    \b
    sojourn history tag 12 baseline before-upgrade
    sojourn history tag 12 baseline --remove
    sojourn history --tag before-upgrade
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import tagging  # noqa: PLC0415

    with store() as engine:
        shown = tagging.change(engine, run, tags, remove=remove)
    output.print_message(f"run {run}: {', '.join(shown) or 'no tags'}")
    return 0


def prune(
    windows: Annotated[str, typer.Option(metavar="AGE", help="Windows older than this become hours.")] = WINDOWS,
    hours: Annotated[str, typer.Option(metavar="AGE", help="Hours older than this become days.")] = HOURS,
    runs: Annotated[
        str | None, typer.Option(metavar="AGE", help="Runs older than this are deleted, except monitors. [none]")
    ] = None,
) -> int:
    """Rolls up old windows of monitors into hours, and old hours into days; deletes old runs if asked.

    An hour or a day keeps the number of windows, of requests and of answers, the sum of the response times and their
    histogram: quantiles over any time stay within 0.8 %, and no request is lost or counted twice. Outages and alerts
    stay.

    With a table [retention] in config.toml a monitor does the same once an hour: windows = "7 d", hours = "90 d".

    \b
    sojourn history prune
    sojourn history prune --windows '7 d' --hours '90 d'
    sojourn history prune --runs '3 y'
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import retention  # noqa: PLC0415

    before = [moment(text) or 0 for text in (windows, hours)]
    with store() as engine:
        rolled = retention.roll_up(engine, before[0], before[1])
        deleted = 0 if runs is None else retention.delete_runs(engine, moment(runs) or 0)
        if any(rolled) or deleted:
            retention.shrink(engine)
    output.print_message(f"{rolled[0]} windows became hours, {rolled[1]} hours became days, {deleted} runs deleted")
    return 0
