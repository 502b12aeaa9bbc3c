"""`advise`: which of several changes of a scenario is best."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sojourn.cli import ci, completion
from sojourn.cli.ci import JUnit, JUnitUndecided, Reports, Summary, Undecided
from sojourn.cli.options import (
    All,
    Checkpoint,
    Cluster,
    Figures,
    File,
    Format,
    Jobs,
    NoStore,
    Out,
    Output,
    Overwrite,
    Seed,
    Set,
    figure_formats,
    number_of_events,
)


def advise(
    file: File,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME: KEY=VALUE, ...",
            help="A change to compare: 'priority: flow.alarm.priority=true'; with a cost: ', cost=3'. Repeatable. "
            "[the scenario's option tables]",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC.FIELD",
            help="What is compared: response_time.p99. [that of the first condition, else the p99 of the probe]",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            autocompletion=completion.conditions,
            help="The condition to meet: response_time.p99 < 20 ms. [all of the scenario's expect]",
        ),
    ] = None,
    indifference: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE or VALUE", help="A difference below this is none: '5 %' or '2 ms'. [5 % of the best]"
        ),
    ] = None,
    combine: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=8, help="Combine up to N options. [2 where that gives at most 16, else 1]"
        ),
    ] = None,
    changes: Set = None,
    seed: Seed = None,
    replications: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=100_000, help="First replications of each, at least 10. [the scenario's]"),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="EVENTS",
            parser=number_of_events,
            help="End when all together have taken this many events: 1G. [200M, 12 to 32 s of a core]",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    all_: All = False,
    junit: JUnit = None,
    summary_file: Summary = None,
    junit_undecided: JUnitUndecided = Undecided.skipped,
    form: Output = Format.table,
) -> int:
    """Compares changes of a scenario, and says which is best and how sure that is.

    The changes are the [[option]] tables of the scenario, --option, and their combinations. All have the same random
    numbers; replications are added until each is the best, worse than another, or out by a condition. The answer is
    the best of those that meet the conditions, or the cheapest where options have costs, with a probability of at
    least 95 % if it is better than the others by the indifference. Exit code 1: none meets the conditions;
    3: not decided.

    \b
    sojourn advise site.toml                 the scenario's options, its [expect]
    sojourn advise site.toml --option 'priority: flow.alarm.priority=true'
    sojourn advise wan.toml --by response_time/voice.p99 --indifference '1 ms' --out out/advice
    """
    from sojourn import advice  # noqa: PLC0415
    from sojourn.cli import output, simulate, summary  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    reports = Reports.asked("advise", file, junit, summary_file, junit_undecided)
    scenario = Scenario(file, tuple(changes or ()))
    asked: dict[str, object] = {"options": options or [], "by": by, "until": until, "indifference": indifference}
    asked |= {"combine": combine, "seed": seed, "replications": replications, "budget": budget}
    where = simulate.where(jobs, cluster, None, out, checkpoint)
    request = scenario.request("advise", overwrite=overwrite, **asked, **where)
    outcome = simulate.simulate(request, no_store=no_store, notes=all_ or form is not Format.table)
    if outcome.results is None:
        return 1
    found: dict[str, Any] = outcome.results.raw["advice"]
    reports.write(ci.of_advice(found))
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if form is Format.table:
            output.data("\n".join(output.filled(line) for line in advice.sentences(found)))
            output.data("")
            output.data(output.table(*advice.table(found, None if all_ else advice.MOST_ROWS)))
            if not all_ and len(found["alternatives"]) > advice.MOST_ROWS:
                output.print_message(f"--all: all {len(found['alternatives'])} alternatives")
            if all_:
                output.data(summary.of_points(outcome.results, simulate.judged(outcome)))
            else:
                output.warnings(outcome)
        else:
            output.results(outcome, form)
    if outcome.failures:
        return 1
    return {"selected": 0, "none": 1}.get(str(found["outcome"]), 3)
