"""The tables: comparison with published values, and all results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sojourn import catalogue, occurrences, phrases
from sojourn.comparison import against_published, pairs
from sojourn.comparison.published import Match, blind_score
from sojourn.point import format_quantile
from sojourn.report.table import Table
from sojourn.results import Metric, Point, Results
from sojourn.units import format_interval, format_value, percent

if TYPE_CHECKING:
    from sojourn.reference import Published
    from sojourn.study import Study

HEAD = ("Experiment", "At", "Metric", "Published", "Sojourn", "Deviation", "Tolerance", "Role", "Verdict")
BLIND_TITLE = "Published values that were predicted before they were known, the furthest first"
BLIND_HEAD = (
    "Experiment",
    "At",
    "Metric",
    "Published",
    "Predicted",
    "Deviation",
    "Tolerance",
    "Verdict",
    "Sojourn now",
)
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
MOST_COLUMNS = 5
"""Most points of a table, which fits a printed page."""
FIRST = ("response_time", "transaction_time", "transaction_rate", "throughput", "throughput_l3", "throughput_l4")


def published_tables(results: Results, study: Study | None) -> list[Table]:
    """Every published value and the result for it; those that were predicted before they were known apart."""
    matches = against_published(results, study.published) if study else []
    tables = []
    if known := [match for match in matches if not match.published.scored_blind]:
        tables.append(Table("Comparison with published values", HEAD, [_match(match, results) for match in known]))
    if score := blind_score(matches):
        tables.append(Table(BLIND_TITLE, BLIND_HEAD, [_predicted(match, results) for match in score.matches]))
    return tables


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
    """The tables of each experiment: a row per metric, a column per point, a few points to a table."""
    titles = study.titles if study else {}
    tables = measured_table(results)
    for experiment in results.experiments:
        points = results.select(experiment)
        title = f"{experiment}: {titles[experiment]}" if titles.get(experiment) else experiment
        for start in range(0, len(points), MOST_COLUMNS):
            shown = points[start : start + MOST_COLUMNS]
            first, last = start + 1, start + len(shown)
            part = f"point {last}" if first == last else f"points {first} to {last}"
            part = f", {part} of {len(points)}" if len(points) > len(shown) else ""
            tables.append(_of_points(results, shown, title + part))
    return tables


def risk_table(answer: dict[str, Any]) -> Table:
    """How often a rare event occurs at each value that a search tried."""
    head, rows = occurrences.of_trials(answer)
    return Table(f"Values tried for {answer['text']}, rates with their 95 % confidence intervals", head, rows)


def _of_points(results: Results, points: list[Point], title: str) -> Table:
    order = {name: index for index, name in enumerate(FIRST)}
    names = sorted(_names(points), key=lambda name: (order.get(name, len(FIRST)), phrases.natural(name)))
    rows = [row for name in names for row in _rows(name, points)]
    return Table(title, ["Metric", *(phrases.settings(point.set, results.axes) for point in points)], rows)


def _match(match: Match, results: Results) -> list[str]:
    return [*_compared(match, results), match.published.role, match.verdict]


def _predicted(match: Match, results: Results) -> list[str]:
    number = match.published
    now = format_value(number.found_in(results), number.unit, number.metric)
    return [*_compared(match, results), match.verdict, now]


def _compared(match: Match, results: Results) -> list[str]:
    number = match.published
    off = "–" if match.deviation is None else percent(match.deviation, digits=1, sign=True)
    published, found = (format_value(value, number.unit, number.metric) for value in (number.value, match.found))
    where = phrases.settings(number.set, results.axes) if number.set else "all settings"
    room = f"± {format_value(match.room, number.unit, number.metric, beside=[number.value])}"
    return [number.experiment, where, quantity(number), published, found, off, room]


def quantity(number: Published) -> str:
    """What a published number is of: "Response time, median"."""
    detail = "" if number.field in ("value", "mean") else f", {number.field.replace('_', ' ').replace('p50', 'median')}"
    return catalogue.metric_label(number.metric) + detail


def _names(points: list[Point]) -> set[str]:
    return {
        name
        for point in points
        for name, metric in point.metrics.items()
        if not name.startswith("delay_budget/") and (metric.applies or metric.undelivered)
    }


def _rows(name: str, points: list[Point]) -> list[list[str]]:
    """The rows of one metric; a distribution has several."""
    found = [point.metrics.get(name) for point in points]
    label = catalogue.metric_label(name)
    rows = [[label, *(_central(metric) for metric in found)]]
    if not any(metric is not None and metric.is_distribution for metric in found):
        return rows
    for field in ("p50", "p95", "p99"):
        rows.append([f"  {field}", *("–" if metric is None else format_quantile(metric, field) for metric in found)])
    rows.append(
        ["  maximum", *("–" if metric is None else format_value(metric.field("max"), metric.unit) for metric in found)]
    )
    if any(metric is not None and metric.sent is not None for metric in found):
        rows.append(["  delivered", *("–" if metric is None else metric.delivered for metric in found)])
    return rows


def _central(metric: Metric | None) -> str:
    if metric is None:
        return "–"
    return format_interval(metric.mean, metric.interval, metric.unit, metric.name)
