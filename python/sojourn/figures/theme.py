"""The common look of figures: sizes, colours safe for colour-blind readers, title and caption."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from sojourn.figures import vegalite as vl
from sojourn.secret import shown
from sojourn.units import duration

if TYPE_CHECKING:
    from sojourn.figures.drawing import Drawing
    from sojourn.results import Results

PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000", "#F0E442", "#8C564B"]
"""Okabe and Ito's colours, strongest first, and two for a long tail."""
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [10, 4]]
SHAPES = ["circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right"]
INK, MUTED, GRID = "#222222", "#666666", "#E4E4E4"
WIDTH, HEIGHT = 620, 280
PUBLISHED = "#000000"
FONT = "Helvetica, Arial, sans-serif"
PANEL_TITLE_WIDTH = 50
"""Characters of a line of a panel's title."""
_CHARACTERS_PER_PIXEL = 1 / 5.6
LOOK: dict[str, Any] = {
    "font": FONT,
    "mark": {"tooltip": True},
    "view": {"stroke": None},
    "axis": {
        "gridColor": GRID,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelSeparation": 5,
    },
    # labels stay within their plot's height, so that panels' titles line up
    "axisY": {"labelFlush": True},
    "legend": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "labelLimit": WIDTH,
        "symbolStrokeWidth": 0,
        "titleFontWeight": "normal",
    },
    "header": {"labelFontSize": 12, "labelFontWeight": 600, "labelColor": INK},
}
"""The look of axes, legends and marks of every figure."""


def panel_title(text: str) -> vl.Title:
    """The title of a panel, in as many lines as its width needs."""
    return vl.Title(wrapped(text), anchor="start", fontSize=12)


def wrapped(text: str) -> str | list[str]:
    """A text in lines that fit a panel, numbers and their units together."""
    lines = textwrap.wrap(re.sub(r"(\d) (?=[^\W\d]|%)", "\\1\u00a0", text), PANEL_TITLE_WIDTH)
    return lines if len(lines) > 1 else text


def finished(chart: vl.Chart, drawing: Drawing) -> vl.Chart:
    """The chart with title, caption and the common look."""
    return _dressed(chart, heading(drawing), caption(drawing, _width(chart.specification)))


def dressed(chart: vl.Chart, title: str, caption: str) -> vl.Chart:
    """A chart of anything but results, with title, caption and the common look."""
    return _dressed(chart, title, _filled(caption, _width(chart.specification)))


def _dressed(chart: vl.Chart, text: str, subtitle: list[str]) -> vl.Chart:
    title = vl.Title(
        text,
        subtitle=subtitle,
        anchor="start",
        frame="group",
        fontSize=15,
        fontWeight=600,
        subtitleFontSize=11,
        subtitleColor=MUTED,
        subtitlePadding=5,
        color=INK,
        offset=14,
    )
    return chart.properties(title=title, background="white", padding=12, config=LOOK)


def heading(drawing: Drawing) -> str:
    """The title: the figure's own, or its kind."""
    return drawing.figure.title or drawing.figure.kind.capitalize()


def caption(drawing: Drawing, width: float) -> list[str]:
    """Replications, seed, intervals and marks, in lines that fit the width."""
    parts = [drawing.figure.caption, runs(drawing), *drawing.notes]
    text = " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)
    return _filled(text, width)


def _filled(text: str, width: float) -> list[str]:
    """A text in lines that fit this many pixels."""
    return textwrap.wrap(text, max(60, int(width * _CHARACTERS_PER_PIXEL)))


def runs(drawing: Drawing) -> str:
    """Number and length of the replications and their seed: "10 replications of 10 min per point, seed 1".

    For a measurement its time, host and peer.
    """
    points = drawing.points_drawn
    if not points:
        return ""
    counts = sorted({int(point.raw["replications"]) for point in points})
    lengths = sorted({float(point.raw["duration"]) for point in points})
    often = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    long = duration(lengths[0]) if len(lengths) == 1 else f"{duration(lengths[0])} to {duration(lengths[-1])}"
    noun = "replication" if counts == [1] else "replications"
    origin = taken(drawing.results) or f"seed {drawing.results.raw['seed']}"
    return f"{often} {noun} of {drawing.results.at_most}{long} per point, {origin}"


def taken(results: Results) -> str:
    """Time, host and peer of a measurement; empty for a simulation."""
    found = results.provenance or {}
    if results.raw.get("world") == "captured":
        return f"captured in {results.raw['study']}"
    if results.raw.get("world") != "live" or "began" not in found:
        return ""
    when = found["began"][:16].replace("T", " ")
    return f"measured {when} UTC by {found['host']} against {_peer(found['request'])}"


def _peer(request: dict[str, Any]) -> str:
    """What a live job measured: its peer or address, or the document that names the peer."""
    return shown(str(request.get("peer") or request.get("url") or request.get("file") or "a peer"))


def chart(rows: list[dict[str, Any]]) -> vl.Chart:
    """A chart whose rows are part of its specification."""
    return vl.Chart(rows)


def colours(domain: list[str], title: str | None = None, **legend: Any) -> vl.Field:
    """A colour for each item of the domain, in its order."""
    return vl.Field(
        "series:N",
        sort=domain,
        scale=vl.Scale(domain=domain, range=PALETTE[: len(domain)]),
        legend=legend_of(domain, title, **legend),
    )


def legend_of(domain: list[str], title: str | None = None, width: int = WIDTH, **options: Any) -> vl.Legend:
    """A legend above a plot of a width in pixels, in columns that fit."""
    longest = max((len(word) for word in domain), default=1)
    columns = max(1, min(len(domain), 100 * width // WIDTH // (longest + 4)))
    return vl.Legend(
        **(
            {"title": title, "orient": "top", "direction": "horizontal", "columns": columns, "symbolOpacity": 1}
            | options
        )
    )


def published_mark(rows: list[dict[str, Any]], *, rim: str = "white", **encodings: Any) -> Any:
    """Published numbers as diamonds with a rim, each with its label; black where `color` is not among the encodings."""
    return (
        chart(rows)
        .mark("point", shape="diamond", size=80, filled=True, color=PUBLISHED, stroke=rim, strokeWidth=1, opacity=1)
        .encode(**encodings, tooltip="label:N", description="label:N")
    )


def panels(charts: list[vl.Chart], columns: int) -> vl.Chart:
    """Charts in rows with aligned plots, independent of the width of their labels."""
    return vl.concat(*charts, columns=columns, bounds="flush", spacing={"row": 104, "column": 74})


def _width(specification: dict[str, Any]) -> float:
    """The width of a chart that may be panels side by side."""
    for side in ("hconcat", "vconcat", "concat"):
        if side in specification:
            widths = [_width(panel) + 60 for panel in specification[side]]
            columns = {"hconcat": len(widths), "vconcat": 1}.get(side) or int(specification["columns"])
            return max(sum(widths[start : start + columns]) for start in range(0, len(widths), columns))
    width = specification.get("width")
    return float(width) if isinstance(width, int | float) else WIDTH
