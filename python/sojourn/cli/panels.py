"""How help lists options and commands: those of a live command in groups, IP first; commands in whole sentences."""

from __future__ import annotations

from typing import Any

import typer.core

IP = "Timed tests over IP"
LOAD = "Load of the path"
OPTIONS = "Options"
SERVICES = "Services over HTTP"
XTP = "XTP"
RADIO = "Packet radio"
WHOLE = 400
"""Characters that no first sentence exceeds."""
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


class Commands(typer.core.TyperGroup):
    """The list of commands, each with the whole first sentence of its help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a row for each command; the rows wrap."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=WHOLE)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
