"""Change points of a series: when its level changed, by how much, and how sure that is.

Response times are compared as logarithms, less the median of each hour of the day where the series has hours of a week
or more. Change points minimise the squared deviation from the segments' means with a penalty for each (PELT, Killick,
Fearnhead and Eckley 2012, of the library ruptures). Neighbouring hours resemble each other, which makes false changes:
one whose difference of means, with the autocorrelation of the segments counted, may be zero is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from sojourn.extras import require
from sojourn.store.retention import DAY_US, HOUR_US
from sojourn.store.series import Series, Value

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]

FEWEST = 8
"""Values of the shortest series."""
WEEK_HOURS = 7 * 24
OUTLIER = 4.0
"""Deviations from the running median beyond which a value counts as one at the limit."""
NEIGHBOURS = 12
"""Values on each side of a running median."""
PENALTY = 3.0
"""Of a change, in units of the variance times the logarithm of the number of values."""
SURE = 2.576
"""Of a change that is reported: the 99.5 % quantile of the normal distribution, since many times are tried."""
NORMAL = 1.96
SCALE_OF_MAD = 1.4826
"""Standard deviation of a normal distribution by its median absolute deviation."""
MOST_CORRELATED = 0.95


@dataclass(frozen=True)
class Change:
    """A change of level."""

    at_us: int
    """The first value of the new level."""
    before: float
    """Median until the change, from the one before it or the begin."""
    after: float
    """Median until the next change or the end."""
    difference: tuple[float, float, float]
    """After relative to before less one, or their difference where values may be zero; and its 95 % interval."""
    relative: bool


def changes(series: Series) -> list[Change]:
    """The changes of a series in the order of time; none of a series that is too short."""
    require("ruptures", "change points")
    import numpy as np  # noqa: PLC0415

    values = series.values
    if len(values) < FEWEST:
        return []
    raw = np.array([value.value for value in values])
    relative = bool((raw > 0).all())
    level = np.log(raw) if relative else raw
    level = _without_hours(level, values) if series.step_us == HOUR_US and len(values) >= WEEK_HOURS else level
    noise = _noise(level)
    if noise == 0:
        noise = float(np.std(level)) or 1.0
    calm = _calmed(level, noise)
    ends = _ends(calm, noise, max(3, min(NEIGHBOURS, len(values) // 4)))
    ends, differences = _sure(calm, ends)
    found = []
    for index, (at, (difference, error)) in enumerate(zip(ends[1:-1], differences, strict=True), start=1):
        before, after = raw[ends[index - 1] : at], raw[at : ends[index + 1]]
        shown: Callable[[float], float] = math.expm1 if relative else float
        interval = tuple(shown(difference + side * NORMAL * error) for side in (0, -1, 1))
        found.append(
            Change(values[at].begin_us, float(np.median(before)), float(np.median(after)), interval, relative)  # type: ignore[arg-type]
        )
    return found


def _without_hours(level: Numbers, values: Sequence[Value]) -> Numbers:
    """Less what each hour of the day is above the median of all."""
    import numpy as np  # noqa: PLC0415

    hours = np.array([value.begin_us % DAY_US // HOUR_US for value in values])
    whole, found = np.median(level), level.copy()
    for hour in np.unique(hours):
        found[hours == hour] -= np.median(level[hours == hour]) - whole
    return found


def _noise(level: Numbers) -> float:
    """Standard deviation of neighbouring values, which outliers and changes of level do not widen."""
    import numpy as np  # noqa: PLC0415

    differences = np.diff(level)
    return float(SCALE_OF_MAD * np.median(np.abs(differences - np.median(differences))) / math.sqrt(2))


def _calmed(level: Numbers, noise: float) -> Numbers:
    """With outliers at their limit."""
    import numpy as np  # noqa: PLC0415

    middle = np.array([median(level[max(0, i - NEIGHBOURS) : i + NEIGHBOURS + 1]) for i in range(len(level))])
    return np.clip(level, middle - OUTLIER * noise, middle + OUTLIER * noise)


def _ends(level: Numbers, noise: float, shortest: int) -> list[int]:
    """Where segments begin, and the end of the last one."""
    import ruptures  # noqa: PLC0415

    search = ruptures.KernelCPD(kernel="linear", min_size=shortest, jump=1).fit(level.reshape(-1, 1))
    return [0, *search.predict(pen=PENALTY * noise**2 * math.log(len(level)))]


def _sure(level: Numbers, ends: list[int]) -> tuple[list[int], list[tuple[float, float]]]:
    """The changes that are sure, the least sure dropped first, with their differences and standard errors."""
    while True:
        found = [_difference(level[a:b], level[b:c]) for a, b, c in zip(ends[:-2], ends[1:-1], ends[2:], strict=True)]
        scores = [abs(difference) / error for difference, error in found]
        if not scores or min(scores) >= SURE:
            return ends, found
        del ends[scores.index(min(scores)) + 1]


def _difference(before: Numbers, after: Numbers) -> tuple[float, float]:
    """Difference of the means and its standard error, with the correlation of neighbouring values counted."""
    difference = float(after.mean() - before.mean())
    variance = sum(
        float(part.var(ddof=1)) / len(part) * (1 + rho) / (1 - rho)
        for part in (before, after)
        for rho in [_correlation(part)]
    )
    return difference, math.sqrt(variance) or 1e-12


def _correlation(part: Numbers) -> float:
    """Of neighbouring values, from 0 to 0.95."""
    centred = part - part.mean()
    power = float((centred**2).sum())
    return min(MOST_CORRELATED, max(0.0, float((centred[1:] * centred[:-1]).sum()) / power)) if power > 0 else 0.0
