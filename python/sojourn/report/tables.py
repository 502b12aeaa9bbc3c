"""The tables: comparison with published values, and all results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn import catalogue, phrases
from sojourn.compare import against_published, pairs
from sojourn.compare.published import Match
from sojourn.report.table import Table
from sojourn.results import Metric, Point, Results
from sojourn.units import format_interval, format_value, percent

if TYPE_CHECKING:
    from sojourn.study import Study

HEAD = ("Experiment", "At", "Metric", "Published", "Sojourn", "Deviation", "Role", "Verdict")
MEASURED_HEAD = (
    "Experiment",
    "At",
    "Simulated",
    "Measured",
    "Deviation",
    "Network delay added, simulated",
    "Measured",
    "Verdict",
)
FIRST = ("response_time", "transaction_time", "transaction_rate", "throughput", "throughput_l3", "throughput_l4")


def published_table(results: Results, study: Study | None) -> Table | None:
    """Every published value and the result for it; None where there are none."""
    matches = against_published(results, study.published) if study else []
    return (
        Table("Comparison with published values", HEAD, [_match(match, results) for match in matches])
        if matches
        else None
    )


def measured_table(results: Results) -> list[Table]:
    """Simulated and measured medians, and the network delay that the load adds, where the results hold both."""
    rows = [
        [
            pair.experiment,
            phrases.settings(pair.set, results.axes),
            format_value(pair.simulated, "s"),
            format_value(pair.measured, "s"),
            percent(pair.deviation, digits=1, sign=True),
            *(format_value(value, "s", beside=(*pair.added, pair.measured)) for value in pair.added),
            pair.verdict,
        ]
        for pair in pairs(results)
    ]
    return [Table("Simulated and measured median response times", MEASURED_HEAD, rows)] if rows else []


def data_tables(results: Results, study: Study | None) -> list[Table]:
    """One table per experiment: a row per point, a column per metric."""
    titles = study.titles if study else {}
    tables = measured_table(results)
    for experiment in results.experiments:
        points = results.select(experiment)
        names = sorted(_names(points), key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
        keys = list(points[0].set)
        head = [results.axes[key].label for key in keys]
        for name in names:
            head += _heads(name, points)
        rows = [_row(point, keys, names, results) for point in points]
        title = f"{experiment}: {titles[experiment]}" if titles.get(experiment) else experiment
        tables.append(Table(title, head, rows))
    return tables


def _match(match: Match, results: Results) -> list[str]:
    number = match.published
    detail = "" if number.field in ("value", "mean") else f", {number.field.replace('_', ' ').replace('p50', 'median')}"
    off = "–" if match.deviation is None else percent(match.deviation, digits=1, sign=True)
    published, found = (format_value(value, number.unit, number.metric) for value in (number.value, match.found))
    where = phrases.settings(number.set, results.axes) if number.set else "all loads"
    quantity = catalogue.metric_label(number.metric) + detail
    return [number.experiment, where, quantity, published, found, off, number.role, match.verdict]


def _names(points: list[Point]) -> set[str]:
    return {
        name for point in points for name in point.metrics if not name.startswith("delay_budget/") and point.get(name)
    }


def _heads(name: str, points: list[Point]) -> list[str]:
    label = catalogue.metric_label(name)
    distribution = any(metric.is_distribution for point in points if (metric := point.get(name)))
    return [label, "p50", "p99", "max"] if distribution else [label]


def _row(point: Point, keys: list[str], names: list[str], results: Results) -> list[str]:
    row = [phrases.value(point.set.get(key), results.axes.get(key)) for key in keys]
    for name in names:
        row += _cells(point.metrics.get(name))
    return row


def _cells(metric: Metric | None) -> list[str]:
    if metric is None:
        return ["–"]
    mean = format_interval(metric.mean, metric.interval, metric.unit, metric.name)
    if not metric.is_distribution:
        return [mean]
    times = [metric.field(of) for of in ("p50", "p99", "max")]
    return [mean, *(format_value(time, metric.unit, beside=times) for time in times)]
