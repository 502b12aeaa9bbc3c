"""A field of a metric over a key, against the limit that is asked of it: where a search finds its answer."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.figures.lines import layers_of
from sojourn.units import Scale, say


def draw(drawing: Drawing) -> Any:
    """The field at every value tried, its interval, and the limit as a dashed line."""
    name, field = drawing.figure.y[0], drawing.figure.field_name
    shown = drawing.scale_of(name, (field,))
    rows = _rows(drawing, name, field, shown)
    label = (
        labels.metric_label(name) if field in ("mean", "value") else f"{field} of {labels.metric_label(name).lower()}"
    )
    layers = layers_of(drawing, rows, labels.with_unit(label, shown.unit), note="Bands are 95 % intervals")
    return alt.layer(*layers, *_limit(drawing, name, shown)).properties(width=theme.WIDTH, height=theme.HEIGHT)


def _rows(drawing: Drawing, name: str, field: str, shown: Scale) -> list[dict[str, Any]]:
    """One row per point that has the field; no time, rate or count reaches below 0."""
    rows = []
    for experiment in drawing.experiments:
        for point in drawing.points(experiment):
            metric = point.get(name)
            value = metric.field(field) if metric else None
            if metric is None or value is None:
                continue
            low, high = metric.interval_of(field) or (value, value)
            ends = {"low": shown.number(max(low, 0.0)), "high": shown.number(high)}
            rows.append({"x": point.set.get(drawing.figure.x or ""), "series": "", "value": shown.number(value)} | ends)
    return rows


def _limit(drawing: Drawing, name: str, shown: Scale) -> list[Any]:
    limit = drawing.figure.limit
    if limit is None:
        return []
    unit = next((metric.unit for point in drawing.results.points if (metric := point.get(name))), "1")
    base = theme.chart([{"value": shown.number(limit), "text": f"asked: {say(limit, unit, name)}"}]).encode(y="value:Q")
    return [
        base.mark_rule(color=theme.PUBLISHED, strokeDash=[5, 3], strokeWidth=1),
        base.mark_text(align="left", x=6, dy=-6, color=theme.PUBLISHED, fontSize=11).encode(text="text:N"),
    ]
