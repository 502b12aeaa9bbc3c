"""The answer of a search, and the points of it that the report shows in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sojourn import phrases
from sojourn.results import Point, Results

FILE_NAME = "find.json"


def search_of(folder: Path) -> dict[str, Any] | None:
    """The answer of a search; None where the results are not those of a search."""
    file = folder / FILE_NAME
    if not file.exists():
        return None
    answer: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
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
