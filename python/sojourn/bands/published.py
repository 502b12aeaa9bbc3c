"""Which published numbers lie within the band of the next measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sojourn.bands.band import band_key
from sojourn.reference import Published
from sojourn.results import Results


@dataclass(frozen=True)
class Held:
    """A published number that the model was not fitted to, and the band at its point."""

    published: Published
    low: float
    high: float | None

    @property
    def is_inside(self) -> bool:
        """Whether the number, within what it can be read to, lies in the band."""
        value, open_to = self.published.value, self.published.uncertainty
        return value + open_to >= self.low and (self.high is None or value - open_to <= self.high)


def held(published: Sequence[Published], results: Results) -> list[Held]:
    """The published predictions that results have a band for, in their order."""
    found = []
    for row in published:
        point = next((point for point in results.points if row.covers(point)), None)
        metric = point.get(row.metric) if point is not None else None
        band = metric.raw.get(band_key(row.field)) if metric is not None else None
        if row.role == "prediction" and band is not None:
            found.append(Held(row, band[0], band[1]))
    return found
