"""`check`: the mistakes of a scenario, and its full form."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import File, Set


def check(
    file: File,
    changes: Set = None,
    expand: Annotated[
        bool, typer.Option("--expand", help="Print the full form: every key with its value and source.")
    ] = False,
) -> None:
    """Checks a scenario or a measurement and shows its first twenty mistakes, each with line, caret and hint.

    \b
    sojourn check site.toml
    sojourn check site.toml --expand
    sojourn check site.toml --set 'background.rate=300 /s'
    """
    from sojourn.cli.output import data, print_message  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    scenario = Scenario(file, tuple(changes or ()))
    if expand:
        data(scenario.expanded())
    else:
        for warning in scenario.warnings():
            print_message(f"warning: {warning}")
        print_message(f"{file} is valid")
