"""The noise floor of the host that measured, as figures show it: what lies below says more of hosts than of networks.

Before it measures, a host takes the same request over its own loopback; the median of that is the metric `noise_floor`.
Simulations have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt

from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, say

METRIC = "noise_floor"
RESPONSES = {"response_time", "response_time_intended"}
"""Metrics that span from application to application, and so hold what the hosts add."""
FAR, BELOW = 10.0, 0.8
"""A logarithmic axis reaches down to this share of the noise floor, unless the shortest times are so far above."""
SIDES: dict[str, Any] = {"to the left": (alt.X, alt.X2), "below": (alt.Y, alt.Y2)}
GREY = "#BBBBBB"
NOTE = "Grey: what a request takes over the loopback of the host that measured, {}"


def noise_floor(points: Iterable[Point], name: str) -> float | None:
    """The highest noise floor of some points, in seconds; `None` where nothing was measured, or `name` holds none."""
    if name not in RESPONSES:
        return None
    floors = [metric.mean for point in points if (metric := point.get(METRIC)) is not None and metric.mean is not None]
    return max(floors, default=None)


def beside(drawing: Drawing, name: str, shown: Scale, points: Iterable[Point], how: Any = alt.Undefined) -> list[Any]:
    """Layers under a panel whose times run up, on its scale: grey up to the floor, and a line at it."""
    floor = noise_floor(points, name)
    if floor is None:
        return []
    drawing.note(NOTE.format(say(floor, "s")))
    row = [{"floor": shown.number(floor), "none": 0}]
    band = _band(row).encode(y=alt.Y("none:Q", scale=how), y2="floor:Q")
    line = _line(row).encode(y=alt.Y("floor:Q", scale=how))
    # a logarithmic axis has no zero for the band to begin at
    return [line] if drawing.figure.log else [band, line]


def least_of(shortest: float, floor: float | None) -> float:
    """Where a logarithmic axis begins whose shortest time is this: there, or below a floor that is near."""
    return min(shortest, BELOW * floor) if floor is not None and FAR * floor > shortest else shortest


def left_of(drawing: Drawing, shown: Scale, floor: float | None, least: float, how: alt.Scale) -> list[Any]:
    """Layers under a panel whose times run to the right from `least` on, in the unit shown and on its scale."""
    return _reaching(drawing, shown, floor, least, how, "to the left")


def beneath(drawing: Drawing, shown: Scale, floor: float | None, least: float, how: alt.Scale) -> list[Any]:
    """The same under a panel whose times run up."""
    return _reaching(drawing, shown, floor, least, how, "below")


def _reaching(  # noqa: PLR0913, PLR0917
    drawing: Drawing, shown: Scale, floor: float | None, least: float, how: alt.Scale, side: str
) -> list[Any]:
    """Grey from `least` to the floor, and a line at it; only a note where the floor lies on that side of the panel."""
    if floor is None:
        return []
    if floor / shown.factor <= least:
        drawing.note(f"The noise floor of the host that measured, {say(floor, 's')}, lies {side}")
        return []
    drawing.note(NOTE.format(say(floor, "s")))
    row = [{"floor": shown.number(floor), "least": least}]
    begin, end = SIDES[side]
    band = _band(row).encode(begin("least:Q", scale=how), end("floor:Q"))
    return [band, _line(row).encode(begin("floor:Q", scale=how))]


def _band(row: list[dict[str, Any]]) -> Any:
    return theme.chart(row).mark_rect(color=GREY, opacity=0.35)


def _line(row: list[dict[str, Any]]) -> Any:
    return theme.chart(row).mark_rule(color=theme.MUTED, strokeDash=[3, 3])
