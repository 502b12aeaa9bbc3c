"""`sweep`: a scenario, or a measurement, over the product of the values of some keys."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli import completion
from sojourn.cli.options import (
    All,
    Band,
    Budget,
    Checkpoint,
    Cluster,
    ControlVariates,
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
    Shard,
    figure_formats,
)


def sweep(
    file: File,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            autocompletion=completion.keys,
            help="An axis: KEY=50:500:50 /s (both ends included) or KEY=a,b,c. Repeatable: all combinations.",
        ),
    ],
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    budget: Budget = None,
    precision: Precision = None,
    precision_of: PrecisionOf = None,
    control_variates: ControlVariates = False,
    band: Band = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    shard: Shard = None,
    checkpoint: Checkpoint = None,
    out: Out = None,
    figures: Figures = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    all_: All = False,
    form: Output = Format.table,
) -> int:
    """Simulates a scenario over the values of keys, in parallel; measures a document that has no stations.

    Finished replications are cached: after Ctrl-C, or with more replications, the same command continues.
    Points that differ in [[event]] alone are simulated once up to their first difference.

    A document with [measure] and without [[station]] describes no network to simulate: its points are measured against
    its measure.peer, one after the other, as `sojourn measure FILE --over` does, and nothing is cached. A scenario with
    stations is always simulated here.

    \b
    sojourn sweep site.toml --over 'background.rate=50:500:50 /s'
    sojourn sweep site.toml --over 'background.rate=100:400:100 /s' --over probe.priority=false,true --out out/sweep
    sojourn sweep site.toml --over 'probe.data=1 B,8 B,16 B' --format csv > sizes.csv
    sojourn sweep site.toml --over 'probe.data=1 B,8 B' --replications 1000 --cluster tcp://scheduler:8786
    sojourn sweep measurement.toml --over 'measure.rate=50,100,200 /s'
    """
    from sojourn.cli import bands, first, output, simulate, summary  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    scenario = Scenario(file, tuple(changes or ()))
    options = {"seed": seed, "replications": replications, "precision": precision, "precision_of": precision_of}
    options |= {"budget": budget}
    options |= {"control_variates": control_variates or None}
    where = simulate.where(jobs, cluster, shard, out, checkpoint)
    gaussian = bands.of_scenario(scenario, shard) if band else None
    request = scenario.request("sweep", over=over, overwrite=overwrite, **options, **where)
    outcome = simulate.simulate(request, no_store=no_store, notes=all_ or form is not Format.table)
    outcome = bands.added(outcome, request, gaussian, out)
    if shard is not None:
        return simulate.shard_done(outcome, shard, out)
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if outcome.results is None:
            pass
        elif form is not Format.table:
            output.results(outcome, form)
            output.verdicts(outcome)
        elif all_:
            output.data(summary.of_points(outcome.results, simulate.judged(outcome)))
            output.verdicts(outcome)
        else:
            first.sweep(outcome, outcome.results)
        if form is Format.table and gaussian is not None and outcome.results is not None:
            output.data(f"\n{bands.of_sweep(outcome.results, gaussian)}")
        if form is Format.table and (begun := outcome.provenance.get("begun_with_others")):
            runs = outcome.provenance["replications"]
            output.print_message(f"{begun} of {runs} runs went on from the beginning of another")
    return 0 if outcome.all_well else 1
