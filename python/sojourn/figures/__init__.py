"""Figures: one function per kind, each from a description and results to one Altair chart.

The notebook shows the chart, the HTML report embeds its specification, PNG and SVG are rendered from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sojourn.errors import UnknownName
from sojourn.figures.drawing import Drawing, Figure
from sojourn.figures.theme import finished

if TYPE_CHECKING:
    import altair

    from sojourn.reference import Published
    from sojourn.results import Results

__all__ = ["KINDS", "Drawing", "Figure", "draw", "suitable"]

KINDS = {
    "bars": "grouped bars over the values of a key, one panel per experiment and metric",
    "extremes": "shortest, mean and longest over a key",
    "histogram": "samples in bins at chosen values of a key",
    "curves": "metrics over a key with their intervals, and where throughput is largest",
    "panels": "a metric over a key, one panel per experiment, one line for each setting of the other keys",
    "samples": "a distribution sample by sample, in the order in which it was observed",
    "trace": "levels over time from the start of a run: a queue, an allowed rate",
    "course": "every request of a measurement over the time at which it left, and what the load carried meanwhile",
    "rotations": "a distribution of many magnitudes, in bins of equal ratio",
    "comparison": "one metric of several experiments over a key, with intervals",
    "difference": "one metric of several experiments less that of the first over a key, with intervals",
    "ranking": "one metric of an experiment and of its variants at one value of a key, largest first",
    "limit": "a field of a metric over a key, against the limit asked of it",
    "budget": "the components of the response time, stacked, for all samples and the slowest",
    "distribution": "the share of samples at or below each time",
    "spectrum": "each quantile of a time over how rare it is: 50 %, 90 %, 99 % and so on with the same room",
    "members": "one metric of all its members, largest first",
    "parity": "measured medians of the response time over simulated ones, point by point",
    "stages": "one metric of all its members over a key: how busy each stage is",
}


def draw(
    figure: Figure,
    results: Results,
    published: Sequence[Published] = (),
    titles: dict[str, str] | None = None,
) -> altair.TopLevelMixin:
    """Draws a figure; `UnknownName` where its kind does not exist or the results do not hold what it shows."""
    if figure.kind not in KINDS:
        raise UnknownName(f"no figure kind {figure.kind!r}; there are {', '.join(KINDS)}")
    function: Callable[[Drawing], Any] = import_module(f"sojourn.figures.{figure.kind}").draw
    drawing = Drawing(figure, results, tuple(published), titles or {})
    drawn: altair.TopLevelMixin = finished(function(drawing), drawing)
    return drawn


def suitable(results: Results, kind: str | None = None, options: dict[str, Any] | None = None) -> Figure:
    """The description of a figure for results without a study."""
    axes = [key for key, unit in results.axes.items() if unit is not None]
    words = [key for key, unit in results.axes.items() if unit is None]
    raw: dict[str, Any] = {
        "id": kind or "figure",
        "kind": kind or ("comparison" if axes else "distribution"),
        "title": "",
        "x": axes[0] if axes else (words[0] if words else None),
        "y": ["response_time"],
        "experiments": results.experiments,
    }
    return Figure.read(raw | (options or {}))
