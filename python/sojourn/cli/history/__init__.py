"""`history`: past runs and measurements from the store."""

from sojourn.cli.history.commands import app

__all__ = ["app"]
