"""The head of a report: the few lines that a manager reads, one small table, and a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import advice, catalogue, headlines, occurrences, outages, path_findings, phases, phrases, services
from sojourn.answers import answer
from sojourn.comparison import against_published
from sojourn.point import format_quantile
from sojourn.report import study_headline
from sojourn.report.automatic import longest_axis
from sojourn.report.search import search_of
from sojourn.report.table import Table
from sojourn.report.verdict import agreement, requirements, verdicts
from sojourn.results import Metric, Point, Results
from sojourn.units import format_interval, format_value

if TYPE_CHECKING:
    from sojourn.report.illustrate import Drawn
    from sojourn.study import Study

MOST_ROWS = 6
TITLED = ("Recovery", "Bottleneck", "Busiest medium")
"""Findings of a run that are not sentences by themselves, or come before the others."""


@dataclass
class Headline:
    """The lines, the table and the figure; any of them may be missing."""

    lines: list[str] = field(default_factory=list)
    table: Table | None = None
    figure: Drawn | None = None


def headline(
    results: Results, folder: Path, study: Study | None, found: list[tuple[str, str]], drawn: list[Drawn]
) -> Headline:
    """The head of a report whose findings are `found`."""
    lines = [phrases.sentences(text)[0] for _, text in found]
    first = drawn[0] if drawn else None
    if study is not None:
        matches = against_published(results, study.published)
        raw = study_headline.main_answer(results, study)
        text = " ".join(answer(raw, results, study.titles, study.published)) if raw else "".join(lines[:1])
        main = [study_headline.extremes(results, study, raw) or phrases.sentences(text)[0]]
        more = [agreement(matches)] if matches else lines[1:2]
        table = study_headline.table(results, study, raw)
        return Headline([line for line in (*main, *more) if line], table, study_headline.figure(drawn, raw))
    if answered := _answered(results, folder, found, first):
        return answered
    said = [line for line in [requirements(folder)] if line]
    if measured := phases.answer(results):
        measured += path_findings.answer(results)
        return Headline([*(f"{title}: {text}" for title, text in measured), *said], _of_measured(results), first)
    lost = [line for line in [outages.sentence(results)] if line]
    if len(results.points) == 1:
        return Headline([*lost, *_of_run(results, found, verdicts(folder))], _of_point(results.points[0]), first)
    others = [phrases.sentences(text)[0] for title, text in found if title != "Expected"]
    if results.raw["world"] == "simulated" and (main := headlines.of_sweep(results, verdicts(folder))):
        rest = [line for line in others if line not in main]
        return Headline([*lost, *[*main, *rest][:2]], _of_points(results), first)
    return Headline([*lost, *[*others[:1], *said, *others[1:]][:2]], _of_points(results), first)


def _answered(results: Results, folder: Path, found: list[tuple[str, str]], first: Drawn | None) -> Headline | None:
    """The answer of advice or of a search; None where nothing was asked."""
    if compared := results.raw.get("advice"):
        return Headline(advice.sentences(compared)[:3], _of_advice(compared), first)
    search = search_of(folder)
    if search is None:
        return None
    asked = [headlines.of_asked(search)] if search.get("asked") else []
    limit = phrases.sentences(dict(found).get("Limit", ""))[0]
    return Headline([line for line in (*asked, limit) if line], _of_search(search), first)


def _of_run(results: Results, found: list[tuple[str, str]], judged: list[dict[str, Any]]) -> list[str]:
    """What answers a run, and behind it the time of what is probed or the first of the other findings."""
    point = results.points[0]
    main = headlines.of_run(results, judged)
    time = headlines.of_time(point)
    titles = {"Expected", "Calls", *TITLED, *(catalogue.metric_label(name) for name in services.TIMES if time)}
    others = [line for line in time if line not in main]
    others += [phrases.sentences(text)[0] for title, text in found if title not in titles]
    others += [f"{title}: {text}" for title, text in found if title == "Bottleneck"]
    return [*main, *others[:1]]


def _of_measured(results: Results) -> Table | None:
    """The response time of a measurement, or of each of its phases."""
    return _of_point(results.points[0]) if len(results.points) == 1 else _of_points(results)


def _of_point(point: Point) -> Table | None:
    """The time of what is probed in a run by statistic, and the quality of calls, with their intervals."""
    time = services.time_of(point)
    if time is None:
        return None
    rows = [["Mean" + (" of those delivered" if time.failed_share else ""), _mean(time)]]
    rows += [
        [label, format_quantile(time, name)] for name, label in (("p50", "Median"), ("p95", "p95"), ("p99", "p99"))
    ]
    rows += [["Maximum", format_value(time.field("max"), time.unit)], ["Delivered", time.delivered]]
    heard = [metric for name in services.CALLS if (metric := point.get(name)) is not None]
    rows += [[catalogue.metric_label(metric.name), _mean(metric)] for metric in heard]
    label = catalogue.metric_label(time.name)
    return Table(label, (label, "Value (95 % confidence interval)"), rows)


def _of_points(results: Results) -> Table | None:
    """The time of what is probed, and the quality of calls, along the axis of a sweep or at each phase."""
    points = [point for point in results.points if services.time_of(point) is not None]
    if not points:
        return None
    axis = longest_axis(results)
    heard = [name for name in services.CALLS if any(point.get(name) for point in points)]
    step = max(1, -(-len(points) // MOST_ROWS))
    chosen = list(dict.fromkeys([*range(0, len(points), step), len(points) - 1]))
    rows = []
    for point in (points[index] for index in chosen):
        where = _value_at(point, axis, results)
        rows.append([where, *_cells(services.time_of(point)), *(_central(point.get(name)) for name in heard)])
    title = results.axes[axis].label if axis is not None and len(results.axes) == 1 else "At"
    time = services.time_of(points[0])
    label = catalogue.metric_label(time.name if time is not None else "")
    return Table(label, (title, "Mean", "p99", "Delivered", *map(catalogue.metric_label, heard)), rows)


def _value_at(point: Point, axis: str | None, results: Results) -> str:
    """A point by the value of the only axis, by all its settings, or by its phase."""
    if axis is not None and len(results.axes) == 1:
        return phrases.value(point.set.get(axis), results.axes[axis])
    return phrases.settings(point.set, results.axes) if point.set else point.experiment


def _of_advice(compared: dict[str, Any]) -> Table:
    """The compared changes, the best first."""
    rows, head = advice.table(compared)
    return Table("Changes", tuple(head), rows)


def _of_search(answer: dict[str, Any]) -> Table | None:
    """What was found at the requested, the present and the limiting value."""
    limit = "Limit" if answer.get("outcome", "found") == "found" else "Tried"
    named = (("Asked", "asked"), ("Today", "written"), (limit, "found"), ("Beyond", "beyond"))
    tried = [(name, answer[key]) for name, key in named if answer.get(key) and answer[key].get("conditions")]
    if not tried:
        return None
    texts = [str(condition["text"]) for condition in tried[0][1]["conditions"]]
    rows = [
        [
            name,
            str(trial["value_text"]),
            *(_value_of(one) for one in trial["conditions"]),
            str(trial["verdict"]),
        ]
        for name, trial in tried
    ]
    return Table("Search", ("", str(answer["key"]), *texts, "Verdict"), rows)


def _value_of(condition: dict[str, Any]) -> str:
    if condition["metric"] == "risk":
        return occurrences.so_far(condition["value"], condition["interval"])
    return format_value(condition["value"], condition["unit"], condition["metric"])


def _cells(time: Metric | None) -> list[str]:
    return ["–"] * 3 if time is None else [_mean(time), format_quantile(time, "p99"), time.delivered]


def _central(metric: Metric | None) -> str:
    return "–" if metric is None else _mean(metric)


def _mean(time: Metric) -> str:
    return format_interval(time.mean, time.interval, time.unit, time.name)
