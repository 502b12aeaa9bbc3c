"""Two results compared, in the process that draws: what `sojourn compare` prints, as tables and a figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def compared(first: str, second: str) -> dict[str, Any]:
    """Tables, sentence and notes of the results in two folders, for a page."""
    from dataclasses import asdict  # noqa: PLC0415

    from sojourn.comparison import compare_results, shown  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415

    results, other = read_results(Path(first)), read_results(Path(second))
    found = compare_results(results, other)
    return {
        "tables": [asdict(table) for table in shown.tables(found, results)],
        "sentence": shown.sentence(found),
        "notes": list(found.notes),
        "verdict": "They differ" if found.differs else "No difference shown" if found.decidable else "Not decidable",
    }


def figure(first: str, second: str, names: list[str]) -> str:
    """Both distributions, or an outage of both over time, in one figure, as JSON; an empty list where none fits."""
    from sojourn.errors import SojournError  # noqa: PLC0415
    from sojourn.figures import beside, pair  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415

    both = [read_results(Path(folder)) for folder in (first, second)]
    try:
        drawn = beside.draw(both) if beside.fits(both) else pair.draw(dict(zip(names, both, strict=True)))
    except SojournError:
        return "[]"
    specification = drawn.to_dict()
    title = specification.pop("title")
    caption = " ".join(title["subtitle"])
    return json.dumps([{"title": title["text"], "caption": caption, "specification": specification}])
