"""Axes: keys in a fitting unit, linear, logarithmic and symmetric-logarithmic values, times of several magnitudes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from sojourn import phrases
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.units import Scale, ladder

STEPS = (
    (3.0, (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)),
    (10.0, (1.0, 2.0, 3.0, 5.0, 7.0)),
    (1e4, (1.0, 2.0, 5.0)),
)
"""Multiples of the powers of ten that fit an axis whose largest value is less than this many times the least."""
MOST_TICKS = 12
COUNTS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
"""Ticks of a symmetric-logarithmic axis."""


def x_axis(drawing: Drawing, rows: Sequence[dict[str, Any]]) -> vl.Field:
    """The axis of `x`: numbers, labelled in a unit that suits their middle, or words in their order."""
    if any(isinstance(row["x"], str) for row in rows):
        return vl.Field("x:O", title=drawing.key_title(drawing.figure.x), sort=None, axis=vl.Axis(labelAngle=0))
    ticks = sorted({row["x"] for row in rows})
    title, factor = drawing.key_title_and_factor(drawing.figure.x, ticks[len(ticks) // 2] if ticks else 0.0)
    label = f"format(datum.value / {factor:g}, '~f')"
    axis = vl.Axis(labelExpr=label)
    if len(ticks) <= MOST_TICKS:
        # as they are: an axis rounds its labels to the distance of the ticks that it would have made itself
        axis = vl.Axis(values=ticks, labelOverlap="greedy", labelExpr=label)
    kind: dict[str, Any] = {"type": "log", "base": 2} if drawing.figure.axis_scale("x") == "log" else {"zero": False}
    return vl.Field("x:Q", title=title, scale=vl.Scale(nice=False, padding=10, **kind), axis=axis)


def y_axis(drawing: Drawing, label: str, shown: Scale, values: Iterable[float | None]) -> dict[str, Any]:
    """Scale, title and ticks of the values' axis, as the figure's `scale` asks."""
    kind = drawing.figure.axis_scale("y")
    if kind == "log":
        drawn = [value for value in values if value and value > 0]
        begin = beginning(drawn)
        ends = (begin, max(drawn)) if drawn else None
        return {"scale": vl.Scale(type="log", domainMin=begin), **logarithmic_axis(label, shown, ends)}
    title = phrases.with_unit(label, shown.unit)
    if kind == "symlog":
        # linear below 1, logarithmic above: counts that begin at 0 and grow a hundredfold
        scale = vl.Scale(type="symlog", constant=1)
        return {"scale": scale, "title": title, "axis": vl.Axis(format="~f", values=COUNTS)}
    return {"scale": vl.Scale(zero=True), "title": title, "axis": vl.Axis(format="~f")}


def beginning(values: Iterable[float]) -> float:
    """Where a logarithmic axis of positive values begins: at 1, 2 or 5 times a power of ten, at or below the least."""
    least = min(values, default=1.0)
    power = 10.0 ** math.floor(math.log10(least))
    return max(step * power for step in (1, 2, 5) if step * power <= least * (1 + 1e-9))


def logarithmic_axis(label: str, shown: Scale, ends: tuple[float, float] | None = None) -> dict[str, Any]:
    """Title and ticks of a logarithmic axis with values in `shown`; ticks of times carry their own units."""
    steps = ladder("s")
    ticks: dict[str, Any] = {"values": round_values(*ends)} if ends and ends[0] > 0 else {}
    if shown.unit not in {unit for _, unit in steps}:
        return {"title": phrases.with_unit(label, shown.unit), "axis": vl.Axis(format="~f", **ticks)}
    return {"title": label, "axis": vl.Axis(labelExpr=_in_units(shown.factor, steps), **ticks)}


def round_values(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten from `low` to `high`; of many decades the powers, within one more.

    Where fewer than two of them lie between, as of 7.1 to 7.8 ms, values at equal round distances.
    """
    steps = next((steps for most, steps in STEPS if high < most * low), (1.0,))
    powers = [10.0**power for power in range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)]
    values = [step * power for power in powers for step in steps]
    within = [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
    return within if len(within) > 1 or high <= low else _equally_far(low, high)


def _equally_far(low: float, high: float) -> list[float]:
    """Three to eight multiples of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = max(one * power for one in (1, 2, 5) if 3 * one * power <= (high - low) * (1 + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def decades(low: float, high: float) -> list[float]:
    """The powers of ten between two values."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**power for power in range(first, last + 1)]


def cycled(values: Sequence[Any], count: int) -> list[Any]:
    """This many values, from the start again when they run out."""
    return [values[index % len(values)] for index in range(count)]


def _in_units(factor: float, steps: tuple[tuple[float, str], ...]) -> str:
    """A Vega expression that labels a tick in the largest unit of which it is at least one; ticks without room stay
    empty.

    Ticks are whole multiples of a power of ten, held slightly above or below in floating point.
    """
    expression = "''"
    for size, unit in reversed(steps):
        text = f"format(datum.value * {factor / size:g}, '.4~g') + ' {unit}'"
        expression = f"datum.value * {factor / size:g} > 0.999 ? {text} : {expression}"
    return f"datum.label == '' ? '' : ({expression})"
