"""The saturation load of a channel, as defined for figures and answers."""

from __future__ import annotations

from collections.abc import Sequence

SATURATED = 0.98
"""Share of the maximum throughput from which a load counts as saturating."""


def saturation(curve: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """(load, its throughput, maximum throughput) of the smallest load with nearly the maximum throughput.

    `curve` has (load, throughput). None if only the largest load reaches it: the capacity may be higher.
    """
    rising = sorted(curve)
    if len(rising) < 2:
        return None
    largest = max(carried for _, carried in rising)
    load, carried = next((load, carried) for load, carried in rising if carried >= SATURATED * largest)
    return None if load == rising[-1][0] else (load, carried, largest)
