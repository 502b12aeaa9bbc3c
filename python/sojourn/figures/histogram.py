"""Samples in bins at chosen values of a key: one row of panels per experiment, one panel per value."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.units import say, significant

PANEL_WIDTH, PANEL_HEIGHT = 380, 120
_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}


def draw(drawing: Drawing) -> Any:
    """Histograms of the first metric in `y`; the height is the share of all samples in percent."""
    name = drawing.figure.y[0]
    width = bin_width(drawing.figure.bin or "10 ms")
    values = drawing.figure.at or tuple(sorted({point.set[drawing.figure.x or ""] for point in drawing.results.points}))
    samples = drawing.results.samples(name)
    panels = [
        panel
        for experiment in drawing.experiments
        for value in values
        if (panel := _panel(drawing, samples, experiment, float(value))) is not None
    ]
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} needs samples of {name}, which these results do not hold")
    drawing.note(f"Bins of {say(width, 's')}")
    return theme.panels(panels, len(values)).resolve_scale(y="shared", x="shared")


def bin_width(text: str) -> float:
    """A bin's width in seconds from "15 ms"."""
    number, _, unit = text.partition(" ")
    return float(number) * _UNITS[unit]


def counted(samples: list[float], width: float) -> list[tuple[float, float]]:
    """(lower edge, share of all samples) of every bin that holds any; edges in the samples' unit."""
    bins: dict[int, int] = {}
    for sample in samples:
        index = math.floor(sample / width)
        bins[index] = bins.get(index, 0) + 1
    return [(index * width, count / len(samples)) for index, count in sorted(bins.items())]


def _panel(drawing: Drawing, samples: Any, experiment: str, value: float) -> Any:
    import polars as pl  # noqa: PLC0415

    key, name, width = drawing.figure.x or "", drawing.figure.y[0], bin_width(drawing.figure.bin or "10 ms")
    taken = samples.filter((pl.col("experiment") == experiment) & (pl.col(key) == value))["value"].to_list()
    if not taken:
        return None
    drawing.points_drawn += [
        point
        for point in drawing.results.select(experiment)
        if point.set.get(key) == value and point not in drawing.points_drawn
    ]
    rows = [
        {"from": low * 1e3, "to": (low + width) * 1e3, "zero": 0, "share": share * 100}
        for low, share in counted(taken, width)
    ]
    over = labels.setting(key, value, drawing.results.axes.get(key))
    title = alt.TitleParams(
        drawing.title_of(experiment),
        subtitle=f"{over}: {len(taken)} samples, median {significant(_median(taken) * 1e3)} ms",
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=theme.MUTED,
    )
    return (
        theme.chart(rows)
        .mark_rect(color=theme.PALETTE[0], stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "from:Q",
                title=labels.with_unit(labels.metric_label(name), "ms"),
                scale=alt.Scale(zero=True),
                axis=alt.Axis(tickCount=6, labelOverlap=True),
            ),
            x2="to:Q",
            y=alt.Y("share:Q", title="Samples (%)", scale=alt.Scale(zero=True)),
            y2="zero:Q",
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=title)
    )


def _median(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]
