"""The list of commands, in the order of first use."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from sojourn.cli.panels import Commands

LISTED = ("networks", "studies", "metrics", "schema")
COMMANDS = (
    *("new", "check", "run", "bound", "sweep", "find", "advise", "risk", "study"),
    *("measure", "monitor", "mesh", "agent", "listen", "relay", "analyse", "compare"),
    *("history", "serve", "calibrate", "report", "export", "batch", "cache"),
    *LISTED,
)
"""In the order of first use. The module of each has its name, but for what lists."""
GROUPS = ("history", "cache")
DECLARED = ("measure", "monitor", "mesh", "agent", "listen")
"""Commands whose options are the keys of a live scenario."""


def _version(wanted: bool) -> None:
    if wanted:
        from sojourn.bindings import call  # noqa: PLC0415

        typer.echo(f"sojourn {call('version')}")
        raise typer.Exit


def sojourn(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and its commit.")
    ] = False,
) -> None:
    """A response-time laboratory for networks.

    Describe a network, its stations and their traffic in a scenario and simulate it, or measure a real network:
    response time, throughput and delay budget with 95 % confidence intervals.

    \b
    sojourn new lontalk -o site.toml       a commented scenario to start from
    sojourn run site.toml                  simulate it
    sojourn study lontalk-response-time    a published study, compared with its measurements

    Data goes to standard output, messages and progress to standard error. Exit code 0: success; 1: a point failed,
    an [expect] was missed or compare found a difference; 2: invalid input; 3: compare, analyse or advise
    could not decide; 130: interrupted.
    """


def command_line(arguments: list[str]) -> typer.Typer:
    """The command that the arguments begin with, alone; all of them where they begin with none.

    Importing and building all takes longer than many commands do.
    """
    app = typer.Typer(
        cls=Commands,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback()(sojourn)
    for name in arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS:
        _add(app, name)
    return app


def _add(app: typer.Typer, name: str) -> None:
    module = import_module(f"sojourn.cli.{'listing' if name in LISTED else name}")
    if name in GROUPS:
        app.add_typer(module.app, name=name)
    elif name in DECLARED:
        app.command(cls=_declared(name))(getattr(module, name))
    else:
        app.command()(getattr(module, name))


def _declared(name: str) -> Any:
    from sojourn.cli import keyed  # noqa: PLC0415

    return keyed.command(getattr(keyed, name.upper()), varies=name == "measure")
