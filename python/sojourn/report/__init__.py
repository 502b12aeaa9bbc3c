"""The report: one HTML file that opens without a network, draws its figures itself, and prints well.

Its order: the answer, figures, tables, validity, set-up, provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn import occurrences
from sojourn.report.illustrate import illustrate
from sojourn.report.page import render
from sojourn.report.search import judged, search_of

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.study import Study

__all__ = ["FILE_NAME", "write_report"]

FILE_NAME = "report.html"


def write_report(
    results: Results,
    folder: Path,
    study: Study | None = None,
    formats: Sequence[str] = (),
    watch: Callable[[str], None] | None = None,
) -> Path:
    """Writes the report of results into their folder, and every figure in these formats; gives the report's path.

    With a study its figures, answers and published numbers are used; without one those that suit the results. `watch`
    gets what is done next.
    """
    # the points of a search on a rare event are short runs without it
    drawn = (
        [] if occurrences.is_about(search_of(folder)) else illustrate(results, study, [] if study else judged(folder))
    )
    if formats:
        figures = folder / "figures"
        figures.mkdir(parents=True, exist_ok=True)
        for number, figure in enumerate(drawn, 1):
            if watch is not None:
                watch(f"drawing figure {number} of {len(drawn)}")
            figure.write(figures, formats)
    page = folder / FILE_NAME
    page.write_text(render(results, folder, study, drawn), encoding="utf-8")
    return page
