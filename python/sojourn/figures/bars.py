"""Grouped bars over the values of a key: one row of panels per experiment, one panel per metric."""

from __future__ import annotations

from typing import Any

from sojourn.figures import open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing, drawn
from sojourn.results import Metric
from sojourn.uncertainty import Kind
from sojourn.units import Scale, format_interval, format_value

PANEL_WIDTH, PANEL_HEIGHT = 340, 210
INTERVAL_NOTE = "Whiskers are 95 % confidence intervals of the mean"
PUBLISHED_NOTE = "Solid diamonds are published values"


def draw(drawing: Drawing) -> Any:
    """Bars of each metric in `y` against `x`, side by side for the values of `by`."""
    scales = {name: drawing.scale_of(name) for name in drawing.figure.y}
    several = len(drawing.experiments) > 1
    panels = [
        _panel(drawing, experiment, name, scales[name], drawing.title_of(experiment) if several else "")
        for experiment in drawing.experiments
        for name in drawing.figure.y
    ]
    return theme.panels(panels, len(drawing.figure.y)).resolve_scale(
        x="independent", xOffset="independent", y="independent"
    )


def _panel(drawing: Drawing, experiment: str, name: str, shown: Scale, title: str) -> Any:
    axis, shown_as = drawing.categories(drawing.points(experiment))
    rows = [row | {"x": shown_as.get(row["x"])} for row in _rows(drawing, experiment, name, shown)]
    if any("low" in row for row in rows):
        drawing.note(INTERVAL_NOTE)
    if any("low" in row and row["high"] is None for row in rows):
        drawing.note(open_ends.OPEN_WHISKERS)
    domain = list(dict.fromkeys(str(row["series"]) for row in rows))
    x = vl.Field("x:O", title=axis, axis=vl.Axis(labelAngle=0, grid=False), sort=None)
    offset = vl.Field("series:N", sort=domain)
    height = vl.Field("value:Q", title=drawing.axis_title(name, shown), scale=vl.Scale(zero=True))
    base = theme.chart(rows)
    layers: list[Any] = [
        base.mark("bar").encode(
            x=x, xOffset=offset, y=height, color=theme.colours(domain), tooltip="label:N", description="label:N"
        ),
        *open_ends.whiskers(rows, x=x, xOffset=offset),
    ]
    published = [
        row | {"x": shown_as[row["x"]]} for row in _published(drawing, experiment, name, shown) if row["x"] in shown_as
    ]
    if published:
        drawing.note(PUBLISHED_NOTE)
        layers.append(theme.published_mark(published, x=x, xOffset=offset, y=vl.Field("value:Q")))
    return vl.layer(*layers).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=theme.panel_title(title))


def _rows(drawing: Drawing, experiment: str, name: str, shown: Scale) -> list[dict[str, Any]]:
    rows = []
    for point in drawing.points(experiment):
        metric = point.get(name)
        if metric is not None:
            known = drawn(metric)
            row = {
                "x": point.set.get(drawing.figure.x or ""),
                "series": point.set.get(drawing.figure.by or "", experiment),
                "value": shown.number(metric.mean),
            }
            row["label"] = _label(drawing, row, metric)
            if known.kind is not Kind.none:
                row |= {"low": shown.number(known.low), "high": shown.number(known.high)}
            rows.append(row)
    return rows


def _label(drawing: Drawing, row: dict[str, Any], metric: Metric) -> str:
    """A bar in words: "1 byte, acknowledged: 69.0 ± 0.4 /s"."""
    where = ", ".join(part for part in (drawing.at_setting(row["x"]), str(row["series"])) if part)
    return f"{where}: {format_interval(metric.mean, metric.interval, metric.unit, metric.name)}"


def _published(drawing: Drawing, experiment: str, name: str, shown: Scale) -> list[dict[str, Any]]:
    return [
        {
            "x": row.set[drawing.figure.x or ""],
            "series": row.set.get(drawing.figure.by or "", experiment),
            "value": shown.number(row.value),
            "label": f"published {format_value(row.value, row.unit, name)}",
        }
        for row in drawing.published_of(experiment, name, ("mean", "value"))
        if drawing.figure.x in row.set
    ]
