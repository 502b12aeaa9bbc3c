"""The options of a live command in groups: IP first, then what all have, then HTTP, XTP and packet radio."""

from __future__ import annotations

from typing import Any

import typer.core

IP = "Timed tests over IP"
LOAD = "Load of the path"
OPTIONS = "Options"
SERVICES = "Services over HTTP"
XTP = "XTP"
RADIO = "Packet radio"
ORDER = (IP, LOAD, OPTIONS, SERVICES, XTP, RADIO)


class GroupedCommand(typer.core.TyperCommand):
    """A command whose help lists its options by group (`rich_help_panel`)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{name: [] for name in ORDER}}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None:
                is_argument = parameter.param_type_name == "argument"
                group = getattr(parameter, "rich_help_panel", None) or OPTIONS
                groups["Arguments" if is_argument else group].append(row)
        for name, rows in groups.items():
            if rows:
                with formatter.section(name):
                    formatter.write_dl(rows)
