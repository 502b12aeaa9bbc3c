"""Open intervals, faded to the edge of the plot with an arrow, and quantiles not reached, crosses at the edge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from sojourn.figures import theme
from sojourn.figures import vegalite as vl

Row = dict[str, Any]

BANDS = "Bands are 95 % confidence intervals"
FADED_BANDS = 'Faded bands have no upper end: the samples bear "at least" only'
OPEN = 'Faded, with an arrow: no upper end, the samples bear "at least" only'
OPEN_WHISKERS = 'Dashed, with an arrow: no upper end, the samples bear "at least" only'
OPEN_NAME, BEYOND_NAME = "no upper end", "not reached"
CROSS = "M-0.75,-0.75L0.75,0.75M-0.75,0.75L0.75,-0.75"
EDGE, STEP = 6, 10
"""Pixels from the edge of the plot to a mark, and from one series' crosses to the next."""
ROOM, ROOM_OF_LOG = 1.15, 1.6
"""The axis reaches this many times beyond the largest value where something has no upper end."""
OPACITY, FADED = 0.18, 0.02
"""Of bands; of those without an upper end at the edge."""
LIGHTER = 0.08
"""Opacity of the bands of the next measurement, behind the others."""
NEXT = "Lighter bands hold the next measurement 95 % of the time"
SIDES = {"up": ("y", "y2", 0, "triangle-up", EDGE), "right": ("x", "x2", "width", "triangle-right", "width")}
"""By the direction in which values grow: the channels of a whisker, the edge, the arrow and its place."""


def bands(  # noqa: PLR0913, PLR0917
    rows: Sequence[Row],
    top: float,
    colours: dict[str, str],
    x: vl.Field,
    axis: dict[str, Any],
    shade: float = OPACITY,
) -> list[Any]:
    """The bands of lines: each between neighbours with an interval, faded up to the top where one end is open.

    `rows` are in the order of `x` within their series; `low` is None where nothing is known. A value without neighbours
    has a whisker.
    """
    closed, faded, alone = _bands(rows, top)
    y, opacity = vl.Field("low:Q", **axis), {"opacity": shade, "tooltip": None, "aria": False}
    layers = []
    for series, colour in colours.items():
        whole = [row for row in closed if row["series"] == series]
        open_ended = [row for row in faded if row["series"] == series]
        for kind, shown, look in (
            ("area", whole, {"color": colour, **opacity}),
            ("area", open_ended, {"color": _fading(colour), "tooltip": None, "aria": False}),
            ("rule", [row for row in alone if row["series"] == series], {"color": colour, "aria": False}),
        ):
            if shown:
                area = theme.chart(shown).mark(kind, clip=True, **look)
                layers.append(area.encode(x=x, y=y, y2="high:Q", detail="band:N"))
    return layers


def _bands(rows: Sequence[Row], top: float) -> tuple[list[Row], list[Row], list[Row]]:
    """The corners of the closed bands and of the faded ones, and the intervals of values without neighbours."""
    closed: list[Row] = []
    faded: list[Row] = []
    alone: list[Row] = []
    for series in dict.fromkeys(row["series"] for row in rows):
        own = [row for row in rows if row["series"] == series]
        near = {index for index, pair in enumerate(pairwise(own)) if all(row["low"] is not None for row in pair)}
        for index, row in enumerate(own):
            corner = {"x": row["x"], "series": series, "low": row["low"]}
            if row["low"] is not None and not near & {index - 1, index}:
                alone.append(corner | {"high": _high(row, top), "band": f"{series} {index}"})
        for index in sorted(near):
            both = own[index : index + 2]
            has_open = any(row["high"] is None for row in both)
            # neighbours with both ends share a band, so that no seam shows between them
            band = f"{series} {index}" if has_open else series
            corners = [
                {"x": row["x"], "series": series, "low": row["low"], "high": _high(row, top), "band": band}
                for row in both
            ]
            (faded if has_open else closed).extend(corners)
    return _runs(closed), faded, alone


