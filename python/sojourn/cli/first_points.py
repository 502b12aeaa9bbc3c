"""The first screen of a sweep or a search: one table, a row for each value of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sojourn import headlines, occurrences, phrases, services
from sojourn.cli import controlled, output, summary
from sojourn.results import Point, Results
from sojourn.units import format_ends, format_interval

MOST_POINTS = 16
MOST_TRIED = 8
VERDICT = "verdict"
Judged = Sequence[tuple[str, str]]
Column = tuple[str, list[str]]
"""A title and a cell for each point."""


def of_sweep(results: Results, judged: Judged, verdicts: Sequence[Mapping[str, Any]]) -> str:
    """A row for each point: its settings, what is required or probed, and what else varies as far as there is room."""
    axes = list(results.axes)
    keys: list[Column] = (
        [("experiment", [point.experiment for point in results])] if len(results.experiments) > 1 else []
    )
    keys += [(key, [_setting(point, key, results) for point in results]) for key in axes]
    values = _columns(results, judged, verdicts)
    required = values[: len(judged) + any(title == VERDICT for title, _ in values)]
    if sum(_width(column) + 2 for column in (*keys, *required)) - 2 > output.width():
        keys = [(title.partition(".")[2] or title, cells) for title, cells in keys]
    columns = keys + _fitting(keys, values)
    chosen = _spread(len(results.points), MOST_POINTS)
    rows = [[cells[index] for _, cells in columns] for index in chosen]
    notes = []
    if len(rows) < len(results.points):
        notes.append(f"{len(rows)} of {len(results.points)} points")
    if any("*" in cell for row in rows for cell in row):
        notes.append("* fewer than ten effective samples beyond it")
    notes.append("± and ranges are 95 % confidence intervals")
    if any(title == "delivered" for title, _ in columns):
        notes.append("means are of those delivered")
    text = output.table(rows, [title for title, _ in columns], keys=len(keys))
    corrected = controlled.of_points(results.points)
    return "\n".join([text, output.filled("; ".join(notes)), *([corrected] if corrected else [])])


def _columns(results: Results, judged: Judged, verdicts: Sequence[Mapping[str, Any]]) -> list[Column]:
    """What is required with its verdict, the time of what is probed, and other quantities that vary."""
    found: dict[str, list[str]] = {}
    for name, field in judged:
        title = name if field in ("mean", "value") else f"{name}.{field}"
        found[title] = [summary.field_at(name, field, point) for point in results]
    if any(row["verdict"] != verdicts[0]["verdict"] for row in verdicts):
        found[VERDICT] = [_verdict_at(index, verdicts) for index in range(len(results.points))]
    time = next((name for name in services.TIMES if any(point.get(name) for point in results)), None)
    if time is not None:
        found.setdefault(time, [summary.central(point.get(time)) for point in results])
        found.setdefault(f"{time}.p99", [summary.field_at(time, "p99", point) for point in results])
        if any(metric.failed_share for point in results if (metric := point.get(time)) is not None):
            found["delivered"] = [summary.delivered_at(time, point) for point in results]
    main = headlines.probed(results) if not found else None
    for other in (one for one in (*([main] if main else []), *summary.SWEPT) if one not in found):
        cells = [summary.central(point.get(other)) for point in results]
        if len(set(cells)) > 1:
            found[other] = cells
    if not found:
        found = {other: [summary.central(point.get(other)) for point in results] for other in summary.SWEPT}
    return [(title, cells) for title, cells in found.items() if any(cell not in ("–", "") for cell in cells)]


def _verdict_at(index: int, verdicts: Sequence[Mapping[str, Any]]) -> str:
    """The worst verdict at a point."""
    words = [str(row["verdict"]) for row in verdicts if row.get("point") == index]
    return next((word for word in ("missed", "undecided", "met") if word in words), "")


def _fitting(keys: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
    """As many columns as the terminal is wide, one at least."""
    room = output.width() - sum(_width(column) + 2 for column in keys)
    kept: list[Column] = []
    for column in columns:
        room -= _width(column) + 2
        if room < -2 and kept:
            break
        kept.append(column)
    return kept


def _width(column: Column) -> int:
    title, cells = column
    return max(map(len, [title, *cells]))


def _spread(count: int, most: int) -> list[int]:
    """At most `most` of a row of places, evenly, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


def _setting(point: Point, key: str, results: Results) -> str:
    found = point.set.get(key)
    return "–" if found is None else phrases.value(found, results.axes.get(key))


def of_search(answer: Mapping[str, Any]) -> str:
    """A row for each value that was tried nearest to the limit: what the condition is about, and its verdict."""
    if occurrences.is_about(answer):
        head, rows = occurrences.of_trials(answer)
    else:
        head = [str(answer["key"]), *(str(one["text"]) for one in answer["trials"][0]["conditions"]), "verdict"]
        rows = [
            [str(one["value_text"]), *map(_found, one["conditions"]), str(one["verdict"])] for one in answer["trials"]
        ]
        head = _narrow(head, rows)
    chosen = _nearest(answer)
    text = output.table([rows[index] for index in chosen], head)
    more = f"the {len(chosen)} of {len(rows)} values nearest to the limit; " if len(chosen) < len(rows) else ""
    return f"{text}\n{output.filled(f'{more}± and ranges are 95 % confidence intervals')}"


def _narrow(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A head whose table fits the terminal: where it does not, the answer has the whole key and the limits."""
    titles = [list(head)]
    titles.append([head[0].partition(".")[2] or head[0], *head[1:]])
    titles.append([titles[1][0], *(title.split(" ", 1)[0] for title in head[1:])])
    return next((one for one in titles if _total(one, rows) <= output.width()), titles[-1])


def _total(head: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    return sum(max(map(len, column)) + 2 for column in zip(head, *rows, strict=True)) - 2


def _nearest(answer: Mapping[str, Any]) -> list[int]:
    """The values that were asked for, the nearest that is met and that is missed, and those next to the limit."""
    trials = answer["trials"]
    values = [float(one["value"]) for one in trials]
    limit = answer.get("value")
    at = float(limit) if isinstance(limit, int | float) else values[len(values) // 2]
    by_distance = sorted(range(len(values)), key=lambda index: abs(values[index] - at))
    named = [row["value"] for name in ("asked", "written", "found", "beyond") if (row := answer.get(name))]
    kept = [index for index, value in enumerate(values) if value in named]
    for word in ("met", "missed"):
        kept += [index for index in by_distance if trials[index]["verdict"] == word][:1]
    return sorted(list(dict.fromkeys([*kept, *by_distance]))[:MOST_TRIED])


def _found(condition: Mapping[str, Any]) -> str:
    """The value of a condition with its interval, or why there is none."""
    value, interval = condition["value"], condition.get("interval")
    if value is None:
        return str(condition.get("reason") or "–").split(":", 1)[0]
    unit, name = str(condition["unit"]), str(condition["metric"])
    if interval and interval[1] is None:
        return format_ends(value, (interval[0] or 0.0, float("inf")), unit, name)
    return format_interval(value, interval, unit, name)
