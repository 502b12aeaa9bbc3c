"""`study`: all points of a study, its answer, and the table against the published numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import Format, Jobs, Out, Output, Precision, PrecisionOf, Replications, Seed, Set


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FOLDER", help="A study, as `sojourn studies` lists them, or a folder with a study.toml."
        ),
    ],
    experiment: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this experiment. Repeatable.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter and fewer runs, the same points.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="The sensitivity variants, too.")] = False,
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    precision: Precision = None,
    precision_of: PrecisionOf = None,
    jobs: Jobs = None,
    out: Out = None,
    form: Output = Format.table,
) -> int:
    """Runs a study: its answer in words and its results against the published numbers.

    With --out also its figures (PNG and SVG), samples and an HTML report that opens without a network.

    \b
    sojourn study lontalk-response-time --quick
    sojourn study lontalk-response-time --out out/lontalk
    sojourn study lontalk-response-time --experiment D --experiment E --out out/priority
    sojourn study lontalk-response-time --format json > results.json
    """
    from sojourn.cli import output, simulate, verdict  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415

    asked = load_study(name)
    request = {
        "command": "study",
        "study": str(asked.folder),
        "experiments": experiment,
        "quick": quick,
        "all": all_,
        "set": changes,
    }
    options = {"seed": seed, "replications": replications, "precision": precision, "precision_of": precision_of}
    outcome = simulate.simulate(request | options | {"jobs": jobs, "out": out})
    if outcome.results is not None and form is not Format.table:
        output.results(outcome, form)
    elif outcome.results is not None:
        output.data(verdict.of_study(asked, outcome.results))
    output.verdicts(outcome)
    if out is not None:
        simulate.keep(outcome, out, asked)
    elif form is Format.table:
        output.say(f"\nfor figures and the report: sojourn study {name} --out DIR")
    return 0 if outcome.all_well else 1
