"""Percentiles of a time on an axis of 1/(1 - p): p90, p99, p99.9 and so on are equally spaced, p95 a third beyond p90.

The axis resolves the tail, which a cumulative distribution compresses into its last percent.
"""

from __future__ import annotations

from typing import Any

from sojourn import catalogue
from sojourn.errors import UnknownName
from sojourn.figures import floor, open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import logarithmic_axis
from sojourn.figures.distribution import curve, label_of
from sojourn.figures.drawing import Drawing
from sojourn.point import QUANTILES
from sojourn.results import Point
from sojourn.uncertainty import Kind
from sojourn.units import percent, scale

RARITIES = [1, 2, 10, 20, 100, 1000, 10_000, 100_000, 1_000_000]
LABEL = "datum.value == 1 ? 'min' : 'p' + format(100 - 100 / datum.value, '~r')"
FEWEST_BEYOND = 10
"""A percentile with fewer samples beyond it is close to the maximum observed, and varies between replications."""
SHORTEST = 0.05
"""Share of the shortest samples that may lie below the axis."""
FAR = 5.0
"""They do where the axis would begin more than this many times lower for them."""
CONSTANT = 1.25
"""Times this much lower and higher are on the axis of a time that is constant."""
HALF = 0.5
"""Half a sample: tolerance of shares computed in floating point."""
Quantile = tuple[float, float]
"""(1/(1 - p), seconds)."""
Quantiles = list[Quantile]


def draw(drawing: Drawing) -> Any:
    """A line for each point, dashed where few samples lie beyond the percentile."""
    name = drawing.figure.y[0]
    points = [
        point
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if point.get(name) is not None
    ]
    lines = {label_of(drawing, point): _quantiles(drawing, point, name) for point in points}
    if not any(well or weak for well, weak in lines.values()):
        raise UnknownName(f"figure {drawing.figure.id} needs percentiles of {name}, not in these results")
    drawing.note(f"Dashed where fewer than {FEWEST_BEYOND} samples lie beyond the percentile")
    beyond = [row for point in points for row in _beyond(point, name, label_of(drawing, point))]
    return _chart(drawing, lines, beyond, name, floor.noise_floor(points, name))


def _quantiles(drawing: Drawing, point: Point, name: str) -> tuple[Quantiles, Quantiles]:
    """Percentiles with enough samples beyond them, then the others, from the last of the former on."""
    count = point[name].sent or point[name].field("count") or 0.0
    found = [
        (count / beyond, time)
        for time, percent in curve(drawing, point, name)
        if (beyond := count * (1 - percent / 100)) > HALF
    ]
    if not found and count:  # one sample, or all in one bin: a time that is constant
        least, largest = point[name].field("min"), point[name].field("max")
        found = [(rarity, time) for rarity, time in ((1.0, least), (count, largest)) if time is not None]
    few = sum(count / rarity < FEWEST_BEYOND - HALF for rarity, _ in found)
    well = found[: len(found) - few]
    return well, found[max(0, len(well) - 1) :] if few else []


def _beyond(point: Point, name: str, label: str) -> list[dict[str, Any]]:
    """The percentiles that are not reached, at their place on the axis."""
    return [
        {"x": 1 / (1 - share), "series": label, "label": f"{label}: {field.replace('p999', 'p99.9')} not reached"}
        for field, share in QUANTILES.items()
        if point[name].uncertainty(field).kind is Kind.not_reached
    ]


def _chart(
    drawing: Drawing,
    lines: dict[str, tuple[Quantiles, Quantiles]],
    beyond: list[dict[str, Any]],
    name: str,
    noise: float | None,
) -> Any:
    every = [quantile for halves in lines.values() for half in halves for quantile in half]
    times = sorted(time for _, time in every)
    rarest = max([*(rarity for rarity, _ in every), *(row["x"] for row in beyond)])
    shown = scale("s", times[len(times) // 2])
    least = floor.least_of(_begin(drawing, every, times[0]), noise) / shown.factor
    most = times[-1] / shown.factor
    if least >= most:
        least, most = least / CONSTANT, most * CONSTANT
    how = vl.Scale(type="log", domain=[least, most], nice=False)
    y = vl.Field("y:Q", scale=how, **logarithmic_axis(catalogue.metric_label(name), shown, (least, most)))
    ticks = vl.Axis(values=[rarity for rarity in RARITIES if rarity <= rarest], labelExpr=LABEL)
    x = vl.Field(
        "x:Q", title="Percentile", scale=vl.Scale(type="log", domain=[1, max(2.0, rarest)], nice=False), axis=ticks
    )
    colour = theme.colours(list(lines), symbolStrokeWidth=3) if len(lines) > 1 else vl.value(theme.PALETTE[0])
    halves = []
    for index, dash in enumerate(theme.DASHES[:2]):
        rows = [
            {"x": rarity, "y": time / shown.factor, "series": series}
            for series, line in lines.items()
            for rarity, time in line[index]
        ]
        line = theme.chart(rows).mark(
            "line", interpolate="step-before", strokeWidth=2, strokeDash=dash, clip=True, tooltip=None
        )
        halves.append(line.encode(x=x, y=y, color=colour, description="series:N"))
    under = floor.beneath(drawing, shown, noise, least, how)
    halves += open_ends.crosses(beyond, list(lines), x=x, color=colour)
    return vl.layer(*under, *halves).properties(width=theme.WIDTH, height=theme.HEIGHT)


def _begin(drawing: Drawing, every: list[Quantile], shortest: float) -> float:
    """Start of the axis of times: the shortest sample, or a low percentile where a few samples are far shorter."""
    low = min((time for rarity, time in every if rarity >= 1 / (1 - SHORTEST)), default=shortest)
    if low <= FAR * shortest:
        return shortest
    drawing.note(f"The shortest {percent(SHORTEST)} of the samples are below the axis")
    return low
