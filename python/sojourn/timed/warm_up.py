"""MSER-5: how many of the first samples are the warm-up (White, Cobb and Spratt, 2000), as `crates/metrics` has it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

BATCH = 5


def warm_up(values: Sequence[float]) -> int:
    """The number of samples to drop at the start; none where there are fewer than ten batches.

    Samples are averaged in batches of five; the cut minimises the squared standard error of what is left. It is
    half of them at most. Of a burst in the middle nothing is dropped: a warm-up is slow from its beginning, so half of
    the batches dropped exceed nine tenths of those kept.
    """
    means = [fmean(values[at : at + BATCH]) for at in range(0, len(values) - BATCH + 1, BATCH)]
    if len(means) < 10:
        return 0
    mean, squares = 0.0, 0.0
    best, least = 0, float("inf")
    # running mean and sum of squares from the end (Welford)
    for count, (cut, value) in enumerate(reversed(list(enumerate(means))), 1):
        step = value - mean
        mean += step / count
        squares += step * (value - mean)
        if cut <= len(means) // 2 and (squares / count**2) <= least:
            best, least = cut, squares / count**2
    dropped, kept = sorted(means[:best]), sorted(means[best:])
    return best * BATCH if best and dropped[(best - 1) // 2] > kept[len(kept) * 9 // 10] else 0
