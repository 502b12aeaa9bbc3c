"""One metric, largest first: of an experiment and its variants at one value of a key, or of its members."""

from __future__ import annotations

from typing import Any

from sojourn import phrases, services
from sojourn.errors import UnknownName
from sojourn.figures import open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing, drawn
from sojourn.results import Metric, Point
from sojourn.units import Scale, format_interval, format_value, scale

MOST_BARS = 15
TICKS = 8
"""About as many on an axis of bars as leave their labels apart."""
BEST_OPINION = 5
"""Top of the scale of opinions (ITU-T P.800)."""
RATINGS = ("mos", "r_factor")
"""Of which the poorest are of interest."""
REFERENCE, VARIANT = "reference", "variant"


def draw(drawing: Drawing) -> Any:
    """Experiments as marks about the reference, or members as bars."""
    return _members(drawing) if drawing.figure.members else _variants(drawing)


def _variants(drawing: Drawing) -> Any:
    """A mark for every setting of every experiment where `x` is the first of `at`; a line at the first experiment."""
    name, figure = drawing.figure.y[0], drawing.figure
    base, wanted = drawing.experiments[0], figure.at[0] if figure.at else None
    found = [
        (point, metric)
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if point.set.get(figure.x or "") == wanted and (metric := point.get(name)) is not None
    ]
    if not any(point.experiment == base for point, _ in found):
        raise UnknownName(f"figure {figure.id} compares with {base} at {wanted}, which these results do not hold")
    shown = drawing.scale_of(name)
    rows = []
    for point, metric in sorted(found, key=lambda row: -(row[1].mean or 0.0)):
        change = ", ".join([drawing.title_of(point.experiment), *drawing.other_settings(point)])
        of = REFERENCE if point.experiment == base else VARIANT
        rows.append({"change": change, "of": of, **_numbers(change, metric, shown)})
    at = phrases.capitalised(drawing.at_setting(wanted))
    drawing.note(f"{at}; whiskers are 95 % confidence intervals, the dashed line is {base}")
    title = drawing.axis_title(name, shown)
    y = vl.Field("change:N", sort=None, title=None, axis=vl.Axis(labelLimit=420, labelFlush=False))
    marks = theme.chart(rows).encode(y=y)
    colours = vl.Scale(domain=[REFERENCE, VARIANT], range=[theme.PALETTE[1], theme.PALETTE[0]])
    layers: list[Any] = [
        theme.chart([row for row in rows if row["of"] == REFERENCE])
        .mark("rule", color=theme.PALETTE[1], strokeDash=[4, 3], tooltip=None, aria=False)
        .encode(x="value:Q"),
        *_whiskers(drawing, rows, y),
        marks.mark("point", filled=True, size=60, opacity=1).encode(
            x=vl.Field("value:Q", title=title, scale=vl.Scale(zero=True), axis=vl.Axis(format="~f")),
            color=vl.Field("of:N", scale=colours, legend=None),
            tooltip="label:N",
            description="label:N",
        ),
    ]
    published = [
        {"value": shown.number(row.value), "label": f"published {format_value(row.value, row.unit, name)}"}
        for row in drawing.published_of(base, name, ("mean", "value"))
        if row.set.get(figure.x or "") == wanted
    ]
    if published:
        drawing.note("The solid line is the published value")
        line = theme.chart(published).mark("rule", color=theme.PUBLISHED, strokeWidth=1.5)
        layers.append(line.encode(x="value:Q", tooltip="label:N", description="label:N"))
    return vl.layer(*layers).properties(width=theme.WIDTH - 160, height={"step": 18})


def _members(drawing: Drawing) -> Any:
    """Horizontal bars of the members of `y` at the first point; the largest fifteen, of ratings the poorest."""
    name = drawing.figure.y[0]
    point: Point = drawing.points(drawing.experiments[0])[0]
    found = services.members_of(point, name)
    if not found:
        raise UnknownName(f"no metric {name}/... in these results")
    poorest_first = name in RATINGS
    largest = sorted(found.items(), key=lambda item: (item[1].mean or 0.0) * (1 if poorest_first else -1))[:MOST_BARS]
    shown = scale(largest[0][1].unit, largest[0][1].mean or 0.0, name)
    rows = [{"member": member, **_numbers(member, metric, shown)} for member, metric in largest]
    if len(found) > MOST_BARS:
        drawing.note(f"The {'poorest' if poorest_first else 'largest'} {MOST_BARS} of {len(found)}")
    if any(row["low"] is not None for row in rows):
        drawing.note("Whiskers are 95 % confidence intervals")
    # a flush label would stand above the first bar and below the last one
    y = vl.Field("member:N", sort=None, title=None, axis=vl.Axis(labelFlush=False))
    base = theme.chart(rows).encode(y=y)
    whole = {"domain": [0, BEST_OPINION]} if name == "mos" else {}
    x = vl.Field(
        "value:Q",
        title=drawing.axis_title(name, shown),
        scale=vl.Scale(zero=True, **whole),
        axis=vl.Axis(tickCount=TICKS),
    )
    bars = base.mark("bar", color=theme.PALETTE[0]).encode(x=x, tooltip="label:N", description="label:N")
    whiskers = _whiskers(drawing, rows, y)
    return (vl.layer(bars, *whiskers) if whiskers else bars).properties(width=theme.WIDTH, height={"step": 20})


def _whiskers(drawing: Drawing, rows: list[dict[str, Any]], y: vl.Field) -> list[Any]:
    if any(row["low"] is not None and row["high"] is None for row in rows):
        drawing.note(open_ends.OPEN_WHISKERS)
    return open_ends.whiskers(rows, "right", y=y)


def _numbers(whose: str, metric: Metric, shown: Scale) -> dict[str, Any]:
    """A value, its interval, and both in words."""
    known = drawn(metric)
    label = f"{whose}: {format_interval(metric.mean, metric.interval, metric.unit, metric.name)}"
    return {
        "value": shown.number(metric.mean),
        "low": shown.number(known.low),
        "high": shown.number(known.high),
        "label": label,
    }
