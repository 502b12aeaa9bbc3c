"""A distribution of many magnitudes in bins of equal ratio: token rotations, from idle ones to those behind a burst."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import altair as alt

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.samples import at_point
from sojourn.units import say

PANEL_WIDTH, PANEL_HEIGHT = 340, 140
BINS_PER_DECADE = 12
LEAST_SHARE = 1e-6
"""Percent below which a bin is not drawn apart from the axis."""


def draw(drawing: Drawing) -> Any:
    """One panel for each point at the values of `at`: the share of all samples in each bin, both axes logarithmic."""
    panels = [
        (", ".join(part for part in (title, drawing.rest(point)) if part), point, bins)
        for title, points in drawing.panels()
        for point in points
        if (bins := _bins(drawing, point))
    ]
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} needs histograms of {drawing.figure.y[0]}, which are not there")
    ends = [edge for *_, bins in panels for edge, share in bins if share > LEAST_SHARE]
    domain = [min(ends) * 1e3, max(ends) * ratio() * 1e3]
    least = 10 ** math.floor(math.log10(min(share for *_, bins in panels for _, share in bins)))
    drawing.note(f"{BINS_PER_DECADE} bins to a power of ten; both axes are logarithmic")
    charts = [_panel(drawing, title, point, bins, domain, least) for title, point, bins in panels]
    return theme.panels(charts, 2).resolve_scale(x="independent", y="independent")


def ratio() -> float:
    """The upper edge of a bin over its lower one."""
    return 10 ** (1 / BINS_PER_DECADE)


def counted(columns: Iterable[tuple[float, int]]) -> list[tuple[float, float]]:
    """(lower edge, percent of all samples) of every bin that holds any, from (value, how many)."""
    bins: dict[int, int] = {}
    for value, count in columns:
        if value > 0:
            index = math.floor(math.log10(value) * BINS_PER_DECADE + 1e-9)
            bins[index] = bins.get(index, 0) + count
    total = sum(bins.values())
    return [(10 ** (index / BINS_PER_DECADE), 100 * count / total) for index, count in sorted(bins.items())]


def decades(low: float, high: float) -> list[float]:
    """The powers of ten between two values."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**power for power in range(first, last + 1)]


def _bins(drawing: Drawing, point: Point) -> list[tuple[float, float]]:
    name = drawing.figure.y[0]
    bins = at_point(drawing.results.histogram(name), point)
    if bins.height:
        middles = ((bins["from_s"] + bins["to_s"]) / 2).to_list()
        return counted(zip(middles, bins["count"].to_list(), strict=True))
    return counted((value, 1) for value in at_point(drawing.results.samples(name), point)["value"].to_list())


def _panel(  # noqa: PLR0913, PLR0917
    drawing: Drawing, title: str, point: Point, bins: list[tuple[float, float]], domain: list[float], least: float
) -> Any:
    rows = [
        {"from": low * 1e3, "to": low * ratio() * 1e3, "share": max(share, least), "least": least}
        for low, share in bins
    ]
    metric = point[drawing.figure.y[0]]
    text = f"mean {say(metric.mean, 's')}, longest {say(metric.field('max'), 's')}"
    head = alt.TitleParams(
        title, subtitle=text, anchor="start", fontSize=12, subtitleFontSize=11, subtitleColor=theme.MUTED
    )
    return (
        theme.chart(rows)
        .mark_rect(color=theme.PALETTE[0], stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "from:Q",
                title=labels.with_unit(labels.metric_label(drawing.figure.y[0]), "ms"),
                scale=alt.Scale(type="log", domain=domain, nice=False),
                axis=alt.Axis(format="~f", values=decades(*domain)),
            ),
            x2="to:Q",
            y=alt.Y(
                "share:Q",
                title="Rotations (%)",
                scale=alt.Scale(type="log", domain=[least, 100], nice=False),
                axis=alt.Axis(format="~g", values=decades(least, 100)),
            ),
            y2="least:Q",
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=head)
    )
