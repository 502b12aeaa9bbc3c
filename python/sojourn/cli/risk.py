"""`risk`: how often a rare event occurs."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli.options import (
    All,
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
from sojourn.occurrences import Period


def risk(
    file: File,
    of: Annotated[
        str,
        typer.Option(
            metavar="CONDITION", help="The event: queue_length/server > 40, failures > 0, medium/floor-2 collapsed."
        ),
    ],
    within: Annotated[
        str | None, typer.Option(metavar="TIME", help="Also give the probability that it occurs within this time.")
    ] = None,
    per: Annotated[Period | None, typer.Option(help="Give the rate per this time. [one that fits]")] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Simulate until the half-width of the 95 % CI is within this share of the rate. [0.3]",
        ),
    ] = None,
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    jobs: Jobs = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    all_: All = False,
    form: Output = Format.table,
) -> int:
    """Estimates how often a rare event occurs, and the mean time until it does.

    Paths that come near the event are split into copies (RESTART), which takes far less time than to wait for it;
    where that does not help, it says so and simulates without. The rate is that of the first occurrence, from the end
    of the warm-up; it comes with its 95 % confidence interval.

    \b
    sojourn risk site.toml --of 'medium/floor-2 collapsed' --per year
    sojourn risk queue.toml --of 'queue_length > 40' --within '1 h' --precision 0.1
    """
    from sojourn import occurrences  # noqa: PLC0415
    from sojourn.cli import output, simulate  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    scenario = Scenario(file, tuple(changes or ()))
    options = {"of": of, "within": within, "seed": seed, "replications": replications, "precision": precision}
    request = scenario.request(
        "risk", overwrite=overwrite, **options, **simulate.where(jobs, None, None, out, checkpoint)
    )
    outcome = simulate.simulate(request, no_store=no_store, notes=all_ or form is not Format.table)
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if outcome.results is not None and form is Format.table and not all_:
            first, *lines = occurrences.first_of_risk(outcome.results.raw["risk"], per)
            output.data("\n".join(map(output.filled, [first, "", *lines])))
            output.warnings(outcome)
            if outcome.results.raw["risk"]["method"] == "splitting":
                output.print_message("--all: the levels at which paths are split")
        elif outcome.results is not None and form is Format.table:
            output.data(occurrences.of_risk(outcome.results.raw["risk"], per))
        elif outcome.results is not None:
            output.results(outcome, form)
    return 1 if outcome.failures else 0
