"""Measured over simulated medians, point by point; both agree on the diagonal."""

from __future__ import annotations

from typing import Any

from sojourn.comparison.measured import MEASURED, TOLERANCE, pairs
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import cycled, logarithmic_axis
from sojourn.figures.drawing import Drawing
from sojourn.units import Scale, format_value, percent, scale

SIDE = 420


def draw(drawing: Drawing) -> Any:
    """Medians of the response time; filled marks where queueing dominates; a band of agreement about the diagonal."""
    wanted = [name for name in drawing.experiments if not name.endswith(MEASURED)]
    found = [pair for pair in pairs(drawing.results) if pair.experiment in wanted]
    if not found:
        raise UnknownName(f"figure {drawing.figure.id} shows measured points, not in these results")
    for name in wanted:
        drawing.points(name)
    ends = [value for pair in found for value in (pair.simulated, pair.measured)]
    shown = scale("s", sorted(ends)[len(ends) // 2])
    domain = list(dict.fromkeys(drawing.title_of(pair.experiment) for pair in found))
    rows = [
        {
            "simulated": shown.number(pair.simulated),
            "measured": shown.number(pair.measured),
            "series": drawing.title_of(pair.experiment),
            "queueing": pair.queueing,
            "label": f"{drawing.title_of(pair.experiment)}: simulated {format_value(pair.simulated, 's')}, "
            f"measured {format_value(pair.measured, 's')}",
        }
        for pair in found
    ]
    drawing.note(
        f"The band is ±{percent(TOLERANCE)} about the diagonal; hollow marks are points dominated by host time"
    )
    base = theme.chart(rows).encode(
        x=_axis("simulated", "Simulated median response time", shown),
        y=_axis("measured", "Measured median response time", shown),
        color=theme.colours(domain, width=SIDE),
        tooltip="label:N",
        description="label:N",
        # a dozen experiments are more than there are colours
        shape=vl.Field(
            "series:N",
            sort=domain,
            legend=theme.legend_of(domain, width=SIDE),
            scale=vl.Scale(domain=domain, range=cycled(theme.SHAPES, len(domain))),
        ),
    )
    marks = [
        base.filtered(f"datum.queueing == {str(queueing).lower()}").mark("point", size=46, filled=queueing)
        for queueing in (True, False)
    ]
    return vl.layer(*_diagonal(shown, min(ends), max(ends)), *marks).properties(width=SIDE, height=SIDE)


def _axis(field: str, title: str, shown: Scale) -> Any:
    return vl.Field(f"{field}:Q", scale=vl.Scale(type="log", nice=False), **logarithmic_axis(title, shown))


def _diagonal(shown: Scale, low: float, high: float) -> list[Any]:
    ends = [low / 1.3 / shown.factor, high * 1.3 / shown.factor]
    band = [{"simulated": end, "low": end / (1 + TOLERANCE), "high": end / (1 - TOLERANCE)} for end in ends]
    line = theme.chart([{"simulated": end, "measured": end} for end in ends])
    return [
        theme.chart(band)
        .mark("area", color=theme.GRID, opacity=0.7, tooltip=None, aria=False)
        .encode(x="simulated:Q", y="low:Q", y2="high:Q"),
        line.mark("line", color=theme.MUTED, strokeDash=[4, 3], tooltip=None, aria=False).encode(
            x="simulated:Q", y="measured:Q"
        ),
    ]
