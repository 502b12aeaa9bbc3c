"""`history`: what was run and measured, from the store."""

from sojourn.cli.history.commands import app

__all__ = ["app"]
