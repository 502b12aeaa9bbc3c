"""`compare`: compares two results, or results with published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.ci import JUnit, JUnitUndecided, Reports, Summary, Undecided, of_comparison, of_published
from sojourn.cli.options import Format, Output

if TYPE_CHECKING:
    from sojourn.comparison import Comparison, Difference
    from sojourn.results import Point, Results

EXIT_DIFFER, EXIT_NOT_DECIDABLE = 1, 3


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A folder of results, or a results.json.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Other results, or a CSV of published numbers.")],
    tolerance: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", min=0.0, help="Relative tolerance: by default 0.1 for published numbers, else 0."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this metric, or one quantile of it, as response_time.p95. Repeatable."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also compare the members of metrics, as the packets of each station.")
    ] = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            metavar="FILE",
            help="Also draw both distributions, or an outage of both over time, as one figure: svg, png or html.",
        ),
    ] = None,
    junit: JUnit = None,
    summary_file: Summary = None,
    junit_undecided: JUnitUndecided = Undecided.skipped,
    form: Output = Format.table,
) -> int:
    """Compares results with other results, or with published numbers, point by point.

    The probe's response time (mean, median, p99) and failures stand first, each with the 95 % confidence interval of
    its difference, whether or not they differ; other metrics follow only where they differ. Results of the same seed
    share their random numbers: their differences are paired by replication. One run alone has no interval: its
    difference is not decidable. A measurement and a simulation share no random numbers; their distributions are also
    compared by percentiles and Kolmogorov-Smirnov distance.

    Exit code 0: no difference shown; 1: response time or failures (or a --metric) differ, a published number is
    missed, or a point is only in one of the two; 3: not decidable.

    \b
    sojourn compare out/before out/after
    sojourn compare out/before out/after --metric response_time --tolerance 0.05
    sojourn compare captured simulated --figure compared.svg
    sojourn compare out/lontalk lontalk-bulletin-1992/heavy-load.csv
    """
    from sojourn.errors import UserError  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415

    reports = Reports.asked("compare", f"{first} {second}", junit, summary_file, junit_undecided)
    results = read_results(first)
    if second.endswith(".csv"):
        if figure is not None:
            raise UserError("--figure draws two results: published numbers stand in the figures of a study")
        return _published(results, second, tolerance, metric, form, reports)
    other = read_results(second)
    if figure is not None:
        _draw({_name(first): results, _name(Path(second)): other}, metric, figure)
    return _two(results, other, tolerance or 0.0, metric, form, reports, members=all_)


def _name(path: Path) -> str:
    """The folder of results."""
    path = path.resolve()
    return path.name if path.is_dir() else path.parent.name


def _draw(results: dict[str, Results], metrics: list[str] | None, file: Path) -> None:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.figures import beside, files, pair  # noqa: PLC0415

    files.check(file)
    both = list(results.values())
    if not metrics and beside.fits(both):
        drawn = beside.draw(both)
    else:
        drawn = pair.draw(results, metrics[0].partition(".")[0] if metrics else "response_time")
    files.write(drawn.to_dict(), file)
    output.print_message(f"wrote {file}")


def _published(
    results: Results, name: str, tolerance: float | None, metrics: list[str] | None, form: Format, reports: Reports
) -> int:
    from sojourn.cli import output, verdict  # noqa: PLC0415
    from sojourn.comparison import against_published  # noqa: PLC0415
    from sojourn.comparison.published import TOLERANCE  # noqa: PLC0415
    from sojourn.errors import ResultsError  # noqa: PLC0415
    from sojourn.paths import find_reference  # noqa: PLC0415
    from sojourn.reference import read_published  # noqa: PLC0415

    known = read_published(find_reference(name))
    published = [row for row in known if not metrics or {row.metric, f"{row.metric}.{row.field}"} & set(metrics)]
    matches = against_published(results, published, TOLERANCE if tolerance is None else tolerance)
    if not matches:
        raise ResultsError(f"{name} has no experiment in common with the results")
    reports.write(of_published(matches, results))
    if form is Format.table:
        output.data(verdict.against(matches, results))
        output.print_message(verdict.agreement(matches, TOLERANCE if tolerance is None else tolerance))
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
    return 0 if all(match.agrees for match in matches) else EXIT_DIFFER


def _two(
    first: Results,
    second: Results,
    tolerance: float,
    metrics: list[str] | None,
    form: Format,
    reports: Reports,
    *,
    members: bool,
) -> int:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.comparison import compare_results  # noqa: PLC0415

    comparison = compare_results(first, second, tolerance=tolerance, metrics=metrics, members=members)
    reports.write(of_comparison(comparison, first))
    if form is Format.table:
        output.data(_text(comparison, first))
    elif form is Format.json:
        import json  # noqa: PLC0415

        output.data(json.dumps(_document(comparison), indent=1))
    else:
        groups = (("asked", comparison.asked), ("other", comparison.others))
        rows = [{"group": group} | _row(point, gap) for group, found in groups for point, gap in found]
        _write(rows, form)
    return EXIT_DIFFER if comparison.differs else 0 if comparison.decidable else EXIT_NOT_DECIDABLE


def _text(comparison: Comparison, results: Results) -> str:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.comparison import shown  # noqa: PLC0415

    parts = []
    for table in shown.tables(comparison, results):
        text = output.table(table.cells, table.head, keys=table.keys)
        more = f"\nand {table.omitted} more: --format json" if table.omitted else ""
        parts.append((f"{table.title}:\n" if table.title else "") + text + more)
    parts.append(output.filled(shown.sentence(comparison)))
    parts += [output.filled(f"note: {note}.") for note in comparison.notes]
    return "\n\n".join(parts)


def _document(comparison: Comparison) -> dict[str, Any]:
    """All of a comparison as JSON."""
    return {
        "paired": comparison.paired,
        "verdict": "differs"
        if comparison.differs
        else "no difference shown"
        if comparison.decidable
        else "not decidable",
        "confidence": 0.95,
        "asked": {
            "confidence_each": comparison.confidence,
            "rows": [_row(point, gap) for point, gap in comparison.asked],
        },
        "others": {
            "confidence_each": comparison.others_confidence,
            "rows": [_row(point, gap) for point, gap in comparison.others],
        },
        "distributions": [
            {"experiment": gap.point.experiment, "set": gap.point.set, "metric": gap.metric, "unit": gap.unit}
            | {"quantiles": {name: list(both) for name, both in gap.quantiles.items()}, "ks_distance": gap.distance}
            for gap in comparison.gaps
        ],
        "only_a": [{"experiment": point.experiment, "set": point.set} for point in comparison.only_first],
        "only_b": [{"experiment": point.experiment, "set": point.set} for point in comparison.only_second],
        "notes": comparison.notes,
    }


def _row(point: Point, gap: Difference) -> dict[str, Any]:
    import math  # noqa: PLC0415

    ends = [end if math.isfinite(end) else None for end in gap.interval] if gap.interval else [None, None]
    return {
        "experiment": point.experiment,
        **point.set,
        "metric": gap.metric,
        "field": gap.field if point[gap.metric].is_distribution else "value",
        "unit": gap.unit,
        "per_run": point[gap.metric].is_count,
        "a": gap.first,
        "b": gap.second,
    } | {
        "difference": None if math.isnan(gap.value) else gap.value,
        "low": ends[0],
        "high": ends[1],
        "paired": gap.paired,
        "verdict": gap.verdict,
    }


def _write(rows: list[dict[str, Any]], form: Format) -> None:
    from sojourn.cli import output  # noqa: PLC0415

    if form is Format.json:
        import json  # noqa: PLC0415

        output.data(json.dumps(rows, indent=1))
    else:
        output.numbers(rows, form)