def _runs(corners: list[Row]) -> list[Row]:
    """Corners once each; a gap begins a band of its own."""
    found: list[Row] = []
    run = 0
    for first, second in zip(corners[::2], corners[1::2], strict=True):
        last = found[-1] if found else None
        if last is None or (last["x"], last["series"]) != (first["x"], first["series"]):
            run += 1
            found.append(first | {"band": f"{first['band']}, {run}"})
        found.append(second | {"band": f"{second['band']}, {run}"})
    return found


def _high(row: Row, top: float) -> float:
    return top if row["high"] is None else float(row["high"])


def _fading(colour: str) -> Row:
    """A colour that fades out towards the top."""
    red, green, blue = (int(colour[index : index + 2], 16) for index in (1, 3, 5))
    stops = [
        {"offset": end, "color": f"rgba({red},{green},{blue},{share})"} for end, share in ((0, OPACITY), (1, FADED))
    ]
    return {"gradient": "linear", "x1": 0, "y1": 1, "x2": 0, "y2": 0, "stops": stops}


def arrows(rows: Sequence[Row], side: str = "up", **place: vl.Part) -> list[Any]:
    """An arrow at the edge for each row without an upper end, in the colour of its series, named in a legend."""
    if not rows:
        return []
    along, _, _, shape, edge = SIDES[side]
    mark = theme.chart([row | {"mark": OPEN_NAME} for row in rows]).mark("point", shape=shape, filled=True, opacity=1)
    named = _named("size", OPEN_NAME, shape, 46)
    return [mark.encode(**place, **{along: vl.value(edge)}, **named, tooltip="label:N", description="label:N")]


def crosses(rows: Sequence[Row], order: Sequence[str], **place: vl.Part) -> list[Any]:
    """A cross at the top for each row that is not reached, in the colour of its series, named in a legend."""
    layers = []
    by_series = ([row | {"mark": BEYOND_NAME} for row in rows if row["series"] == series] for series in order)
    for index, own in enumerate(filter(None, by_series)):
        mark = theme.chart(own).mark("point", shape=CROSS, size=60, filled=False, opacity=1)
        at = {"y": vl.value(EDGE + STEP * index)} if "y" not in place else {}
        named = _named("strokeWidth", BEYOND_NAME, CROSS, 2)
        layers.append(mark.encode(**place, **at, **named, tooltip="label:N", description="label:N"))
    return layers


def _named(channel: str, name: str, shape: str, value: int) -> Row:
    """An entry of the legend for marks of one meaning, by a channel that nothing else of the plot uses."""
    symbol: Row = {"symbolType": shape, "symbolStrokeColor": theme.INK, "symbolStrokeWidth": 1.8, "symbolSize": 60}
    symbol |= {"symbolFillColor": "transparent" if shape == CROSS else theme.INK}
    legend = theme.legend_of([name], **symbol)
    how = vl.Scale(type="ordinal", domain=[name], range=[value])
    # ordered: Vega-Lite complains of a width or a size for what has no order
    return {channel: vl.Field("mark:O", scale=how, legend=legend)}


def whiskers(rows: Iterable[Row], side: str = "up", **place: vl.Part) -> list[Any]:
    """Whiskers of bars and marks from `low` to `high`; dashed to an arrow at the edge where there is no upper end."""
    low, high, edge, *_ = SIDES[side]
    known = [row for row in rows if row.get("low") is not None]
    closed, open_ended = ([row for row in known if (row["high"] is None) is none] for none in (False, True))
    layers = []
    if closed:
        mark = theme.chart(closed).mark("rule", color=theme.INK, tooltip=None, aria=False)
        layers.append(mark.encode(**place, **{low: vl.Field("low:Q"), high: vl.Field("high:Q")}))
    if open_ended:
        mark = theme.chart(open_ended).mark(
            "rule", color=theme.INK, opacity=0.5, strokeDash=[3, 3], tooltip=None, aria=False
        )
        layers.append(mark.encode(**place, **{low: vl.Field("low:Q"), high: vl.value(edge)}))
        layers += arrows(open_ended, side, color=vl.value(theme.INK), **place)
    return layers


def top_of(values: Iterable[float | None], is_log: bool) -> float:
    """Where the axis ends that something without an upper end reaches up to."""
    largest = max((value for value in values if value is not None), default=1.0) or 1.0
    return largest * (ROOM_OF_LOG if is_log else ROOM)
