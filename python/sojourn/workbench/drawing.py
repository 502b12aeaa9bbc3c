"""Draws figures, and runs slow store queries, in a separate process, so that other pages need not wait."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sojourn.workbench.children import Children, Limits

LIMITS = Limits(processor_s=60, wall_s=60.0, memory=8 << 30, output=64 << 20, nice=10)
CALLS = 50
"""Figures after which the process is replaced, and its memory freed."""
KEPT = "figures.json"


class Drawing:
    """The process; it begins with the first figure."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._children = Children(LIMITS, most=1, of_visitor=1, calls=CALLS)

    async def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of a function there, as JSON has it."""
        return await self._children.do(function, *arguments)

    async def close(self) -> None:
        """Ends the process."""
        await self._children.close()


def figures_of(folder: str) -> str:
    """The figures of results as JSON: title, caption and specification of each; kept beside the results."""
    from sojourn.report.illustrate import illustrate  # noqa: PLC0415
    from sojourn.report.search import judged  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415
    from sojourn.workbench.studies import study_of  # noqa: PLC0415

    place = Path(folder)
    kept = place / KEPT
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    results = read_results(place)
    study = study_of(results)
    drawn = illustrate(results, study, [] if study else judged(place))
    rows = [{"title": one.title, "caption": one.caption, "specification": one.untitled} for one in drawn]
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    part = kept.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(kept)
    return text
