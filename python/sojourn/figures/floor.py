"""The noise floor of the measuring host in figures: response times below it reflect the hosts, not the network.

Before a measurement the host measures its loopback RTT, the metric `noise_floor`. Simulations have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, format_value

METRIC = "noise_floor"
RESPONSES = {"response_time", "response_time_intended"}
"""Metrics from application to application, which include host time."""
FAR, BELOW = 10.0, 0.8
"""A logarithmic axis begins at `BELOW` times the floor, unless the shortest time is over `FAR` times the floor."""
SIDES = {"left of": ("x", "x2"), "below": ("y", "y2")}
GREY = "#BBBBBB"
NOTE = "Grey: below the noise floor, the loopback RTT of the measuring host, {}"


def noise_floor(points: Iterable[Point], name: str) -> float | None:
    """The highest noise floor of some points, in seconds; None for simulations and metrics without host time."""
    if name not in RESPONSES:
        return None
    floors = [metric.mean for point in points if (metric := point.get(METRIC)) is not None and metric.mean is not None]
    return max(floors, default=None)


def beside(drawing: Drawing, name: str, shown: Scale, points: Iterable[Point], how: vl.Scale) -> list[Any]:
    """Layers under a panel with times on its vertical axis: grey up to the floor, and a line at it."""
    floor = noise_floor(points, name)
    if floor is None:
        return []
    drawing.note(NOTE.format(format_value(floor, "s")))
    row = [{"floor": shown.number(floor), "none": 0}]
    band = _band(row).encode(y=vl.Field("none:Q", scale=how), y2="floor:Q")
    line = _line(row).encode(y=vl.Field("floor:Q", scale=how))
    # a logarithmic axis has no zero for the band to begin at
    return [line] if drawing.figure.axis_scale("y") == "log" else [band, line]


def least_of(shortest: float, floor: float | None) -> float:
    """Start of a logarithmic axis with this shortest time: there, or below a near floor."""
    return min(shortest, BELOW * floor) if floor is not None and FAR * floor > shortest else shortest


def left_of(drawing: Drawing, shown: Scale, floor: float | None, least: float, how: vl.Scale) -> list[Any]:
    """Layers under a panel with times on its horizontal axis, which begins at `least`."""
    return _reaching(drawing, shown, floor, least, how, "left of")


def beneath(drawing: Drawing, shown: Scale, floor: float | None, least: float, how: vl.Scale) -> list[Any]:
    """The same under a panel with times on its vertical axis."""
    return _reaching(drawing, shown, floor, least, how, "below")


def _reaching(  # noqa: PLR0913, PLR0917
    drawing: Drawing, shown: Scale, floor: float | None, least: float, how: vl.Scale, side: str
) -> list[Any]:
    """Grey from `least` to the floor, and a line at it; only a note where the floor is outside the panel."""
    if floor is None:
        return []
    if floor / shown.factor <= least:
        drawing.note(f"The noise floor of the measuring host, {format_value(floor, 's')}, is {side} the axis")
        return []
    drawing.note(NOTE.format(format_value(floor, "s")))
    row = [{"floor": shown.number(floor), "least": least}]
    begin, end = SIDES[side]
    band = _band(row).encode(**{begin: vl.Field("least:Q", scale=how), end: vl.Field("floor")})
    return [band, _line(row).encode(**{begin: vl.Field("floor:Q", scale=how)})]


def _band(row: list[dict[str, Any]]) -> Any:
    return theme.chart(row).mark("rect", color=GREY, opacity=0.35, tooltip=None, aria=False)


def _line(row: list[dict[str, Any]]) -> Any:
    return theme.chart(row).mark("rule", color=theme.MUTED, strokeDash=[3, 3], tooltip=None, aria=False)
