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
PENALTY = 4.0
"""Of a change, in units of the variance times the logarithm of the number of values."""
SURE = 2.576
"""Of a change that is reported: the 99.5 % quantile of the normal distribution, since many times are tried."""
NORMAL = 1.96
SCALE_OF_MAD = 1.4826
"""Standard deviation of a normal distribution by its median absolute deviation."""
MOST_CORRELATED = 0.95
"""Correlation of neighbours that is assumed at most."""
MANY = 64
"""Values from which on the correlation of neighbours can be estimated."""
FAR = 24
"""Distance of values that are taken as uncorrelated."""
FLAT = 100
"""Of values of which most are equal: by how much their noise is below their deviation."""


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
    level = _calmed(level, noise)
    ends, differences = _sure(level, _ends(level, noise), noise)
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


@dataclass(frozen=True)
class _Noise:
    """The deviations of values from the level of their segment."""

    deviation: float
    """Standard deviation."""
    long_run: float
    """That of the mean of many values, times the root of their number: more where neighbours correlate."""


def _noise(level: Numbers) -> _Noise:
    """From differences of neighbouring and of distant values: the few that a change lies between do not count."""
    import numpy as np  # noqa: PLC0415

    def deviation(lag: int) -> float:
        differences = level[lag:] - level[:-lag]
        return float(SCALE_OF_MAD * np.median(np.abs(differences - np.median(differences))) / math.sqrt(2))

    near = deviation(1)
    far = max(near, deviation(min(FAR, len(level) // 8))) if len(level) >= MANY else near
    if far == 0:
        far = float(np.std(level)) or 1.0
        return _Noise(far / FLAT, far / FLAT)
    correlation = min(MOST_CORRELATED, 1 - (near / far) ** 2)
    return _Noise(far, far * math.sqrt((1 + correlation) / (1 - correlation)))


def _calmed(level: Numbers, noise: _Noise) -> Numbers:
    """With outliers at their limit."""
    import numpy as np  # noqa: PLC0415
    from scipy.ndimage import median_filter  # noqa: PLC0415

    middle = median_filter(level, size=2 * NEIGHBOURS + 1, mode="nearest")
    return np.clip(level, middle - OUTLIER * noise.deviation, middle + OUTLIER * noise.deviation)


def _ends(level: Numbers, noise: _Noise) -> list[int]:
    """Where segments begin, and the end of the last one."""
    import ruptures  # noqa: PLC0415

    shortest = max(3, min(NEIGHBOURS, len(level) // 4))
    search = ruptures.KernelCPD(kernel="linear", min_size=shortest, jump=1).fit(level.reshape(-1, 1))
    return [0, *search.predict(pen=PENALTY * noise.long_run**2 * math.log(len(level)))]


def _sure(level: Numbers, ends: list[int], noise: _Noise) -> tuple[list[int], list[tuple[float, float]]]:
    """The changes that are sure, the least sure dropped first, with their differences and standard errors."""
    while True:
        found = [
            (float(level[b:c].mean() - level[a:b].mean()), noise.long_run * math.sqrt(1 / (b - a) + 1 / (c - b)))
            for a, b, c in zip(ends[:-2], ends[1:-1], ends[2:], strict=True)
        ]
        scores = [abs(difference) / error for difference, error in found]
        if not scores or min(scores) >= SURE:
            return ends, found
        del ends[scores.index(min(scores)) + 1]
