"""Where the time goes: the components of the mean response time, stacked, for all samples and for the slowest 1 %."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import words
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, scale

PANELS = {"mean": "All samples", "slowest_mean": "The slowest 1 %"}
PANEL_WIDTH, PANEL_HEIGHT = 320, 260


def draw(drawing: Drawing) -> Any:
    """Stacked bars over `x`, one row of panels per experiment; the two panels of a row have their own scales."""
    panels = [_panel(drawing, experiment, of) for experiment in drawing.experiments for of in PANELS]
    drawing.note("The components of a bar add up to the mean response time of its samples")
    return alt.concat(*panels, columns=2, spacing=28).resolve_scale(y="independent", color="shared")


def _panel(drawing: Drawing, experiment: str, of: str) -> Any:
    points = [point for point in drawing.points(experiment) if point.components]
    if not points:
        raise UnknownName(f"experiment {experiment} holds no delay budget")
    shown = scale("s", max(_total(point, of) for point in points))
    components = [
        name for name in points[0].components if any(_part(point, name, of) for point in points for of in PANELS)
    ]
    names = [_name(component) for component in components]
    rows = [row for point in points for row in _rows(drawing, point, of, shown)]
    several = len({row["x"] for row in rows}) > 1
    prefix = f"{drawing.title_of(experiment)}: " if len(drawing.experiments) > 1 else ""
    title = alt.TitleParams(prefix + PANELS[of], anchor="start", fontSize=12)
    x = alt.X("x:O", title=drawing.key_title(drawing.figure.x), sort=None, axis=alt.Axis(labelAngle=0, grid=False))
    return (
        theme.chart(rows)
        .mark_bar(width=alt.RelativeBandSize(0.85) if several else 70)
        .encode(
            x=x,
            y=alt.Y("value:Q", title=words.with_unit("Response time", shown.unit), stack="zero"),
            color=theme.colours(names),
            order=alt.Order("rank:Q"),
        )
        .properties(width=PANEL_WIDTH if several else 180, height=PANEL_HEIGHT, title=title)
    )


def _rows(drawing: Drawing, point: Point, of: str, shown: Scale) -> list[dict[str, Any]]:
    others = [str(value) for key, value in point.set.items() if key != drawing.figure.x]
    x = point.set.get(drawing.figure.x or "", " ")
    return [
        {
            "x": ", ".join([str(x), *others]) if others else x,
            "series": _name(component),
            "rank": rank,
            "value": shown.number(_part(point, component, of)),
        }
        for rank, component in enumerate(point.components)
    ]


def _part(point: Point, component: str, of: str) -> float:
    return point[f"delay_budget/{component}"].field(of) or 0.0


def _total(point: Point, of: str) -> float:
    return sum(_part(point, component, of) for component in point.components)


def _name(component: str) -> str:
    return component.replace("_", " ").replace("-", " ").capitalize()
