"""The list of the commands of `history`; without one it lists runs."""

from __future__ import annotations

import typer

from sojourn.cli.history import compare, export, healing, keep, listing, show, sql
from sojourn.cli.panels import Commands

app = typer.Typer(cls=Commands, rich_markup_mode=None, invoke_without_command=True)
app.callback(invoke_without_command=True)(listing.history)
app.command()(show.show)
app.command()(compare.compare)
app.command()(export.export)
app.command()(keep.tag)
app.command()(keep.prune)
app.command()(sql.sql)
app.command()(healing.check)
app.command()(healing.repair)
app.command()(healing.rebuild)
