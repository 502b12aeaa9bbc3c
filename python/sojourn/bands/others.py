"""How far a model is off where nothing was fitted to: by the published numbers of other experiments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from sojourn.reference import Published
from sojourn.results import Results


def of_others(published: Sequence[Published], results: Results) -> dict[str, float]:
    """The relative standard deviation that the predictions of all other experiments have, of each that was predicted.

    It is the root of their mean square beyond what a number can be read to, each experiment with the same weight. An
    experiment's own numbers have no part in it, so that they can be held against the band.
    """
    squares: dict[str, list[float]] = defaultdict(list)
    for row in published:
        found = row.found_in(results) if row.role == "prediction" else None
        if found:
            beyond = max(0.0, abs(row.value - found) - row.uncertainty) / abs(found)
            squares[row.experiment].append(beyond**2)
    means = {name: fmean(values) for name, values in squares.items()}
    return {
        name: math.sqrt(fmean(mean for other, mean in means.items() if other != name))
        for name in means
        if len(means) > 1
    }
