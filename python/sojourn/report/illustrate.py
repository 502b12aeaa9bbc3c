"""The figures of a report: those that a study asks for, or those that suit the results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.compare import pairs
from sojourn.figures import Figure, draw
from sojourn.report.automatic import automatic_figures

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.study import Study

PNG_SCALE = 2.0
COLUMNS = {"samples": "samples", "rotations": "histogram", "course": "trace"}
"""Kinds of figures that need more than summaries, and what they need."""
COMPARING = ("comparison", "difference", "ranking")
"""Kinds of figures that set experiments beside each other."""


@dataclass(frozen=True)
class Drawn:
    """A figure and its Vega-Lite specification."""

    figure: Figure
    specification: dict[str, Any]

    @property
    def number(self) -> str:
        """What the figure is called: "Figure 7", or its title alone where its id is a word."""
        return f"Figure {self.figure.id}" if self.figure.id[:1].isdigit() else ""

    @cached_property
    def embedded(self) -> str:
        """The specification as JSON that can stand inside a script element."""
        return json.dumps(self.specification, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")

    def write(self, folder: Path) -> None:
        """Writes the figure as PNG and SVG."""
        import vl_convert  # noqa: PLC0415

        text = json.dumps(self.specification)
        (folder / f"{self.figure.id}.png").write_bytes(vl_convert.vegalite_to_png(text, scale=PNG_SCALE))
        (folder / f"{self.figure.id}.svg").write_text(vl_convert.vegalite_to_svg(text), encoding="utf-8")


def illustrate(results: Results, study: Study | None, search: dict[str, Any] | None = None) -> list[Drawn]:
    """Draws every figure whose experiments, and samples where it needs them, the results hold."""
    figures = [Figure.read(raw) for raw in study.figures] if study else automatic_figures(results, search)
    published = study.published if study else []
    titles = study.titles if study else {}
    return [
        Drawn(figure, draw(figure, results, published, titles).to_dict())
        for figure in figures
        if drawable(figure, results)
    ]


def drawable(figure: Figure, results: Results) -> bool:
    """Whether the results hold what the figure shows; comparing needs two of its experiments."""
    present = [experiment for experiment in figure.experiments if experiment in results.experiments]
    least = 2 if figure.kind in COMPARING and len(figure.experiments) > 1 else 1
    if figure.experiments and len(present) < least:
        return False
    points = [point for point in results.points if not figure.experiments or point.experiment in present]
    if figure.kind == "histogram":
        return _sampled(figure, results, present)
    if figure.kind in COLUMNS:
        return bool(getattr(results, COLUMNS[figure.kind])(figure.y[0]).height)
    if figure.kind == "budget":
        return any(point.components for point in points)
    if figure.kind in ("members", "parity"):
        return figure.kind == "members" or any(pair.experiment in present for pair in pairs(results))
    return any(point.get(name) for point in points for name in figure.y)


def _sampled(figure: Figure, results: Results, present: list[str]) -> bool:
    """Whether there are samples at one of the values the histogram shows."""
    samples = results.samples(figure.y[0])
    if figure.x not in samples.columns:
        return False
    held = set(zip(samples["experiment"], samples[figure.x], strict=True))
    return any((experiment, float(value)) in held for experiment in present for value in figure.at)
