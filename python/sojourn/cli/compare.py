"""`compare`: compares two results, or results with published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.options import Format, Output

if TYPE_CHECKING:
    from sojourn.compare import Comparison
    from sojourn.results import Results


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A folder of results, or a results.json.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Other results, or a CSV of published numbers.")],
    tolerance: Annotated[
        float | None,
        typer.Option(min=0.0, help="Relative tolerance: by default 0.1 for published numbers, else 0."),
    ] = None,
    metric: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this metric. Repeatable.")] = None,
    form: Output = Format.table,
) -> int:
    """Compares results with other results, or with published numbers, point by point. Exit code 1: they differ.

    Results of the same seed share their random numbers: their differences are paired by replication. A measurement
    and a simulation share none; their distributions are also compared by percentiles and Kolmogorov-Smirnov distance.

    \b
    sojourn compare out/before out/after
    sojourn compare out/before out/after --metric response_time --tolerance 0.05
    sojourn compare out/lontalk lontalk-bulletin-1992/heavy-load.csv
    """
    from sojourn.results import read_results  # noqa: PLC0415

    results = read_results(first)
    if second.endswith(".csv"):
        return _published(results, second, tolerance, metric, form)
    return _two(results, read_results(second), tolerance or 0.0, metric, form)


def _published(results: Results, name: str, tolerance: float | None, metrics: list[str] | None, form: Format) -> int:
    from sojourn.cli import output, verdict  # noqa: PLC0415
    from sojourn.compare import against_published  # noqa: PLC0415
    from sojourn.compare.published import TOLERANCE  # noqa: PLC0415
    from sojourn.errors import ResultsError  # noqa: PLC0415
    from sojourn.paths import find_reference  # noqa: PLC0415
    from sojourn.reference import read_published  # noqa: PLC0415

    published = [row for row in read_published(find_reference(name)) if not metrics or row.metric in metrics]
    matches = against_published(results, published, TOLERANCE if tolerance is None else tolerance)
    if not matches:
        raise ResultsError(f"{name} has no experiment in common with the results")
    if form is Format.table:
        output.data(verdict.against(matches, results))
        output.say(verdict.agreement(matches, TOLERANCE if tolerance is None else tolerance))
    else:
        rows = [
            {
                "experiment": m.published.experiment,
                **m.published.set,
                "metric": m.published.metric,
                "field": m.published.field,
            }
            | {
                "published": m.published.value,
                "found": m.found,
                "unit": m.published.unit,
                "role": m.published.role,
                "verdict": m.verdict,
            }
            for m in matches
        ]
        _write(rows, form)
    return 0 if all(match.agrees for match in matches) else 1


def _two(first: Results, second: Results, tolerance: float, metrics: list[str] | None, form: Format) -> int:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.compare import compare_results  # noqa: PLC0415

    comparison = compare_results(first, second, tolerance=tolerance, metrics=metrics)
    if form is Format.table:
        if comparison.shown:
            output.data(_table(comparison, first))
        if comparison.gaps:
            output.data(f"\n{_quantiles(comparison, first)}\n")
        output.data(_sentence(comparison))
    else:
        _write([_row(point.experiment, point.set, gap) for point, gap in comparison.differences], form)
    return 1 if comparison.differs else 0


def _table(comparison: Comparison, results: Results) -> str:
    from sojourn import phrases  # noqa: PLC0415
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.units import say, say_interval  # noqa: PLC0415

    rows = []
    for point, gap in comparison.shown:
        change = say_interval(gap.value, list(gap.interval) if gap.interval else None, gap.unit, gap.metric)
        both = [say(value, gap.unit, gap.metric) for value in (gap.first, gap.second)]
        rows.append(
            [point.experiment, phrases.settings(point.set, results.axes), gap.metric, *both, change, gap.verdict]
        )
    return output.table(rows, ["experiment", "at", "metric", "A", "B", "B - A", "B is"])


def _quantiles(comparison: Comparison, results: Results) -> str:
    """Percentiles of both distributions, and their Kolmogorov-Smirnov distance."""
    from sojourn import phrases  # noqa: PLC0415
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.units import percent, say  # noqa: PLC0415

    rows = []
    for gap in comparison.gaps:
        where = phrases.settings(gap.point.set, results.axes)
        apart = "–" if gap.distance is None else percent(gap.distance)
        for name, (one, other) in gap.quantiles.items():
            off = percent(other / one - 1, sign=True) if one else "–"
            rows.append(
                [gap.point.experiment, where, gap.metric, name, say(one, gap.unit), say(other, gap.unit), off, apart]
            )
    return output.table(rows, ["experiment", "at", "metric", "percentile", "A", "B", "deviation", "KS distance"])


def _sentence(comparison: Comparison) -> str:
    total = len(comparison.differences)
    unpaired = "one was measured" if comparison.gaps else "the seeds differ"
    how = "paired by replication" if comparison.paired else f"unpaired: {unpaired}"
    text = f"{len(comparison.shown)} of {total} comparisons show a difference "
    text += f"({how}; simultaneous 95 % confidence for all {total} intervals)."
    for points, side in ((comparison.only_first, "A"), (comparison.only_second, "B")):
        if points:
            text += f" {len(points)} points are only in {side}."
    return text


def _row(experiment: str, settings: dict[str, object], gap: object) -> dict[str, object]:
    from sojourn.compare import Difference  # noqa: PLC0415

    assert isinstance(gap, Difference)
    low, high = gap.interval or (None, None)
    return {
        "experiment": experiment,
        **settings,
        "metric": gap.metric,
        "unit": gap.unit,
        "a": gap.first,
        "b": gap.second,
    } | {
        "difference": gap.value,
        "low": low,
        "high": high,
        "paired": gap.paired,
        "verdict": gap.verdict,
    }


def _write(rows: list[dict[str, object]], form: Format) -> None:
    import polars as pl  # noqa: PLC0415

    from sojourn.cli import output  # noqa: PLC0415

    if form is Format.json:
        import json  # noqa: PLC0415

        output.data(json.dumps(rows, indent=1))
    else:
        output.frame(pl.DataFrame(rows, infer_schema_length=None), form)
