"""The figures of a report: those of its study, or those that suit the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.comparison import pairs
from sojourn.figures import Figure, draw, files
from sojourn.report.automatic import automatic_figures

if TYPE_CHECKING:
    from sojourn.results import Point, Results
    from sojourn.study import Study

VARIANT = "+"
"""What the id of a variant has after that of its experiment."""
COLUMNS = {"samples": "samples", "trace": "traces", "timeseries": "traces"}
"""The kind of columns that kinds of figures need besides the metrics."""


@dataclass(frozen=True)
class Drawn:
    """A figure and its Vega-Lite specification."""

    figure: Figure
    specification: dict[str, Any]

    @property
    def number(self) -> str:
        """The number in the source of a study: "Figure 7" of "7" and "7-load", "Figures 7 and 8" of "7-8".

        It is empty where the id is a word.
        """
        found = re.match(r"(\d+)(?:-(\d+))?", self.figure.id)
        if found is None:
            return ""
        first, second = found.groups()
        return f"Figures {first} and {second}" if second else f"Figure {first}"

    @property
    def untitled(self) -> dict[str, Any]:
        """The specification for a page that shows title and caption itself."""
        return files.untitled(self.specification)

    @cached_property
    def embedded(self) -> str:
        """The specification as a page holds it for `figures.js`."""
        return files.embedded(self.specification)

    @property
    def title(self) -> str:
        """The title of the figure."""
        return files.title(self.specification)

    @property
    def caption(self) -> str:
        """What the figure shows: runs, seed, intervals and marks."""
        return files.caption(self.specification)

    def write(self, folder: Path, formats: Sequence[str]) -> None:
        """Writes the figure as PNG, SVG or both."""
        for ending in formats:
            files.write(self.specification, folder / f"{self.figure.id}.{ending}")


def illustrate(results: Results, study: Study | None, judged: Sequence[dict[str, Any]] = ()) -> list[Drawn]:
    """Draws every figure whose experiments and columns the results hold."""
    figures = [Figure.read(raw) for raw in study.figures] if study else automatic_figures(results, judged)
    published = study.published if study else []
    titles = study.titles if study else {}
    return [
        Drawn(figure, draw(figure, results, published, titles).to_dict())
        for figure in figures
        if drawable(figure, results)
    ]


def drawable(figure: Figure, results: Results) -> bool:
    """Whether the results hold what the figure shows."""
    present = [experiment for experiment in figure.experiments if experiment in results.experiments]
    if figure.experiments and not _are_enough(figure, present):
        return False
    points = [point for point in results.points if not figure.experiments or point.experiment in present]
    if figure.kind in COLUMNS:
        kind = COLUMNS[figure.kind]
        return any(results.columns_at(point, name, kind)["value"] for name in figure.y for point in results.points)
    if figure.kind in ("advice", "bounds"):
        return bool(results.raw.get(figure.kind))
    if figure.kind == "parity":
        return any(pair.experiment in present for pair in pairs(results))
    return any(_is_shown(figure, results, point) for point in points)


def _are_enough(figure: Figure, present: list[str]) -> bool:
    """Whether a figure of experiments has those it needs: a comparison two, a figure of variants one of them."""
    if len(present) < (2 if _compares(figure) else 1):
        return False
    of_variants = any(VARIANT in experiment for experiment in figure.experiments)
    if of_variants and not any(VARIANT in experiment for experiment in present):
        return False
    return figure.baseline is None or figure.baseline in present


def _is_shown(figure: Figure, results: Results, point: Point) -> bool:
    """Whether a point has what the figure shows of each point."""
    if figure.kind == "histogram":
        return _has_samples(figure, results, point)
    if figure.kind == "budget":
        return bool(point.components)
    if figure.kind == "timeline":
        return any(point.timeline(name) for name in figure.y)
    return any(point.members(name) if figure.members else point.get(name) for name in figure.y)


def _compares(figure: Figure) -> bool:
    """Whether a figure compares experiments in one panel."""
    several = len(figure.experiments) > 1
    return several and (figure.kind == "ranking" or (figure.kind == "lines" and figure.facet != "experiment"))


def _has_samples(figure: Figure, results: Results, point: Point) -> bool:
    """Whether a point is among those the histogram shows and has samples or bins."""
    if figure.at and point.set.get(figure.x or "") not in figure.at:
        return False
    name = figure.y[0]
    return bool(results.columns_at(point, name)["value"] or results.columns_at(point, name, "histograms")["count"])
