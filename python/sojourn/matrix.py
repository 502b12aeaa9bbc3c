"""The matrix of a mesh: what each agent measures of each other in its last window, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.units import Scale, percent_lost, scale

MET, MISSED, OUTAGE, SILENT, PLAIN = "met", "missed", "outage", "silent", "plain"
"""States of a cell: its conditions are met, or one is missed; an outage; no window for a while; no conditions."""
MARKS = {MET: "", MISSED: "!", OUTAGE: "×", SILENT: "?", PLAIN: ""}
"""What distinguishes states without colour."""
WORDS = {
    MET: "expectations met",
    MISSED: "an expectation missed",
    OUTAGE: "in an outage",
    SILENT: "no window for a while",
    PLAIN: "",
}
NUMBERS = ("low", "high")
TENTH = 0.1
"""A larger loss is shown in whole per cent."""


@dataclass(frozen=True)
class Cell:
    """The last window of a pair."""

    low: float | None
    """Median of the response time, or mean of the one-way delay, in seconds; None where it is not reached."""
    high: float | None
    """Its 99 % quantile."""
    lost: float | None
    """Share of requests lost; None where none was sent."""
    state: str = PLAIN
    why: str = ""
    """The conditions that are missed, or the cause of the outage."""


Pair = tuple[str, str]
"""The agent that measures, and the one that is measured."""


@dataclass(frozen=True)
class Matrix:
    """All cells; a pair without one has had no window yet."""

    names: Sequence[str]
    cells: Mapping[Pair, Cell] = field(default_factory=dict)

    @property
    def scale(self) -> Scale:
        """The unit of all times."""
        largest = max((cell.high or cell.low or 0.0 for cell in self.cells.values()), default=0.0)
        return scale("s", largest or 1e-3, "response_time")

    def shown(self) -> dict[Pair, dict[str, str]]:
        """The texts of each cell: both numbers in the unit of all, the loss where there is one, state and mark."""
        factor = self.scale.factor
        return {pair: _texts(cell, factor) for pair, cell in self.cells.items()}

    def counts(self) -> dict[str, int]:
        """How many pairs are in each state, those without a window as silent."""
        of_all = len(self.names) * (len(self.names) - 1)
        found = dict.fromkeys(MARKS, 0)
        for cell in self.cells.values():
            found[cell.state] += 1
        found[SILENT] += of_all - len(self.cells)
        return found


def _texts(cell: Cell, factor: float) -> dict[str, str]:
    values = {name: getattr(cell, name) for name in NUMBERS}
    # of a pair without any number the state says enough
    unknown = "" if cell.low is None and cell.high is None else "–"
    numbers = {name: unknown if value is None else _number(value / factor) for name, value in values.items()}
    lost = "" if not cell.lost else percent_lost(cell.lost, digits=0 if cell.lost >= TENTH else 1)
    return numbers | {"lost": lost, "state": cell.state, "mark": MARKS[cell.state], "why": cell.why}


def _number(value: float) -> str:
    """Three digits at most: 0.25, 9.8, 123."""
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"
