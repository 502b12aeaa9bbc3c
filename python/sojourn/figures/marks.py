"""Marks over and under lines: published numbers, offered load, saturation points and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.reference import Published
from sojourn.results import Point
from sojourn.saturation import SATURATED, saturation
from sojourn.units import Scale, format_value, percent, significant

PUBLISHED = (("mean", ("mean", "value")), ("p999", ("p999",)))
"""The statistics of which published numbers are drawn, and their fields."""
Entry = tuple[str, str, Point]
"""The name of a line, a metric and a point of it."""
LINE: dict[str, Any] = {"color": theme.PUBLISHED, "strokeDash": [5, 3], "strokeWidth": 1}


@dataclass
class Panel:
    """One panel: its title, the label of its values' axis, their unit, and what it shows."""

    title: str
    label: str
    shown: Scale
    names: list[str]
    points: list[Point]
    rows: list[dict[str, Any]]
    lines: list[Entry] = field(default_factory=list)
    """What its lines are made of; empty where lines differ in their statistic alone."""
    beyond: list[dict[str, Any]] = field(default_factory=list)
    """Rows without a value, because it is not reached; taken out of `rows`."""

    def __post_init__(self) -> None:
        """Parts the rows by whether they have a value."""
        self.beyond += [row for row in self.rows if row["value"] is None]
        self.rows = [row for row in self.rows if row["value"] is not None]

    @property
    def series(self) -> list[str]:
        """The names of its lines, in order."""
        return list(dict.fromkeys(str(row["series"]) for row in (*self.rows, *self.beyond)))

    def line_of(self, row: Published) -> dict[str, str]:
        """The line that a published number belongs to, as `named` has it; empty where no point has its settings."""
        found = (series for series, name, point in self.lines if name == row.metric and row.covers(point))
        series = next(found, None)
        return {} if series is None else self.named(series)

    def named(self, series: str) -> dict[str, str]:
        """A line as `series`; empty in a panel with a single one, whose marks need no colour."""
        return {"series": series} if len(self.series) > 1 else {}


def beneath(drawing: Drawing, panel: Panel, layers: list[Any]) -> list[Any]:
    """The layers over a dotted line where all offered traffic is carried, as far as throughput reaches."""
    if not _marks_saturation(drawing, panel):
        return layers
    reach = [min(row["x"] for row in panel.rows), max(row["value"] for row in panel.rows)]
    drawing.note("The dotted line is the offered load")
    line = theme.chart([{"x": end, "value": end} for end in reach])
    dotted = line.mark("line", color=theme.MUTED, strokeDash=[1, 3], strokeWidth=1.5, tooltip=None, aria=False).encode(
        x="x:Q", y="value:Q"
    )
    return [dotted, *layers]


def over(
    drawing: Drawing,
    panel: Panel,
    axes: dict[str, vl.Field],
    height: int,
    pairs: Sequence[tuple[str, Point, Point]],
) -> list[Any]:
    """Layers of marks over a panel's lines; `axes` are x and the colour of its lines."""
    if drawing.figure.baseline is not None:
        return _published_differences(drawing, panel, axes, pairs)
    layers = _published(drawing, panel, axes)
    if _marks_saturation(drawing, panel):
        layers += [*_saturation(drawing, panel, height), *_published_saturation(drawing, panel)]
    if drawing.figure.limit is not None:
        layers += _limit(panel, drawing.figure.limit)
    return layers


def _marks_saturation(drawing: Drawing, panel: Panel) -> bool:
    return drawing.figure.saturation and panel.shown.unit == "packets/s"


def published(drawing: Drawing, panel: Panel, statistic: str) -> list[Published]:
    """The published numbers of a statistic that belong to a panel."""
    if statistic not in (drawing.figure.statistics or ("mean",)):
        return []
    by_experiment = drawing.figure.facet == "experiment"
    return [
        row
        for experiment in dict.fromkeys(point.experiment for point in panel.points)
        for name in panel.names
        for row in drawing.published_of(experiment, name, dict(PUBLISHED)[statistic])
        if drawing.figure.x in row.set
        if not by_experiment or any(row.covers(point) for point in panel.points)
    ]


def published_values(drawing: Drawing, panel: Panel) -> list[float]:
    """The published numbers drawn in a panel, in SI units."""
    return [row.value for statistic, _ in PUBLISHED for row in published(drawing, panel, statistic)]


def _published(drawing: Drawing, panel: Panel, axes: dict[str, vl.Field]) -> list[Any]:
    """Published means as filled diamonds, published 99.9th percentiles as open ones, in the colours of their lines."""
    layers = []
    for statistic, _ in PUBLISHED:
        rows = [
            {
                "x": row.set[drawing.figure.x or ""],
                "value": panel.shown.number(row.value),
                "label": _said(drawing, row.set[drawing.figure.x or ""], _published_words(row)),
                **panel.line_of(row),
            }
            for row in published(drawing, panel, statistic)
        ]
        if statistic == "mean":
            layers += _diamonds(drawing, rows, axes, "published values")
        elif rows:
            drawing.note("Open diamonds are published 99.9th percentiles")
            mark = theme.chart(rows).mark(
                "point", shape="diamond", size=60, filled=False, color=theme.PUBLISHED, opacity=1, strokeWidth=1.2
            )
            colour = {"color": axes["color"]} if all("series" in row for row in rows) else {}
            layers.append(mark.encode(x=axes["x"], y="value:Q", tooltip="label:N", description="label:N", **colour))
    return layers


