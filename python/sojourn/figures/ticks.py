"""Axes that span magnitudes: each time is labelled in the unit that suits it, as 80 µs and 700 ms on one axis."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.units import Scale, ladder


def logarithmic_axis(label: str, shown: Scale) -> dict[str, Any]:
    """Title and axis of a logarithmic scale whose values are in the unit shown; times need no unit in the title."""
    steps = ladder("s")
    if shown.unit not in {unit for _, unit in steps}:
        return {"title": labels.with_unit(label, shown.unit), "axis": alt.Axis(format="~f")}
    return {"title": label, "axis": alt.Axis(labelExpr=_in_units(shown.factor, steps))}


def _in_units(factor: float, steps: tuple[tuple[float, str], ...]) -> str:
    """A Vega expression that says a tick in the largest unit of which it is one at least; one without room stays empty.

    Ticks are whole multiples of a power of ten that the computer holds a little off, above or below.
    """
    expression = "''"
    for size, unit in reversed(steps):
        said = f"format(datum.value * {factor / size:g}, '.4~g') + ' {unit}'"
        expression = f"datum.value * {factor / size:g} > 0.999 ? {said} : {expression}"
    return f"datum.label == '' ? '' : ({expression})"
