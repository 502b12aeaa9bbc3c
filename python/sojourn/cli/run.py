"""`run`: one scenario, simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.ci import JUnit, JUnitUndecided, Reports, Summary, Undecided
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


def run(
    file: File,
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
    pcap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Capture the frames of the first replication, for Wireshark.")
    ] = None,
    tail: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=1e-12,
            max=0.5,
            help="Also give the response time that this share of the requests exceeds: 1e-6 is the p99.9999.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    no_store: NoStore = False,
    all_: All = False,
    junit: JUnit = None,
    summary_file: Summary = None,
    junit_undecided: JUnitUndecided = Undecided.skipped,
    form: Output = Format.table,
) -> int:
    """Simulates one scenario and prints response time, loss and throughput.

    \b
    sojourn run site.toml
    sojourn run site.toml --set 'background.rate=300 /s' --precision 0.02
    sojourn run site.toml --out out/site          results, figures and report.html
    sojourn run site.toml --tail 1e-4 --replications 200
    sojourn run site.toml --band                  a scenario whose profile calibrate wrote
    sojourn run site.toml --junit site.xml --summary "$GITHUB_STEP_SUMMARY"
    sojourn run site.toml --pcap site.pcap        then: wireshark site.pcap
    """
    from sojourn.cli import bands, first, output, simulate, summary  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    formats = figure_formats(figures)
    reports = Reports.asked("run", file, junit, summary_file, junit_undecided)
    scenario = Scenario(file, tuple(changes or ()))
    options = {"seed": seed, "replications": replications, "precision": precision, "precision_of": precision_of}
    options |= {"budget": budget}
    options |= {"control_variates": control_variates or None}
    where = simulate.where(jobs, cluster, shard, out, checkpoint)
    gaussian = bands.of_scenario(scenario, shard) if band else None
    request = scenario.request("run", overwrite=overwrite, pcap=pcap, tail=tail, **options, **where)
    outcome = simulate.simulate(request, no_store=no_store, notes=all_ or form is not Format.table)
    outcome = bands.added(outcome, request, gaussian, out)
    if shard is not None:
        return simulate.shard_done(outcome, shard, out)
    reports.write_outcome(outcome)
    with simulate.kept(outcome, out, scenario=scenario, formats=formats):
        if outcome.results is None:
            pass
        elif form is not Format.table:
            output.results(outcome, form)
            output.verdicts(outcome)
        elif all_:
            output.data(summary.of_point(outcome.results, outcome.results.points[0]))
            output.verdicts(outcome)
        else:
            first.run(outcome, outcome.results)
        if form is Format.table and gaussian is not None and outcome.results is not None:
            output.data(f"\n{bands.of_run(outcome.results, gaussian)}")
    if out is None and form is Format.table:
        sampled = outcome.results.points[0] if outcome.results is not None else None
        output.print_message(summary.next_steps(file, sampled, whole=all_))
    return 0 if outcome.all_well else 1
