"""The answer of a search, and the points of it that the report shows in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sojourn import phrases, requirements
from sojourn.reading import json_of
from sojourn.results import Point, Results

FILE_NAME = "find.json"
VERDICTS = "verdicts.json"


def search_of(folder: Path) -> dict[str, Any] | None:
    """The answer of a search; None where the results are not those of a search."""
    answer: dict[str, Any] | None = json_of(folder / FILE_NAME, None)
    return answer


def shown_points(results: Results, folder: Path) -> list[tuple[str, Point]]:
    """(name, point): the point of a run; of a search the requested and the current value."""
    if len(results.points) == 1:
        return [("", results.points[0])]
    answer = search_of(folder)
    if answer is None:
        return []
    values = [row["value"] for row in (answer.get("asked"), answer.get("written")) if row]
    found = [point for value in values for point in results.points if point.set.get(answer["key"]) == value]
    return [(phrases.settings(point.set, results.axes), point) for point in found]


def judged(folder: Path) -> list[dict[str, Any]]:
    """The conditions of a search or of a sweep's expectations: text, metric, field and limit in SI units."""
    answer = search_of(folder)
    if answer is not None:
        tried = answer.get("asked") or answer.get("found") or {}
        return list(tried.get("conditions") or [])
    rows = json_of(folder / VERDICTS, [])
    return [found for text in dict.fromkeys(str(row["text"]) for row in rows) if (found := _condition(text))]


def _condition(text: str) -> dict[str, Any] | None:
    """An expectation in its parts: "response_time.p99 < 250 ms"; None where it is not a limit."""
    found = requirements.Condition.parse(text)
    if found is None or found.relation == "=":
        return None
    return {"text": text, "metric": found.metric, "field": found.field, "limit": found.limit}
