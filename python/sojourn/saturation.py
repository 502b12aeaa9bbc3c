"""The saturation point of a channel, as figures and answers define it."""

from __future__ import annotations

from collections.abc import Sequence

SATURATED = 0.98
"""Share of the largest throughput above which an offered load saturates the channel."""


def saturation(curve: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """(load, throughput there, largest throughput) of the smallest saturating load.

    `curve` holds (load, throughput). None where only the largest load saturates: the channel may carry more.
    """
    rising = sorted(curve)
    if len(rising) < 2:
        return None
    largest = max(carried for _, carried in rising)
    load, carried = next((load, carried) for load, carried in rising if carried >= SATURATED * largest)
    return None if load == rising[-1][0] else (load, carried, largest)
