"""The verdict of a report: the answers of its study, or a summary of a run, a sweep or a measurement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import advice, catalogue, path_findings, phases, phrases, recoveries, resources, services
from sojourn.answers import answers
from sojourn.answers.budget import largest
from sojourn.answers.expected import expected, summary
from sojourn.answers.limit import answered
from sojourn.comparison import Match, against_published, in_words, pairs
from sojourn.comparison.published import blind_score
from sojourn.point import format_quantile, of_delivered
from sojourn.reading import json_of
from sojourn.report.automatic import longest_axis
from sojourn.report.channels import headroom
from sojourn.report.search import search_of, shown_points
from sojourn.results import Point, Results
from sojourn.units import format_interval, format_value

if TYPE_CHECKING:
    from sojourn.study import Study


def verdict(results: Results, folder: Path, study: Study | None) -> list[tuple[str, str]]:
    """(title, text) of every statement, the most important first."""
    if study is not None:
        found = answers(study.answers, results, study.titles, study.published)
        matches = against_published(results, study.published)
        if matches:
            found.append(("Comparison with published values", f"{agreement(matches)} The table below lists all."))
        measured = pairs(results)
        if measured:
            found.append(("Comparison with the testbed", in_words(measured)))
        return found
    if compared := results.raw.get("advice"):
        return [("Advice", " ".join(advice.sentences(compared)))]
    search = search_of(folder)
    if search is not None:
        # beyond the limit, expectations are missed by design
        return [*answered(search), *_of_shown(results, folder)]
    return [*expectations(folder, results), *_by_itself(results), *path_findings.answer(results)]


def agreement(matches: list[Match]) -> str:
    """How many published values agree, those that constants were fitted to apart from the others."""
    parts = []
    for role, meaning in (("calibration", "the model was fitted to"), ("prediction", "it predicts")):
        of_role = [match for match in matches if match.published.role == role]
        if of_role:
            met = sum(match.agrees for match in of_role)
            parts.append(f"{met} of {len(of_role)} published values that {meaning} agree")
    if score := blind_score(matches):
        parts.append(score.in_words)
    return f"{phrases.capitalised('; '.join(parts))}."


def _of_shown(results: Results, folder: Path) -> list[tuple[str, str]]:
    """The requested value of a search; without one, the summary of a sweep."""
    shown = shown_points(results, folder)
    if not shown:
        return _by_itself(results)
    name, point = shown[0]
    return [(f"{title}, {name}", text) for title, text in _of_point(point)]


def expectations(folder: Path, results: Results) -> list[tuple[str, str]]:
    """The `[expect]` lines with their verdicts; over a sweep, the points at which each holds."""
    return [("Expected", f"{line}.") for line in expected(verdicts(folder), results.axes)]


def requirements(folder: Path) -> str:
    """How many `[expect]` lines are met, in one sentence that names the others; empty without such lines."""
    return summary(verdicts(folder))


def verdicts(folder: Path) -> list[dict[str, Any]]:
    """The rows of `verdicts.json`; none where the scenario expects nothing."""
    return list(json_of(folder / "verdicts.json", []))


def _by_itself(results: Results) -> list[tuple[str, str]]:
    if measured := phases.answer(results):
        return measured
    if len(results.points) == 1:
        return _of_point(results.points[0])
    if not results.axes:
        return _medians(results)
    axis = longest_axis(results)
    if axis is None or results.axes.get(axis) is None:
        return []
    from sojourn.answers import answer  # noqa: PLC0415

    alone = len(results.axes) == 1
    name = next((name for name in services.TIMES if any(point.get(name) for point in results)), services.TIMES[0])
    asked = [
        (catalogue.metric_label(name), {"kind": "knee", "x": axis, "y": name}),
        ("Delay budget", {"kind": "budget", "x": axis}),
    ]
    found = [(title, " ".join(answer(raw, results))) for title, raw in asked] if alone else []
    return [(title, text) for title, text in found if text]


def _medians(results: Results) -> list[tuple[str, str]]:
    """The median time of each experiment."""
    times = {
        point.experiment: time
        for point in results
        if (time := point.get("response_time") or point.get("one_way_delay"))
    }
    medians = [
        f"{name} {format_value(time.field('p50'), 's')} (p99 {format_quantile(time, 'p99')})"
        for name, time in times.items()
    ]
    names = dict.fromkeys(services.label_of(time) for time in times.values())
    return [(f"Median {phrases.list_of(list(names))}", f"{'; '.join(medians)}.")] if medians else []


def _of_point(point: Point) -> list[tuple[str, str]]:
    said = []
    time = point.get("response_time") or point.get("one_way_delay")
    if time is not None:
        mean = format_interval(time.mean, time.interval, "s")
        half, most = (format_quantile(time, of) for of in ("p50", "p99"))
        largest_time = format_value(time.field("max"), "s")
        text = f"mean {mean}{of_delivered(time)}, median {half}, p99 {most}, maximum {largest_time}."
        said.append((catalogue.metric_label(time.name), text))
    if heard := services.calls(point):
        said.append(("Calls", heard))
    if time is not None and point.components:
        text = f"Largest component {largest(point, 'share')}; in the slowest 1 % {largest(point, 'slowest_share')}."
        said.append(("Delay budget", text))
    if recovered := recoveries.sentence(point):
        said.append(("Recovery", recovered))
    said += _busiest(point)
    if room := headroom(point):
        said.append(("Headroom", room))
    return said


def _busiest(point: Point) -> list[tuple[str, str]]:
    """What saturates first, processors and queues included; of a point without resources the busiest medium."""
    if said := resources.bottleneck(point):
        return [("Bottleneck", f"{said.removeprefix('bottleneck: ')}.")]
    media = [metric for name, metric in point.metrics.items() if name.startswith("utilisation/") and metric.applies]
    if not media or len(resources.of_point(point)) > 1:
        return []
    busiest = max(media, key=lambda metric: metric.mean or 0.0)
    name = busiest.name.split("/", 1)[1]
    return [("Busiest medium", f"{name}, utilisation {format_value(busiest.mean, '1', 'utilisation')}.")]
