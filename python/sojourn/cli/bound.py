"""`bound`: worst-case bounds of a scenario, next to its simulated values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import (
    Checkpoint,
    Figures,
    File,
    Format,
    Jobs,
    NoStore,
    Out,
    Output,
    Overwrite,
    Replications,
    Seed,
    Set,
    figure_formats,
)


def bound(
    file: File,
    changes: Set = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            metavar="RESULTS", help="Results of a measurement of the same network, to stand beside the bounds."
        ),
    ] = None,
    seed: Seed = None,
    replications: Replications = None,
    jobs: Jobs = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    form: Output = Format.table,
) -> int:
    """Bounds delays and queues in the worst case, and simulates the scenario beside it.

    Each bound has its theorem; what has none has the reason, and the quantiles of the simulation in its place.
    Tightness is the largest value simulated as a share of the bound.

    \b
    sojourn bound ethernet.toml
    sojourn bound ring.toml --out out/ring        results, figures and report.html
    sojourn bound ring.toml --measured out/live   beside what `sojourn measure --out out/live` has seen
    sojourn bound ethernet.toml --format csv      a row for each flow and hop
    """
    from sojourn.cli import bound_tables, output, simulate  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    scenario = Scenario(file, tuple(changes or ()))
    where = simulate.where(jobs, None, None, out, checkpoint)
    beside = str(measured) if measured is not None else None
    runs = {"seed": seed, "replications": replications}
    request = scenario.request("bound", measured=beside, overwrite=overwrite, **runs, **where)
    outcome = simulate.simulate(request, no_store=no_store)
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if outcome.results is not None:
            raw = outcome.results.raw
            rows = raw.get("bounds") or []
            if form is Format.table:
                assumptions, priorities = raw.get("bound_assumptions") or [], raw.get("bound_priorities") or []
                output.data(bound_tables.in_words(rows, assumptions, priorities))
            elif form is Format.json:
                output.results(outcome, form)
            else:
                output.numbers(rows, form)
        output.verdicts(outcome)
    return 0 if outcome.all_well else 1
