"""`find`: the limit of a key up to which a condition holds."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli import completion
from sojourn.cli.options import (
    All,
    Budget,
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
    Precision,
    PrecisionOf,
    Replications,
    Seed,
    Set,
    figure_formats,
)


def find(
    file: File,
    vary: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=LOW:HIGH UNIT",
            autocompletion=completion.keys,
            help="The key to vary and its range. [the scenario's question.vary]",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            autocompletion=completion.conditions,
            help="The condition: response_time.p99 < 20 ms, or risk(failures > 0) < 1 /year. "
            "[all of the scenario's expect]",
        ),
    ] = None,
    ask: Annotated[str | None, typer.Option(metavar="VALUE", help="A value of the key to judge in addition.")] = None,
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    budget: Budget = None,
    precision: Precision = None,
    precision_of: PrecisionOf = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    all_: All = False,
    form: Output = Format.table,
) -> int:
    """Finds the largest (or smallest) value of a key that still meets a condition, or answers a [question].

    The answer is an estimate with its 95 % confidence interval: the values whose replications decide neither that
    the condition is met nor that it is missed. Replications are added inside that interval until it is narrow or
    the budget is spent. With one replication nothing is decided.

    \b
    sojourn find site.toml --vary 'background.rate=50:500 /s' --until 'response_time.p99 < 100 ms'
    sojourn find site.toml --vary 'station.sensor.count=40:100' --until 'failures = 0' --ask 60
    sojourn find site.toml --vary 'station.sensor.count=40:66' --until 'risk(failures > 0) < 1 /day'
    sojourn find site.toml --out out/site         the scenario's [question] answered in a report
    """
    from sojourn import occurrences  # noqa: PLC0415
    from sojourn.answers.limit import answered  # noqa: PLC0415
    from sojourn.cli import first, output, simulate, summary  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    scenario = Scenario(file, tuple(changes or ()))
    where = simulate.where(jobs, cluster, None, out, checkpoint)
    options = {"seed": seed, "replications": replications, "precision": precision, "precision_of": precision_of}
    options |= {"budget": budget}
    request = scenario.request("find", vary=vary, until=until, ask=ask, overwrite=overwrite, **options, **where)
    outcome = simulate.simulate(request, no_store=no_store, notes=all_ or form is not Format.table)
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if form is Format.table and not all_ and outcome.answer is not None:
            first.search(outcome, outcome.answer)
        elif form is Format.table and outcome.answer is not None and occurrences.is_about(outcome.answer):
            head, rows = occurrences.of_trials(outcome.answer)
            output.data(output.table(rows, head))
        elif outcome.results is not None and form is Format.table:
            output.data(summary.of_points(outcome.results, simulate.judged(outcome)))
        elif outcome.results is not None:
            output.results(outcome, form)
        if outcome.answer is not None and (all_ or form is not Format.table):
            write = output.data if form is Format.table else output.print_message
            for question, text in answered(outcome.answer):
                write(f"{question}\n{output.filled(text, '  ')}")
    # a search crosses the limit on purpose: an [expect] missed beyond it is not a failure of the search
    return 1 if outcome.failures else 0
