"""`--band` of `run`, `sweep` and `study`: where the next measurement lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sojourn import bands, headlines, phrases
from sojourn.bands import Gaussian, band_key
from sojourn.cli import interruption, output
from sojourn.cli.progress import ProgressLine
from sojourn.errors import UserError
from sojourn.point import Metric
from sojourn.units import duration, format_value, percent

if TYPE_CHECKING:
    from pathlib import Path

    from sojourn.jobs import Outcome
    from sojourn.reference import Published
    from sojourn.results import Results
    from sojourn.scenario import Scenario
    from sojourn.study import Study

FIELDS = ("mean", "p50", "p95", "p99")
MOST_ROWS = 8
MOST_OUTSIDE = 8


def of_scenario(scenario: Scenario, shard: str | None) -> Gaussian:
    """The fit of a scenario's profile; `UserError` where it has none, before anything runs."""
    if shard is not None:
        raise UserError("--band simulates whole measurements; leave out --shard")
    return bands.of_scenario(scenario)


def of_study(study: Study, *, live: bool) -> Gaussian:
    """The fit of the profile that the scenarios of a study share."""
    if live:
        raise UserError("--band is of a simulation; leave out --live")
    return bands.of_study(study.folder)


def added(
    outcome: Outcome,
    request: Mapping[str, object],
    gaussian: Gaussian | None,
    out: Path | None,
    published: Sequence[Published] = (),
) -> Outcome:
    """The outcome with its bands, if they are asked for; `results.json` has them as well."""
    if gaussian is None or outcome.results is None or outcome.failures:
        return outcome
    interruption.let_through()
    with ProgressLine() as progress:
        found = bands.with_band(
            outcome,
            request,
            gaussian,
            lambda done: progress.show(f"measurement {done} of {bands.DRAWS}"),
            published=published,
        )
    interruption.hold_back()
    if out is not None:
        (out / "results.json").write_text(found.results_text, encoding="utf-8")
    return found


def of_run(results: Results, gaussian: Gaussian) -> str:
    """The bands of the metrics that are looked at first."""
    point = results.points[0]
    named = [metric for metric in point.metrics.values() if "/" not in metric.name and band_key("mean") in metric.raw]
    named = [metric for metric in named if metric.is_distribution or metric.mean][:MOST_ROWS]
    rows = [[metric.name, *(_cell(metric, field) for field in FIELDS)] for metric in named]
    return f"{_head(results, gaussian)}\n{output.table(rows, ['quantity', 'mean or value', *FIELDS[1:]])}"


def of_sweep(results: Results, gaussian: Gaussian) -> str:
    """The band of what the sweep is about, a row for each point."""
    name = next((name for name in headlines.ALONG if any(point.get(name) for point in results)), None)
    if name is None:
        return ""
    rows = [
        [phrases.settings(point.set, results.axes), *(_cell(metric, field) for field in FIELDS)]
        for point in results
        if (metric := point.get(name)) is not None
    ]
    return f"{_head(results, gaussian)}\n{output.table(rows, ['at', f'{name} mean', *FIELDS[1:]])}"


def of_published(study: Study, results: Results, gaussian: Gaussian) -> str:
    """How many published predictions lie in the bands, and the first of those that do not."""
    found = bands.held(study.published, results)
    inside = sum(one.is_inside for one in found)
    said = (
        f"{inside} of {len(found)} published values that nothing was fitted to lie in the band of the next measurement"
        if found
        else "the model was fitted to every value that is published of these experiments"
    )
    outside = [one for one in found if not one.is_inside]
    rows = [
        [
            f"{row.experiment} {row.metric} {row.field}",
            phrases.settings(row.set, results.axes),
            format_value(row.value, row.unit, row.metric),
            _between((one.low, one.high), row.unit, row.metric),
        ]
        for one in outside[:MOST_OUTSIDE]
        for row in [one.published]
    ]
    table = output.table(rows, ["outside", "at", "published", "band"]) if rows else ""
    return "\n".join(filter(None, [output.filled(f"{_head(results, gaussian)} {said}."), table]))


def _head(results: Results, gaussian: Gaussian) -> str:
    """What the bands are, in a sentence."""
    beyond = (
        "without a discrepancy, which the fit did not show"
        if gaussian.discrepancy is None
        else f"discrepancy {percent(gaussian.discrepancy, digits=1)}"
    )
    others = sorted(results.raw["band"].get("discrepancy_of_other_experiments", {}).values())
    if others:
        ends = " to ".join(percent(one, digits=0) for one in dict.fromkeys((others[0], others[-1])))
        beyond += f", of what was predicted that of the other experiments, {ends}"
    lengths = sorted({float(point.raw["duration"]) for point in results})
    span = results.at_most + " to ".join(duration(one) for one in dict.fromkeys((lengths[0], lengths[-1])))
    return output.filled(
        f"The next measurement of {span} lies in these bands 95 % of the time ({bands.DRAWS} simulated with parameters "
        f"drawn from the fit of {gaussian.profile}, {beyond}):"
    )


def _cell(metric: Metric, field: str) -> str:
    ends: Sequence[float | None] | None = metric.raw.get(band_key(field))
    return (
        ""
        if ends is None or (field != "mean" and not metric.is_distribution)
        else _between(ends, metric.unit, metric.name)
    )


def _between(ends: Sequence[float | None], unit: str, name: str) -> str:
    first, last = (format_value(end, unit, name, beside=ends) for end in ends)
    if ends[1] is None:
        return f"from {first}"
    number, _, of_first = first.partition(" ")
    return f"{number if of_first == last.partition(' ')[2] else first} to {last}"
