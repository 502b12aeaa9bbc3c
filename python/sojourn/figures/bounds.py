"""Bounds and simulated values on one axis: for each flow its quantiles, its largest time and its bound.

A report shows it where the worst case was asked for (`sojourn bound`), with the largest time measured
where there is one.
"""

from __future__ import annotations

from typing import Any

from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import logarithmic_axis
from sojourn.figures.drawing import Drawing
from sojourn.units import Scale, format_value, scale

SIMULATED = {"p50": "p50", "p99": "p99", "p999": "p99.9", "simulated_max": "largest simulated", "delay": "bound"}
"""Values of a row and what the legend calls them, ascending."""
MEASURED = {"measured_max": "largest measured"}
"""Where a measurement stands beside the bounds."""
BAR = "M-0.2,-1.6H0.2V1.6H-0.2Z"
"""A bound is drawn as a wall: taller than the marks that may touch it."""
SHAPES = ["circle", "triangle-right", "diamond", "square", BAR, "triangle-up"]
SIZES = [260, 170, 100, 45, 100, 100]
"""Quantiles that coincide, as on a path whose queue is always full, lie inside each other."""
MARGIN = 1.25
"""The axis reaches this many times beyond the largest and below the smallest value."""


def draw(drawing: Drawing) -> Any:
    """A line of marks for each time that was simulated; without a bound it ends at the largest simulated."""
    found = [
        row
        for row in drawing.results.raw.get("bounds") or []
        if row["unit"] == "s" and row["simulated_max"] is not None
    ]
    if not found:
        raise UnknownName(f"figure {drawing.figure.id} needs simulated worst cases, which these results do not hold")
    drawing.points_drawn = list(drawing.results.points)
    series = SIMULATED | (MEASURED if any(row["measured_max"] for row in found) else {})
    values = [row[name] for row in found for name in series if row[name]]
    shown = scale("s", sorted(values)[len(values) // 2])
    rows = [mark for row in found for mark in _marks(row, series, shown)]
    drawing.note("No run exceeds a bound; a flow without one has none by any theorem here")
    if above := [row["flow"] for row in found if _is_above(row)]:
        drawing.note(f"Measured above its bound: {', '.join(above)}")
    ends = (min(values) / shown.factor / MARGIN, max(values) / shown.factor * MARGIN)
    how = vl.Scale(type="log", domain=list(ends), nice=False)
    x = vl.Field("value:Q", scale=how, **logarithmic_axis("Time", shown, ends))
    order = list(dict.fromkeys(row["of"] for row in rows))
    y = vl.Field("of:N", sort=order, title=None, axis=vl.Axis(labelLimit=420, labelFlush=False))
    names = list(series.values())
    marks = (
        theme.chart(rows)
        .mark("point", filled=True, opacity=1, stroke="#FFFFFF", strokeWidth=0.8)
        .encode(
            x=x,
            y=y,
            color=theme.colours(names),
            size=vl.Field(
                "series:N", scale=vl.Scale(type="ordinal", domain=names, range=SIZES[: len(names)]), legend=None
            ),
            shape=vl.Field(
                "series:N", scale=vl.Scale(domain=names, range=SHAPES[: len(names)]), legend=theme.legend_of(names)
            ),
            tooltip="label:N",
            description="label:N",
        )
    )
    spans = theme.chart([_span(row, series, shown) for row in found]).mark(
        "rule", color=theme.MUTED, tooltip=None, aria=False
    )
    return vl.layer(spans.encode(x="low:Q", x2="high:Q", y=y), marks).properties(
        width=theme.WIDTH - 120, height={"step": 28}
    )


def _is_above(row: dict[str, Any]) -> bool:
    return bool(row["measured_max"] and row["delay"] and row["measured_max"] > row["delay"])


def _name(row: dict[str, Any]) -> str:
    return f"{row['flow']}, {row['hop']}"


def _marks(row: dict[str, Any], series: dict[str, str], shown: Scale) -> list[dict[str, Any]]:
    of = _name(row)
    return [
        {
            "of": of,
            "series": name,
            "value": shown.number(row[field]),
            "label": f"{of}: {name} {format_value(row[field], 's')}",
        }
        for field, name in series.items()
        if row[field]
    ]


def _span(row: dict[str, Any], series: dict[str, str], shown: Scale) -> dict[str, Any]:
    values = [row[name] for name in series if row[name]]
    return {"of": _name(row), "low": shown.number(min(values)), "high": shown.number(max(values))}
