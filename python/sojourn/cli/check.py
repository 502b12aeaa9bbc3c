"""`check`: the mistakes of scenarios, and the full form of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import EXIT_MISTAKE
from sojourn.cli.options import Set, read_again


def check(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", callback=read_again, help="Scenarios, such as `sojourn new` writes."),
    ],
    changes: Set = None,
    expand: Annotated[
        bool, typer.Option("--expand", help="Print the full form: every key with its value and source.")
    ] = False,
) -> int:
    """Checks scenarios or measurements and shows the first twenty mistakes of each, with line, caret and hint.

    \b
    sojourn check site.toml
    sojourn check site.toml --expand
    sojourn check site.toml --set 'background.rate=300 /s'
    sojourn check scenarios/*.toml
    """
    from sojourn.cli.output import data, print_message  # noqa: PLC0415
    from sojourn.errors import ScenarioError, UserError  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    scenarios = [Scenario(file, tuple(changes or ())) for file in files]
    if expand:
        if len(scenarios) > 1:
            raise UserError("--expand prints the full form of one scenario")
        data(scenarios[0].expanded())
        return 0
    code = 0
    for scenario in scenarios:
        try:
            for warning in scenario.warnings():
                print_message(f"warning: {warning}" if len(scenarios) == 1 else f"{scenario.path}: warning: {warning}")
            print_message(f"{scenario.path} is valid")
        except ScenarioError as error:
            if len(scenarios) == 1:
                raise
            print_message(str(error).rstrip("\n"))
            code = EXIT_MISTAKE
    return code
