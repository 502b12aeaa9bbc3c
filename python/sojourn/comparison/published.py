"""Results compared with published values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sojourn.reference import Published
from sojourn.results import Results

TOLERANCE = 0.1
"""Relative deviation up to which a result agrees, unless the uncertainty of the published value is larger."""


@dataclass(frozen=True)
class Match:
    """One published value and the result for it."""

    published: Published
    found: float | None
    tolerance: float = TOLERANCE

    @property
    def deviation(self) -> float | None:
        """Relative deviation from the published value; None without a result, or where the value is 0."""
        if self.found is None or self.published.value == 0:
            return None
        return (self.found - self.published.value) / self.published.value

    @property
    def room(self) -> float:
        """Largest deviation that agrees, in SI units."""
        return max(self.tolerance * abs(self.published.value), self.published.uncertainty)

    @property
    def agrees(self) -> bool:
        """Whether the result lies within the tolerance or the uncertainty; a missing one does not."""
        return self.found is not None and abs(self.found - self.published.value) <= self.room * (1 + 1e-9)

    @property
    def verdict(self) -> str:
        """`agrees`, `differs` or `missing`."""
        return "missing" if self.found is None else "agrees" if self.agrees else "differs"


def against_published(results: Results, published: Iterable[Published], tolerance: float = TOLERANCE) -> list[Match]:
    """Every published value of an experiment that the results hold, with the result for it."""
    held = set(results.experiments)
    return [Match(row, row.found_in(results), tolerance) for row in published if row.experiment in held]


def notes(matches: Iterable[Match]) -> list[str]:
    """What a reader is to know of some rows: each note once, with the rows it belongs to."""
    found: dict[tuple[str, str], list[str]] = {}
    for match in matches:
        row = match.published
        if row.note:
            found.setdefault((row.note, row.source), []).append(str(row.line))
    return [
        f"{source}, {'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}: {note}."
        for (note, source), lines in found.items()
    ]
