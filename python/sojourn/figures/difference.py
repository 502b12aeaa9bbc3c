"""What the first experiment lacks: a metric of the others less the same of the first, over a key, run by run.

The transit time of a packet network is such a difference: the round trip through it, less that of the terminals alone.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn.compare.paired import difference
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import layers_of, x_axis
from sojourn.results import Point
from sojourn.units import Scale

NOTE = "Bands are 95 % intervals of the difference, paired run by run"


def draw(drawing: Drawing) -> Any:
    """One line for each experiment after the first and each setting of the other keys."""
    name = drawing.figure.y[0]
    base, *others = drawing.experiments
    shown = drawing.scale_of(name)
    pairs = [
        (drawing.title_of(experiment), first, second)
        for experiment in others
        for first in drawing.points(base)
        for second in drawing.points(experiment)
        if second.set == first.set
    ]
    rows = [row for title, first, second in pairs if (row := _row(drawing, title, first, second, shown))]
    title = f"{drawing.axis_title(name, shown)} less that of {base}"
    layers = layers_of(drawing, rows, title, note=NOTE)
    published = [row for _, first, second in pairs if (row := _published(drawing, first, second, shown))]
    if published:
        drawing.note("Black diamonds are differences of published numbers")
        layers.append(theme.published_mark(published, x=x_axis(drawing, rows), y=alt.Y("value:Q")))
    return alt.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT)


def _row(drawing: Drawing, title: str, first: Point, second: Point, shown: Scale) -> dict[str, Any] | None:
    one, two = first.get(drawing.figure.y[0]), second.get(drawing.figure.y[0])
    gap = difference(one, two, paired=True) if one and two else None
    if gap is None:
        return None
    low, high = gap.interval or (gap.value, gap.value)
    return {
        "x": second.set.get(drawing.figure.x or ""),
        "series": ", ".join([title, *drawing.other_settings(second)]),
        "value": shown.number(gap.value),
        "low": shown.number(low),
        "high": shown.number(high),
    }


def _published(drawing: Drawing, first: Point, second: Point, shown: Scale) -> dict[str, Any] | None:
    """The difference of the published numbers of both points, where there are both."""
    ends = [
        row.value
        for point in (first, second)
        for row in drawing.published_of(point.experiment, drawing.figure.y[0], ("mean", "value"))
        if row.covers(point)
    ]
    if len(ends) != 2:
        return None
    return {"x": second.set.get(drawing.figure.x or ""), "value": shown.number(ends[1] - ends[0])}
