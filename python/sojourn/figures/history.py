"""A series over time: the values, the levels between change points, conditions as dashed lines, outages shaded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sojourn import catalogue
from sojourn.figures import open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.units import Scale, format_value, percent, scale

if TYPE_CHECKING:
    from sojourn.store.changes import Change
    from sojourn.store.series import Series

WIDTH, HEIGHT = 760, 300
FEW = 120
"""Values that are drawn as marks as well."""
ROOM = 1.15
"""Of the axis above the largest value shown."""
REACH = 4.0
"""A condition further above the values than this many times is named in the caption, not drawn."""


MOST_PANELS = 6
FEW_DAYS_US, FEW_MINUTES_US = 2 * 86_400_000_000, 600_000_000


def draw(results: Sequence[tuple[Series, Sequence[Change]]]) -> Any:
    """The figure of series with their changes, a panel for each."""
    shown = results[:MOST_PANELS]
    charts = [_panel(series, changes) for series, changes in shown]
    first = shown[0][0]
    label = _label(first)
    caption = _caption(shown)
    if len(results) > len(shown):
        caption += f" The first {len(shown)} of {len(results)} series."
    if len(charts) == 1:
        return theme.dressed(charts[0], f"{label}: {first.title}", caption)
    titled = [
        chart.properties(title=theme.panel_title(one.title)) for chart, (one, _) in zip(charts, shown, strict=True)
    ]
    return theme.dressed(vl.vconcat(*titled, spacing=24), label, caption)


def _panel(series: Series, changes: Sequence[Change]) -> Any:
    values = [value.value for value in series.values]
    shown = scale(series.unit, sorted(values)[len(values) // 2] or max(values), series.metric)
    near = _near(series)
    most = max([*values, *near.values(), *(value.high or 0.0 for value in series.values)]) / shown.factor * ROOM
    x = vl.Field("x:T", title=None, axis=vl.Axis(format=_times(series), labelFlush=True, labelOverlap=True))
    title = f"{_label(series)} ({shown.unit})" if shown.unit else _label(series)
    y = vl.Field("y:Q", title=title, scale=vl.Scale(domain=[0, most], nice=False), axis=vl.Axis(format="~f"))
    layers = [
        *_outages(series),
        *_intervals(series, shown, x, most),
        *_beyond(series, x),
        *_values(series, shown, x, y),
        *_levels(series, changes, shown, x),
        *_limits(near, shown),
        *_changes(series, changes),
    ]
    return vl.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _label(series: Series) -> str:
    """The name of the metric and the field of it: "Response time p99"."""
    name, _, field = series.metric.rpartition(".")
    return f"{catalogue.metric_label(name)} {field}" if name else catalogue.metric_label(field)


def _times(series: Series) -> str:
    """The format of the axis: days, hours of a day or two, or seconds of some minutes."""
    begins = [value.begin_us for value in series.values]
    length_us = max(begins) - min(begins)
    return "%e %b" if length_us > FEW_DAYS_US else "%e %b %H:%M" if length_us > FEW_MINUTES_US else "%H:%M:%S"


def _time(at_us: int) -> int:
    """Milliseconds since 1970, as Vega counts."""
    return at_us // 1000


def _values(series: Series, shown: Scale, x: vl.Field, y: vl.Field) -> list[Any]:
    rows = [{"x": _time(value.begin_us), "y": shown.number(value.value)} for value in series.values]
    base = theme.chart(rows).encode(x=x, y=y)
    line = base.mark("line", color=theme.PALETTE[0], strokeWidth=1, opacity=0.55, tooltip=None, aria=False)
    return [line, base.mark("circle", color=theme.PALETTE[0], size=24, opacity=1)] if len(rows) <= FEW else [line]


def _intervals(series: Series, shown: Scale, x: vl.Field, most: float) -> list[Any]:
    """Bars of the intervals; dashed to an arrow at the top where there is no upper end."""
    rows = [
        {
            "x": _time(value.begin_us),
            "low": shown.number(value.low),
            "high": most if value.high is None else shown.number(value.high),
            "of": "open" if value.high is None else "closed",
            "label": f"at least {format_value(value.low, series.unit, series.metric)}",
        }
        for value in series.values
        if value.low is not None
    ]
    layers = []
    for of, look in (("closed", {}), ("open", {"strokeDash": [3, 3]})):
        own = [row for row in rows if row["of"] == of]
        if own:
            bars = theme.chart(own).mark(
                "rule", color=theme.PALETTE[0], opacity=0.5, tooltip=None, aria=False, clip=True, **look
            )
            layers.append(bars.encode(x=x, y=vl.Field("low:Q", scale=vl.Scale(domain=[0, most])), y2="high:Q"))
    colour = vl.value(theme.PALETTE[0])
    return [*layers, *open_ends.arrows([row for row in rows if row["of"] == "open"], x=x, color=colour)]


def _beyond(series: Series, x: vl.Field) -> list[Any]:
    """Crosses at the top where a quantile was not reached."""
    rows = [{"x": _time(at), "series": "", "label": "not reached"} for at in series.beyond]
    return open_ends.crosses(rows, [""], x=x, color=vl.value(theme.PALETTE[0]))


def _levels(series: Series, changes: Sequence[Change], shown: Scale, x: vl.Field) -> list[Any]:
    """The median between two changes, as a thick line."""
    if not changes:
        return []
    ends = [series.values[0].begin_us, *(change.at_us for change in changes), series.values[-1].begin_us]
    levels = [changes[0].before, *(change.after for change in changes)]
    rows = [
        {"x": _time(begin), "x2": _time(end), "y": shown.number(level)}
        for begin, end, level in zip(ends[:-1], ends[1:], levels, strict=True)
    ]
    return [
        theme.chart(rows)
        .mark("rule", color=theme.PALETTE[1], strokeWidth=2.5, tooltip=None, aria=False)
        .encode(x=x, x2="x2:T", y="y:Q")
    ]


def _changes(series: Series, changes: Sequence[Change]) -> list[Any]:
    """A vertical line and what changed, on the side with more room."""
    begin, end = series.values[0].begin_us, series.values[-1].begin_us
    layers = []
    for index, change in enumerate(changes):
        right = change.at_us - begin > (end - begin) / 2
        row = {
            "x": _time(change.at_us),
            "text": f"{_day(change.at_us)}: {words(change, series)}".replace(", ", ",\n", 1),
        }
        base = theme.chart([row]).encode(x="x:T")
        side: dict[str, Any] = {"align": "right", "dx": -6} if right else {"align": "left", "dx": 6}
        text = base.mark(
            "text", color=theme.INK, fontSize=11, baseline="top", lineBreak="\n", dy=4 + 28 * (index % 3), **side
        )
        layers += [
            base.mark("rule", color=theme.INK, strokeWidth=1).encode(tooltip="text:N", description="text:N"),
            text.encode(text="text:N", y=vl.value(0)),
        ]
    return layers


def _limits(near: dict[str, float], shown: Scale) -> list[Any]:
    rows = [{"y": shown.number(limit), "text": text} for text, limit in near.items()]
    if not rows:
        return []
    base = theme.chart(rows).encode(y="y:Q")
    place: dict[str, Any] = {"align": "right", "dx": -6, "dy": -7, "fontSize": 11}
    halo = base.mark("text", **place, color="white", stroke="white", strokeWidth=4, tooltip=None, aria=False)
    text = base.mark("text", **place, color=theme.PUBLISHED)
    where: dict[str, vl.Part] = {"x": vl.value(WIDTH), "text": vl.Field("text:N")}
    return [
        base.mark("rule", color=theme.PUBLISHED, strokeDash=[5, 3], strokeWidth=1, tooltip=None, aria=False),
        halo.encode(**where),
        text.encode(**where),
    ]


def _outages(series: Series) -> list[Any]:
    rows = [{"x": _time(begin), "x2": _time(end)} for begin, end in series.outages]
    # an outage of minutes is narrower than a pixel of months
    band = theme.chart(rows).mark("rect", color=theme.PALETTE[3], opacity=0.5, stroke=theme.PALETTE[3], strokeWidth=1)
    return [band.encode(x="x:T", x2="x2:T")] if rows else []


def words(change: Change, series: Series) -> str:
    """A change: "12.1 to 15.4 ms, +27 % (+25 to +29 %)"."""
    before, after = (format_value(value, series.unit, series.metric) for value in (change.before, change.after))
    if not change.relative:
        return f"{before} to {after}"
    middle, low, high = (percent(share, digits=1, sign=True) for share in change.difference)
    return f"{before} to {after}, {middle} ({low} to {high})"


def _day(at_us: int) -> str:
    moment = datetime.fromtimestamp(at_us / 1e6, UTC)
    return f"{moment.day} {moment:%b}"


def _near(series: Series) -> dict[str, float]:
    """The conditions that are not far above all values."""
    most = max(value.value for value in series.values)
    return {text: limit for text, limit in series.limits.items() if limit <= REACH * most}


def _caption(results: Sequence[tuple[Series, Sequence[Change]]]) -> str:
    values = [value.begin_us for series, _ in results for value in series.values]
    first, last = (datetime.fromtimestamp(at / 1e6, UTC) for at in (min(values), max(values)))
    parts = [f"{len(values)} values, {first:%Y-%m-%d} to {last:%Y-%m-%d}, UTC"]
    if any(changes for _, changes in results):
        parts.append("Vertical lines are change points with 95 % intervals, thick lines the medians between them")
    ends = [(value.low is None, value.high is None) for series, _ in results for value in series.values]
    if (False, False) in ends:
        parts.append("Bars are 95 % confidence intervals")
    if (False, True) in ends:
        parts.append(open_ends.OPEN_WHISKERS)
    if count := sum(len(series.beyond) for series, _ in results):
        parts.append(f"Crosses at the top: not reached in {count} {'run' if count == 1 else 'runs'}")
    if any(_near(series) for series, _ in results):
        parts.append("Dashed lines are conditions")
    if far := sorted({text for series, _ in results for text in series.limits.keys() - _near(series).keys()}):
        parts.append(f"Far above the values: {', '.join(far)}")
    if count := sum(len(series.outages) for series, _ in results):
        parts.append(f"Shaded: {count} {'outage' if count == 1 else 'outages'}")
    return ". ".join(parts) + "."
