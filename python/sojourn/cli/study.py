"""`study`: runs all points of a study, prints its answers, and compares them with the published numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from sojourn.cli import completion
from sojourn.cli.ci import JUnit, JUnitUndecided, Reports, Summary, Undecided
from sojourn.cli.options import (
    Band,
    Budget,
    Checkpoint,
    Cluster,
    Figures,
    Format,
    Jobs,
    NoStore,
    Out,
    Output,
    Overwrite,
    Precision,
    PrecisionOf,
    Replications,
    Seed,
    Set,
    Shard,
    figure_formats,
)


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FOLDER",
            autocompletion=completion.studies,
            help="A study, as `sojourn studies` lists them, or a folder with a study.toml.",
        ),
    ],
    experiment: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", autocompletion=completion.experiments, help="Only this experiment. Repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter and fewer replications of the same points.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Include the sensitivity variants.")] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="Print every table, not the first screen alone; --all does, too.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Also measure it between network namespaces of this host; needs root.")
    ] = False,
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    budget: Budget = None,
    precision: Precision = None,
    precision_of: PrecisionOf = None,
    band: Band = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    shard: Shard = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    junit: JUnit = None,
    summary_file: Summary = None,
    junit_undecided: JUnitUndecided = Undecided.skipped,
    form: Output = Format.table,
) -> int:
    """Runs a study: prints its answers and compares its results with the published numbers.

    With --out it also writes samples and a self-contained HTML report with its figures.

    --live measures each experiment with a live set-up, fits the host costs to the points without load, simulates with
    them, and compares both. It creates four network namespaces and removes them, also after Ctrl-C.

    \b
    sojourn study lontalk-response-time --quick
    sojourn study lontalk-response-time --out out/lontalk
    sojourn study lontalk-response-time --experiment D --experiment E --out out/priority
    sojourn study lontalk-response-time --format json > results.json
    sudo sojourn study linux-lan-response-time --live --quick --out out/linux
    """
    from sojourn.cli import bands, output, simulate, verdict  # noqa: PLC0415
    from sojourn.extras import has, missing  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415

    formats = figure_formats(figures)
    reports = Reports.asked("study", name, junit, summary_file, junit_undecided)
    asked = load_study(name)
    if live:
        from sojourn.cli.testbed import measured  # noqa: PLC0415

        experiment, changes = measured(asked, experiment, changes, out, quick=quick)
    gaussian = bands.of_study(asked, live=live) if band else None
    request = {
        "command": "study",
        "study": str(asked.folder),
        "experiments": experiment,
        "quick": quick,
        "all": all_,
        "set": changes,
    }
    options = {"seed": seed, "replications": replications, "precision": precision, "precision_of": precision_of}
    options |= {"budget": budget}
    where = simulate.where(jobs, cluster, shard, out, checkpoint)
    # with their traces, so that the same study with --out, as is proposed below, computes nothing again
    keeping = {"overwrite": overwrite, "traces": True}
    notes = tables or all_ or form is not Format.table
    outcome = simulate.simulate(request | options | where | keeping, no_store=no_store, notes=notes)
    if shard is not None:
        return simulate.shard_done(outcome, shard, out)
    outcome = bands.added(outcome, request | options | where, gaussian, out, asked.published)
    reports.write_outcome(outcome)
    if live and outcome.results is not None and out is not None:
        from sojourn.testbed import side_by_side, with_measured  # noqa: PLC0415

        asked = side_by_side(asked)
        outcome = replace(outcome, results=with_measured(outcome.results, out))
    with simulate.kept(outcome, out, asked, formats=formats):
        if outcome.results is not None and form is not Format.table:
            output.results(outcome, form)
        elif outcome.results is not None:
            whole = tables or all_
            output.data((verdict.of_study if whole else verdict.first_of_study)(asked, outcome.results))
            if not whole:
                output.warnings(outcome)
                output.print_message("--tables: each answer in full, and every published value")
            if gaussian is not None:
                output.data(f"\n{bands.of_published(asked, outcome.results, gaussian)}")
        output.verdicts(outcome)
    if out is None and form is Format.table:
        more = f"for figures and a report: sojourn study {name} --out DIR"
        output.print_message(f"\n{more if has('jinja2') else missing('jinja2', 'figures and a report')}")
    return 0 if outcome.all_well else 1
