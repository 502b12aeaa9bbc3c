"""Where a channel saturates: a definition that figures and sentences share."""

from __future__ import annotations

from collections.abc import Sequence

SATURATED = 0.98
"""The share of the largest throughput from which on a load counts as saturating."""


def saturation(curve: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """(load, throughput there, largest throughput) of the smallest load that carries nearly the largest throughput.

    `curve` holds (load, throughput). None where only the largest load does: the channel may carry more.
    """
    rising = sorted(curve)
    if len(rising) < 2:
        return None
    largest = max(carried for _, carried in rising)
    load, carried = next((load, carried) for load, carried in rising if carried >= SATURATED * largest)
    return None if load == rising[-1][0] else (load, carried, largest)
