"""Histograms of a time at chosen values of a key: bins of equal width, or of equal ratio on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sojourn import catalogue, phrases
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import decades, logarithmic_axis
from sojourn.figures.drawing import Drawing
from sojourn.results import Point
from sojourn.units import Scale, format_value, scale, seconds, significant

PANEL_WIDTH, PANEL_HEIGHT = 360, 130
BINS_PER_DECADE = 12
RATIO = 10 ** (1 / BINS_PER_DECADE)
"""The upper edge of a bin of equal ratio over its lower one."""
DEFAULT_BIN = "10 ms"
LEAST_SHARE = 1e-6
"""Percent below which a bin is not drawn apart from the axis."""
Bins = list[tuple[float, float, float]]
"""Lower and upper edge in seconds, and percent of all samples."""


def draw(drawing: Drawing) -> Any:
    """One panel for each experiment and setting at the values of `at`; the height is the share of all samples."""
    log = drawing.figure.axis_scale("x") == "log"
    width = seconds(drawing.figure.bin or DEFAULT_BIN)
    panels = []
    for title, points in drawing.panels():
        for point in points:
            counts = _counts(drawing, point)
            bins = by_ratio(counts) if log else by_width(counts, width)
            if bins:
                panels.append((_heading(drawing, title, point), point, bins))
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} needs samples of {drawing.figure.y[0]}, not in these results")
    drawing.note(
        f"{BINS_PER_DECADE} bins per decade; both axes are logarithmic"
        if log
        else f"Bin width {format_value(width, 's')}"
    )
    axes = _logarithmic(drawing, [bins for *_, bins in panels]) if log else _linear(drawing, panels[0][1])
    charts = [_panel(drawing, heading, point, bins, axes) for heading, point, bins in panels]
    columns = len(drawing.figure.at) if len(drawing.figure.at) > 1 else 2
    return theme.panels(charts, columns).resolve_scale(x="shared", y="shared")


def by_width(counts: Iterable[tuple[float, int]], width: float) -> Bins:
    """Bins of equal width, from (seconds, count)."""
    bins: dict[int, int] = {}
    for value, count in counts:
        index = math.floor(value / width)
        bins[index] = bins.get(index, 0) + count
    total = sum(bins.values())
    return [(index * width, (index + 1) * width, 100 * count / total) for index, count in sorted(bins.items())]


def by_ratio(counts: Iterable[tuple[float, int]]) -> Bins:
    """Bins of equal ratio, from (seconds, count)."""
    bins: dict[int, int] = {}
    for value, count in counts:
        if value > 0:
            index = math.floor(math.log10(value) * BINS_PER_DECADE + 1e-9)
            bins[index] = bins.get(index, 0) + count
    total = sum(bins.values())
    edges = {index: 10 ** (index / BINS_PER_DECADE) for index in bins}
    return [(edges[index], edges[index] * RATIO, 100 * count / total) for index, count in sorted(bins.items())]


def _counts(drawing: Drawing, point: Point) -> list[tuple[float, int]]:
    """(seconds, count): samples where they are kept, else the middles of narrow bins."""
    name = drawing.figure.y[0]
    samples = drawing.results.columns_at(point, name)["value"]
    if samples:
        return [(value, 1) for value in samples]
    bins = drawing.results.columns_at(point, name, "histograms")
    middles = ((low + high) / 2 for low, high in zip(bins["from_s"], bins["to_s"], strict=True))
    return list(zip(middles, bins["count"], strict=True))


def _heading(drawing: Drawing, title: str, point: Point) -> str:
    at = drawing.at_setting(point.set.get(drawing.figure.x or ""))
    return ", ".join(part for part in (title, drawing.rest(point), at) if part)


def _linear(drawing: Drawing, point: Point) -> dict[str, Any]:
    """The axes of bins of equal width."""
    name = drawing.figure.y[0]
    shown = scale("s", point[name].field("p99") or point[name].mean or 0.0)
    title = phrases.with_unit(catalogue.metric_label(name), shown.unit)
    return {
        "shown": shown,
        "least": 0.0,
        "x": {
            "title": title,
            "scale": vl.Scale(zero=True),
            "axis": vl.Axis(tickCount=6, labelOverlap=True, format="~f"),
        },
        "y": {"scale": vl.Scale(zero=True), "axis": vl.Axis(format="~f")},
    }


def _logarithmic(drawing: Drawing, every: list[Bins]) -> dict[str, Any]:
    """The axes of bins of equal ratio."""
    shown = Scale(1e-3, "ms")
    drawn = [edge for bins in every for low, high, share in bins if share > LEAST_SHARE for edge in (low, high)]
    domain = [min(drawn) / shown.factor, max(drawn) / shown.factor]
    least = 10 ** math.floor(math.log10(min(share for bins in every for *_, share in bins)))
    x = logarithmic_axis(catalogue.metric_label(drawing.figure.y[0]), shown)
    x["axis"] = vl.Axis(labelExpr=x["axis"]["labelExpr"], values=decades(*domain))
    return {
        "shown": shown,
        "least": least,
        "x": {**x, "scale": vl.Scale(type="log", domain=domain, nice=False)},
        "y": {
            "scale": vl.Scale(type="log", domain=[least, 100], nice=False),
            "axis": vl.Axis(format="~g", values=decades(least, 100)),
        },
    }


def _panel(drawing: Drawing, heading: str, point: Point, bins: Bins, axes: dict[str, Any]) -> Any:
    shown, least = axes["shown"], axes["least"]
    rows = [
        {
            "from": low / shown.factor,
            "to": high / shown.factor,
            "share": max(share, least),
            "least": least,
            "label": f"{format_value(low, 's')} to {format_value(high, 's')}: {significant(share)} %",
        }
        for low, high, share in bins
    ]
    metric = point[drawing.figure.y[0]]
    count, median, largest = metric.field("count") or 0, metric.field("p50"), metric.field("max")
    middle = "not reached" if median is None and count else format_value(median, "s")
    title = vl.Title(
        theme.wrapped(heading),
        subtitle=f"{count:.0f} samples, median {middle}, maximum {format_value(largest, 's')}",
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=theme.MUTED,
    )
    return (
        theme.chart(rows)
        .mark("rect", color=theme.PALETTE[0], stroke="white", strokeWidth=0.5)
        .encode(
            x=vl.Field("from:Q", **axes["x"]),
            x2="to:Q",
            y=vl.Field("share:Q", title="Samples (%)", **axes["y"]),
            y2="least:Q",
            tooltip="label:N",
            description="label:N",
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=title)
    )
