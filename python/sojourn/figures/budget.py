"""Delay budget: components of the mean response time, stacked, for all samples and for the slowest 1 %."""

from __future__ import annotations

from typing import Any

from sojourn import phrases
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import format_value, percent, scale

PANELS = {"mean": "All samples", "slowest_mean": "Slowest 1 %"}
PANEL_WIDTH, PANEL_HEIGHT, SINGLE_WIDTH = 320, 260, 180


def draw(drawing: Drawing) -> Any:
    """Stacked bars over `x`; a row of panels for each experiment and each setting of the other keys."""
    groups = _groups(drawing)
    points = [point for group in groups.values() for point in group]
    if not points:
        raise UnknownName(f"{phrases.list_of(drawing.experiments)} have no delay budget")
    shown = [name for name in points[0].components if any(_part(point, name, of) for point in points for of in PANELS)]
    panels = [_panel(drawing, group, of, shown, label) for label, group in groups.items() for of in PANELS]
    drawing.note("The components of a bar add up to the mean response time")
    return theme.panels(panels, 2).resolve_scale(x="independent", y="independent", color="shared")


def _groups(drawing: Drawing) -> dict[str, list[Point]]:
    """The points with a budget, by experiment and settings other than `x`; the name of a single group is empty."""
    groups: dict[str, list[Point]] = {}
    for experiment in drawing.experiments:
        for point in drawing.points(experiment):
            if point.components:
                names = [drawing.title_of(experiment)] if len(drawing.experiments) > 1 else []
                names += drawing.other_settings(point)
                groups.setdefault(", ".join(names), []).append(point)
    return groups


def _panel(drawing: Drawing, points: list[Point], of: str, components: list[str], label: str) -> Any:
    shown = scale("s", max(sum(_part(point, name, of) for name in components) for point in points))
    axis, shown_as = drawing.categories(points)
    rows = [
        {
            "x": shown_as.get(point.set.get(drawing.figure.x or ""), " "),
            "series": _name(component),
            "rank": rank,
            "value": shown.number(_part(point, component, of)),
            "label": _label(drawing, point, component, of),
        }
        for point in points
        for rank, component in enumerate(components)
    ]
    several = len(points) > 1
    heading = f"{label}: {PANELS[of].lower()}" if label else PANELS[of]
    x = vl.Field(
        "x:O",
        title=axis,
        sort=None,
        axis=vl.Axis(labelAngle=0, labelOverlap="greedy", grid=False),
    )
    return (
        theme.chart(rows)
        .mark("bar", width={"band": 0.85} if several else 70)
        .encode(
            x=x,
            y=vl.Field(
                "value:Q",
                title=phrases.with_unit("Response time", shown.unit),
                stack="zero",
                axis=vl.Axis(format="~f"),
            ),
            color=theme.colours([_name(component) for component in components]),
            order=vl.Field("rank:Q"),
            tooltip="label:N",
            description="label:N",
        )
        .properties(
            width=PANEL_WIDTH if several else SINGLE_WIDTH,
            height=PANEL_HEIGHT,
            title=theme.panel_title(heading),
        )
    )


def _label(drawing: Drawing, point: Point, component: str, of: str) -> str:
    """A part of a bar in words: "300 packets/s: waiting 12.1 ms, 31 % of 39.0 ms"."""
    part, whole = _part(point, component, of), sum(_part(point, name, of) for name in point.components)
    at = drawing.at_setting(point.set.get(drawing.figure.x or ""))
    share = f", {percent(part / whole)} of {format_value(whole, 's')}" if whole else ""
    return f"{f'{at}: ' if at else ''}{phrases.component(component)} {format_value(part, 's')}{share}"


def _part(point: Point, component: str, of: str) -> float:
    return point[f"delay_budget/{component}"].field(of) or 0.0


def _name(component: str) -> str:
    return phrases.capitalised(phrases.component(component))
