"""Metrics over a key with their intervals; throughputs show what was offered and where the channel saturates."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import layers_of, rows_of
from sojourn.saturation import SATURATED, saturation
from sojourn.units import Scale, percent, significant


def draw(drawing: Drawing) -> Any:
    """One panel per unit in `y`, below each other; lines are the experiments' metrics."""
    panels = [_panel(drawing, names) for names in _by_unit(drawing)]
    return alt.vconcat(*panels, spacing=22).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )


def _by_unit(drawing: Drawing) -> list[list[str]]:
    """The metrics grouped by the unit they are shown in, in the order given."""
    groups: dict[str, list[str]] = {}
    for name in drawing.figure.y:
        groups.setdefault(drawing.scale_of(name).unit, []).append(name)
    return list(groups.values())


def _panel(drawing: Drawing, names: list[str]) -> Any:
    shown = drawing.scale_of(names[0])
    several = len(drawing.experiments) > 1
    series = [
        (_label(drawing, experiment, name, several), experiment, name)
        for experiment in drawing.experiments
        for name in names
    ]
    rows = rows_of(drawing, series, shown)
    title = drawing.axis_title(names[0], shown) if len(names) == 1 else labels.with_unit("Throughput", shown.unit)
    layers = layers_of(drawing, rows, title)
    height = 230 if len(names) > 1 else 150
    if drawing.figure.saturation and shown.unit == "packets/s":
        layers = [
            *_offered(drawing, rows),
            *layers,
            *_saturation(drawing, names[0], shown, height),
            *_published(drawing, names, shown),
        ]
    return alt.layer(*layers).properties(width=theme.WIDTH, height=height)


def _label(drawing: Drawing, experiment: str, name: str, several: bool) -> str:
    metric = labels.metric_label(name)
    if len(drawing.figure.y) == 1:
        return drawing.title_of(experiment)
    return f"{experiment}: {metric.lower()}" if several else metric


def _offered(drawing: Drawing, rows: list[dict[str, Any]]) -> list[Any]:
    """A thin line where all that is offered is carried, as far as throughput reaches."""
    ends = [min(row["x"] for row in rows), max(row["value"] for row in rows)]
    drawing.note("The dotted line is where all offered traffic is carried")
    line = theme.chart([{"x": end, "value": end} for end in ends])
    return [line.mark_line(color=theme.MUTED, strokeDash=[1, 3], strokeWidth=1.5).encode(x="x:Q", y="value:Q")]


def _saturation(drawing: Drawing, name: str, shown: Scale, height: int) -> list[Any]:
    """A ring where each experiment saturates, and below it, where no line runs any more, a label."""
    rows: list[dict[str, Any]] = []
    loads: list[float] = []
    for experiment in drawing.experiments:
        curve = [
            (float(point.set[drawing.figure.x or ""]), metric.mean or 0.0)
            for point in drawing.points(experiment)
            if (metric := point.get(name))
        ]
        loads += [load for load, _ in curve]
        found = saturation(curve)
        if found is not None:
            prefix = f"{experiment} " if len(drawing.experiments) > 1 else ""
            x, value, largest = found
            text = f"{prefix}saturates at {significant(largest / shown.factor)} packets/s"
            rows.append({"x": x, "value": shown.number(value), "text": text})
    if not rows:
        return []
    share = percent(SATURATED)
    drawing.note(f"Rings mark saturation: the smallest load that carries {share} of the largest throughput")
    base = theme.chart(rows).encode(x="x:Q", y="value:Q")
    rings = base.mark_point(size=160, filled=False, color=theme.INK, strokeWidth=1.5)
    middle = (min(loads) + max(loads)) / 2
    labels = [_label_below(row, height - 12 - 15 * index, row["x"] > middle) for index, row in enumerate(rows)]
    leaders = base.mark_rule(color=theme.MUTED, strokeDash=[1, 3]).encode(y="value:Q", y2=alt.value(height))
    return [leaders, rings, *labels]


def _label_below(row: dict[str, Any], at: int, right: bool) -> Any:
    """A label at a height of the plot, on the side of its mark that has more room."""
    side: dict[str, Any] = {"align": "right", "dx": -5} if right else {"align": "left", "dx": 5}
    text = theme.chart([row]).mark_text(color=theme.INK, fontSize=11, **side)
    return text.encode(x="x:Q", y=alt.value(at), text="text:N")


def _published(drawing: Drawing, names: list[str], shown: Scale) -> list[Any]:
    """The published largest throughput as a dashed line across the plot."""
    rows = [
        {"value": shown.number(row.value), "text": f"published: {significant(row.value)} packets/s"}
        for experiment in drawing.experiments
        for name in names
        for row in drawing.published_of(experiment, name, ("largest",))
    ]
    if not rows:
        return []
    drawing.note("The dashed line is the published saturation")
    base = theme.chart(rows).encode(y="value:Q")
    return [
        base.mark_rule(color=theme.PUBLISHED, strokeDash=[5, 3], strokeWidth=1),
        base.mark_text(align="left", x=6, dy=-6, color=theme.PUBLISHED, fontSize=11).encode(text="text:N"),
    ]