def _diamonds(drawing: Drawing, rows: list[dict[str, Any]], axes: dict[str, vl.Field], what: str) -> list[Any]:
    """Diamonds in the colours of their lines with a black rim; black ones in a panel with one line."""
    if not rows:
        return []
    y = vl.Field("value:Q")
    if all("series" in row for row in rows):
        drawing.note(f"Diamonds are {what}, in the colour of their line")
        return [theme.published_mark(rows, rim=theme.PUBLISHED, x=axes["x"], y=y, color=axes["color"])]
    drawing.note(f"Solid diamonds are {what}")
    return [theme.published_mark(rows, x=axes["x"], y=y)]


def _published_words(row: Published) -> str:
    """A published number, and what was predicted before it was known."""
    said = f"published {format_value(row.value, row.unit, row.metric)}"
    if row.predicted is None:
        return said
    return f"{said}, predicted {format_value(row.predicted, row.unit, row.metric)} before that was known"


def _published_differences(
    drawing: Drawing, panel: Panel, axes: dict[str, vl.Field], pairs: Sequence[tuple[str, Point, Point]]
) -> list[Any]:
    """The differences of published values, where both points have one."""
    rows = []
    for experiment, first, second in pairs:
        metric = second.get(panel.names[0])
        unit = metric.unit if metric is not None else "1"
        values = [
            row.value
            for point in (first, second)
            for row in drawing.published_of(point.experiment, panel.names[0], ("mean", "value"))
            if row.covers(point)
        ]
        if len(values) == 2:
            x_value = second.set.get(drawing.figure.x or "")
            gap = values[1] - values[0]
            label = _said(drawing, x_value, f"published difference {format_value(gap, unit, panel.names[0])}")
            line = panel.named(drawing.line_of_difference(experiment, second))
            rows.append({"x": x_value, "value": panel.shown.number(gap), "label": label, **line})
    return _diamonds(drawing, rows, axes, "differences of published values")


def _said(drawing: Drawing, at: Any, what: str) -> str:
    """A mark in words: "300 packets/s: published 15.2 ms"."""
    where = drawing.at_setting(at)
    return f"{where}: {what}" if where else what


def _saturation(drawing: Drawing, panel: Panel, height: int) -> list[Any]:
    """A ring at each saturation point, with its label near the bottom of the panel, clear of the lines."""
    rows: list[dict[str, Any]] = []
    loads: list[float] = []
    experiments = list(dict.fromkeys(point.experiment for point in panel.points))
    for experiment in experiments:
        curve = [
            (float(point.set[drawing.figure.x or ""]), metric.mean or 0.0)
            for point in panel.points
            if point.experiment == experiment and (metric := point.get(panel.names[0]))
        ]
        loads += [load for load, _ in curve]
        found = saturation(curve)
        if found is not None:
            prefix = f"{experiment} " if len(experiments) > 1 else ""
            x, value, largest = found
            text = f"{prefix}saturates at {_rate(largest, panel.shown)}"
            rows.append({"x": x, "value": panel.shown.number(value), "text": text})
    if not rows:
        return []
    drawing.note(
        f"Rings mark saturation: the smallest offered load that carries {percent(SATURATED)} of the largest throughput"
    )
    base = theme.chart(rows).encode(x="x:Q", y="value:Q")
    rings = base.mark("point", size=160, filled=False, color=theme.INK, strokeWidth=1.5).encode(
        tooltip="text:N", description="text:N"
    )
    middle = (min(loads) + max(loads)) / 2
    labels = [_label(row, height - 12 - 15 * index, row["x"] > middle) for index, row in enumerate(rows)]
    leaders = base.mark("rule", color=theme.MUTED, strokeDash=[1, 3], tooltip=None, aria=False).encode(
        y="value:Q", y2=vl.value(height)
    )
    return [leaders, rings, *labels]


def _label(row: dict[str, Any], at: int, right: bool) -> Any:
    """A label at a height of the panel, on the side of its mark with more room."""
    side: dict[str, Any] = {"align": "right", "dx": -5} if right else {"align": "left", "dx": 5}
    text = theme.chart([row]).mark("text", color=theme.INK, fontSize=11, **side)
    return text.encode(x="x:Q", y=vl.value(at), text="text:N")


def _published_saturation(drawing: Drawing, panel: Panel) -> list[Any]:
    """The published largest throughput as a dashed line."""
    rows = [
        {"value": panel.shown.number(row.value), "text": f"published: {_rate(row.value, panel.shown)}"}
        for experiment in drawing.experiments
        for name in panel.names
        for row in drawing.published_of(experiment, name, ("largest",))
    ]
    if not rows:
        return []
    drawing.note("The dashed line is the published saturation throughput")
    return _labelled_rule(rows)


def _limit(panel: Panel, limit: float) -> list[Any]:
    name = panel.names[0]
    unit = next((metric.unit for point in panel.points if (metric := point.get(name))), "1")
    value = panel.shown.number(limit)
    # its label is on the side where the line does not begin
    begin = min((row for row in panel.rows if row["value"] is not None), key=lambda row: row["x"], default=None)
    dy = 12 if begin is not None and begin["value"] > value else -6
    return _labelled_rule([{"value": value, "text": f"limit: {format_value(limit, unit, name)}"}], dy)


def _labelled_rule(rows: list[dict[str, Any]], dy: int = -6) -> list[Any]:
    base = theme.chart(rows).encode(y="value:Q")
    return [
        base.mark("rule", **LINE).encode(tooltip="text:N", description="text:N"),
        base.mark("text", align="left", x=6, dy=dy, color=theme.PUBLISHED, fontSize=11).encode(text="text:N"),
    ]


def _rate(value: float, shown: Scale) -> str:
    return f"{significant(value / shown.factor)} {shown.unit}"
