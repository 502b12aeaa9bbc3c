"""One metric of all its members, largest first: utilisation of every medium, packets of every station."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing, ends
from sojourn.results import Metric, Point
from sojourn.units import scale

MOST_BARS = 15


def draw(drawing: Drawing) -> Any:
    """Horizontal bars of `y`'s members at the first point, with 95 % intervals; the largest fifteen."""
    name = drawing.figure.y[0]
    point = drawing.points(drawing.experiments[0])[0]
    found = members(point, name)
    if not found:
        raise UnknownName(f"no metric {name}/... in these results")
    largest = sorted(found.items(), key=lambda item: -(item[1].mean or 0.0))[:MOST_BARS]
    shown = scale(largest[0][1].unit, largest[0][1].mean or 0.0, name)
    rows = []
    for member, metric in largest:
        low, high = ends(metric)
        rows.append(
            {"member": member, "value": shown.number(metric.mean), "low": shown.number(low), "high": shown.number(high)}
        )
    if len(found) > MOST_BARS:
        drawing.note(f"The largest {MOST_BARS} of {len(found)}")
    drawing.note("Whiskers are 95 % intervals")
    title = labels.with_unit(labels.metric_label(name), labels.metric_unit(name, shown.unit))
    base = theme.chart(rows).encode(y=alt.Y("member:N", sort=None, title=None))
    bars = base.mark_bar(color=theme.PALETTE[0]).encode(x=alt.X("value:Q", title=title, scale=alt.Scale(zero=True)))
    whiskers = base.mark_rule(color=theme.INK).encode(x="low:Q", x2="high:Q")
    return alt.layer(bars, whiskers).properties(width=theme.WIDTH, height=alt.Step(20))


def members(point: Point, name: str) -> dict[str, Metric]:
    """The metric's members at a point, by member name."""
    prefix = f"{name}/"
    return {
        full.removeprefix(prefix): metric
        for full, metric in point.metrics.items()
        if full.startswith(prefix) and metric.applies
    }
