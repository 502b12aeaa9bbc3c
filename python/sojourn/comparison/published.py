"""Results compared with published values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from sojourn.reference import Published
from sojourn.results import Results
from sojourn.units import percent

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
        tolerance = self.tolerance if self.published.tolerance is None else self.published.tolerance
        return max(tolerance * abs(self.published.value), self.published.uncertainty)

    @property
    def agrees(self) -> bool:
        """Whether the result lies within the tolerance or the uncertainty; a missing one does not."""
        return self.found is not None and abs(self.found - self.published.value) <= self.room * (1 + 1e-9)

    @property
    def verdict(self) -> str:
        """`agrees`, `differs` or `missing`."""
        return "missing" if self.found is None else "agrees" if self.agrees else "differs"


@dataclass(frozen=True)
class BlindScore:
    """The frozen predictions of a study against numbers that were withheld until then."""

    matches: tuple[Match, ...]
    """Of the frozen predictions, the worst miss first."""

    @property
    def met(self) -> int:
        """The number of values within their tolerance."""
        return sum(match.agrees for match in self.matches)

    @property
    def missed(self) -> tuple[Match, ...]:
        """Those beyond their tolerance, the worst first."""
        return self.matches[: len(self.matches) - self.met]

    @property
    def median_deviation(self) -> float:
        """The median of the relative deviations, without signs."""
        return median(abs(match.deviation) for match in self.matches if match.deviation is not None)

    @property
    def in_words(self) -> str:
        """The score as a clause."""
        return (
            f"{self.met} of {len(self.matches)} values that were predicted before they were known agree "
            f"(median deviation {percent(self.median_deviation, digits=1)})"
        )


def against_published(results: Results, published: Iterable[Published], tolerance: float = TOLERANCE) -> list[Match]:
    """Every published value of an experiment that the results hold, with the result for it."""
    held = set(results.experiments)
    return [Match(row, row.found_in(results), tolerance) for row in published if row.experiment in held]


def blind_score(matches: Iterable[Match]) -> BlindScore | None:
    """The score of the frozen predictions; None without a number that was scored blind."""
    blind = [replace(match, found=match.published.predicted) for match in matches if match.published.scored_blind]
    if not blind:
        return None
    return BlindScore(tuple(sorted(blind, key=lambda match: (match.agrees, -abs(match.deviation or 0.0)))))


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
