"""Figures: a module per kind whose `draw` turns a description and results into one Vega-Lite chart.

The notebook shows it by Altair, the HTML report embeds its specification, PNG and SVG are rendered from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sojourn.catalogue import figure_kinds
from sojourn.errors import UnknownName
from sojourn.extras import require
from sojourn.figures.drawing import Drawing, Figure
from sojourn.figures.theme import finished
from sojourn.figures.vegalite import Chart

if TYPE_CHECKING:
    import altair

    from sojourn.reference import Published
    from sojourn.results import Results

__all__ = ["Drawing", "Figure", "chart", "draw", "suitable"]


def chart(results: Results, kind: str | None = None, **options: Any) -> altair.TopLevelMixin:
    """A figure of results without a study, of a suitable kind by default, as an Altair chart."""
    require("altair", "charts")
    import altair  # noqa: PLC0415

    drawn: altair.TopLevelMixin = altair.Chart.from_dict(draw(suitable(results, kind, options), results).to_dict())
    return drawn


def draw(
    figure: Figure,
    results: Results,
    published: Sequence[Published] = (),
    titles: dict[str, str] | None = None,
) -> Chart:
    """Draws a figure; `UnknownName` where its kind does not exist or the results do not hold what it shows."""
    if figure.kind not in figure_kinds():
        raise UnknownName(f"no figure kind {figure.kind!r}; there are {', '.join(figure_kinds())}")
    function: Callable[[Drawing], Any] = import_module(f"sojourn.figures.{figure.kind}").draw
    drawing = Drawing(figure, results, tuple(published), titles or {})
    return finished(function(drawing), drawing)


def suitable(results: Results, kind: str | None = None, options: dict[str, Any] | None = None) -> Figure:
    """The description of a figure for results without a study."""
    options = options or {}
    kind = kind or ("lines" if _numeric(results) else "distribution")
    if kind in figure_kinds():
        declared = {option["name"] for option in figure_kinds()[kind]["options"]}
        unknown = [name for name in options if name not in declared]
        if unknown:
            raise UnknownName(
                f"figure kind {kind!r} has no option {unknown[0]!r}; it has {', '.join(sorted(declared))}"
            )
    keys = _numeric(results) or list(results.axes)
    raw: dict[str, Any] = {
        "id": kind,
        "kind": kind,
        "x": keys[0] if keys else None,
        "y": ["response_time"],
        "experiments": results.experiments,
    }
    return Figure.read(raw | options)


def _numeric(results: Results) -> list[str]:
    return [key for key, axis in results.axes.items() if axis.unit is not None]
