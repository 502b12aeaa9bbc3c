"""A metric over a key, one panel per experiment, a line for each setting of the other keys.

A distribution shows its 99.9 % quantile, too, as latencies of real-time traffic are published.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing, central
from sojourn.figures.lines import cycled, logarithmic, x_axis
from sojourn.figures.ticks import logarithmic_axis
from sojourn.results import Point
from sojourn.units import Scale

FIELDS = {"mean": "mean", "99.9 %": "p999"}
LINES = {"mean": [1, 0], "99.9 %": [4, 3]}
COUNTS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
PANEL_WIDTH, PANEL_HEIGHT = 340, 240


def draw(drawing: Drawing) -> Any:
    """One panel per experiment and value of `by`; a colour for each setting of the other keys."""
    name = drawing.figure.y[0]
    panels = [(title, points) for title, points in drawing.panels() if any(point.get(name) for point in points)]
    shown = drawing.scale_of(name)
    domain = list(dict.fromkeys(drawing.rest(point) for _, points in panels for point in points))
    charts = [_panel(drawing, title, points, shown, domain) for title, points in panels]
    if any(metric.is_distribution for _, points in panels for point in points if (metric := point.get(name))):
        drawing.note("Solid lines are means, dashed ones 99.9 % quantiles of all samples")
    return theme.panels(charts, min(2, len(charts))).resolve_scale(
        x="independent", y="shared", color="shared", strokeDash="shared", shape="shared"
    )


def _panel(drawing: Drawing, title: str, points: list[Point], shown: Scale, domain: list[str]) -> Any:
    name = drawing.figure.y[0]
    rows: list[dict[str, Any]] = [
        {"x": point.set.get(drawing.figure.x or ""), "series": drawing.rest(point), "of": of, "value": value}
        for of, field in FIELDS.items()
        for point in points
        if (metric := point.get(name)) and (value := shown.number(central(metric, field))) is not None
    ]
    x = x_axis(drawing, rows)
    # near zero as it is, from 1 on by the logarithm: counts that begin at 0 and grow a hundredfold
    how = alt.Scale(type="symlog", constant=1) if drawing.figure.log else alt.Scale(zero=True)
    ticks = alt.Axis(format="~f", values=COUNTS) if drawing.figure.log else alt.Axis(format="~f")
    y = alt.Y("value:Q", title=drawing.axis_title(name, shown), scale=how, axis=ticks)
    if drawing.figure.scale.get("y") == "log":
        how = logarithmic(row["value"] for row in rows)
        y = alt.Y("value:Q", scale=how, **logarithmic_axis(labels.metric_label(name), shown))
    dash = alt.StrokeDash("of:N", scale=alt.Scale(domain=list(LINES), range=list(LINES.values())), legend=None)
    colour = alt.Color(
        "series:N",
        sort=domain,
        scale=alt.Scale(domain=domain, range=cycled(theme.PALETTE, len(domain))),
        legend=theme.legend_of(domain) if len(domain) > 1 else None,
    )
    base = theme.chart(rows).encode(x=x, y=y, color=colour)
    layers: list[Any] = [
        base.mark_line(strokeWidth=1.8).encode(strokeDash=dash),
        base.mark_point(filled=True, size=26, opacity=1).transform_filter("datum.of == 'mean'"),
        *_published(drawing, points, shown, x),
    ]
    return alt.layer(*layers).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=theme.panel_title(title))


def _published(drawing: Drawing, points: list[Point], shown: Scale, x: alt.X) -> list[Any]:
    """Published means and quantiles of the panel's points."""
    layers = []
    for fields, filled in ((("mean", "value"), True), (("p999",), False)):
        numbers = drawing.published_of(points[0].experiment, drawing.figure.y[0], fields)
        rows = [
            {"x": row.set[drawing.figure.x or ""], "value": shown.number(row.value)}
            for row in numbers
            if any(row.covers(point) for point in points)
        ]
        if not rows:
            continue
        drawing.note("Black diamonds are published numbers" if filled else "Open diamonds are published 99.9 % values")
        look = {"stroke": "white", "strokeWidth": 1} if filled else {"strokeWidth": 1.2}
        mark = theme.chart(rows).mark_point(
            shape="diamond", size=60, filled=filled, color=theme.PUBLISHED, opacity=1, **look
        )
        layers.append(mark.encode(x=x, y=alt.Y("value:Q")))
    return layers
