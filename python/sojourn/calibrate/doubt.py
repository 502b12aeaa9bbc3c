"""What a fit leaves open: whether its Gaussian describes it, and how far off it is where it was not fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sojourn.calibrate.fit import Fit, Model
from sojourn.reference import Published

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST, MOST = 0.8, 1.25
"""The Gaussian holds where deviations at the ends of its 95 % interval are those of this many of its half-widths."""
STEPS, SMALL = 2, 0.02
"""Steps of a fit to fewer points, with the Jacobian of the whole fit; one of this share of the standard deviation of a
parameter moves nothing."""
LEAST_GROUPS = 3
"""Groups of points that show a discrepancy, at least."""
HALVINGS, TINY = 60, 1e-10
"""Of the range of a variance, until it is found; the least that a variance counts as, of a deviation of 1e-5."""
CHANCE, MOST_CHANCE = 0.05, 0.25
"""Probabilities with which chance has deviations as large: below the first a warning names them, above the second they
count as chance."""


@dataclass(frozen=True)
class LeftOut:
    """A point that was predicted by a fit without its group."""

    measured: Published
    predicted: float
    expected: float
    """The variance of its relative deviation by sampling alone: of the other points, by their fit, and of its own."""
    spread: float = 1.0
    """How often the variance of what the model misses at a point counts: once, and in the others by their fit."""

    @property
    def relative(self) -> float:
        """The prediction's deviation relative to the measured value."""
        return self.predicted / self.measured.value - 1.0


@dataclass(frozen=True)
class Doubt:
    """What a fit leaves open."""

    left_out: list[LeftOut]
    """Empty where too few groups of points would remain."""
    likelihood: dict[int, list[float]]
    """Intervals of 95 % by the profile likelihood, of parameters by number whose Gaussian is off."""

    @property
    def discrepancy(self) -> float | None:
        """The standard deviation of relative deviations beyond what is expected; None where too few groups show it."""
        if not self.left_out:
            return None
        if self._chance > MOST_CHANCE:
            return 0.0
        low, high = 0.0, max(point.relative**2 for point in self.left_out)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._excess(middle) > 0 else (low, middle)
        return math.sqrt(high)

    def _excess(self, beyond: float) -> float:
        """How much larger the squares are than with this variance beyond the expected one (Paule and Mandel, 1982)."""
        expected = (max(point.expected + beyond * point.spread, TINY) for point in self.left_out)
        return sum(point.relative**2 / each for point, each in zip(self.left_out, expected, strict=True)) - len(
            self.left_out
        )

    @property
    def is_systematic(self) -> bool:
        """Whether points that were left out are further off than chance has them."""
        return bool(self.left_out) and self._chance < CHANCE

    @property
    def _chance(self) -> float:
        """The probability of squares as large, relative to those expected, where the model misses nothing."""
        from scipy.stats import chi2  # noqa: PLC0415

        found = self._excess(0.0) + len(self.left_out)
        return float(chi2.sf(found, len(self.left_out)))


def doubt_of(
    found: Fit,
    measured: Sequence[Published],
    model: Model,
    sampling: Sequence[float],
    quantile: Callable[[float, int], float],
) -> Doubt:
    """Leaves out one group of points at a time, and follows the deviations to the ends of each interval.

    `sampling` are the standard deviations of measuring the points once, relative to them.
    """
    refit = _Refit(found, measured, model)
    groups = _groups(measured)
    left_out: list[LeftOut] = []
    if len(groups) >= LEAST_GROUPS and all(refit.determines(group) for group in groups):
        left_out = [point for group in groups for point in refit.without(group, sampling)]
    return Doubt(left_out, refit.likelihood(quantile(0.975, found.freedom)))


def _groups(measured: Sequence[Published]) -> list[list[int]]:
    """Points by experiment; of one experiment by their settings, and where those are the same each alone."""
    keys: list[Callable[[int, Published], object]] = [
        lambda _, row: row.experiment,
        lambda _, row: tuple(row.set.items()),
        lambda number, _: number,
    ]
    groups: dict[object, list[int]] = {}
    for key in keys:
        groups = {}
        for number, row in enumerate(measured):
            groups.setdefault(key(number, row), []).append(number)
        if len(groups) > 1:
            break
    return list(groups.values())


class _Refit:
    """The model near its fit: what moves is solved for with the Jacobian of the fit, numbers are simulated."""

    def __init__(self, found: Fit, measured: Sequence[Published], model: Model) -> None:
        import numpy as np  # noqa: PLC0415

        self.found, self.measured, self.model = found, measured, model
        self.values = np.array([row.value for row in measured])
        self.jacobian = np.array(found.jacobian)
        self.at = np.array([fitted.value for fitted in found.fitted])
        self.deviations = np.array(found.numbers) / self.values - 1.0

    def determines(self, group: Sequence[int]) -> bool:
        """Whether the points without this group determine the parameters that move."""
        import numpy as np  # noqa: PLC0415

        kept = self.jacobian[self._others(group)]
        lengths = np.linalg.norm(kept, axis=0)
        return bool(np.all(lengths > 0)) and int(np.linalg.matrix_rank(kept / lengths, tol=1e-3)) == kept.shape[1]

    def without(self, group: Sequence[int], sampling: Sequence[float]) -> list[LeftOut]:
        """The points of a group, predicted by the fit to the others."""
        import numpy as np  # noqa: PLC0415

        others = self._others(group)
        solve = np.linalg.pinv(self.jacobian[others])
        spreads = np.sqrt(np.diag(self.found.covariance))
        moved, deviations = np.zeros(len(self.found.known)), self.deviations
        for _ in range(STEPS):
            step = solve @ deviations[others]
            if np.all(np.abs(step) <= SMALL * spreads):
                break
            moved = moved - step
            deviations = self._deviations(moved)
        own = self.jacobian[list(group)] @ solve
        sampled = np.array(sampling) ** 2
        return [
            LeftOut(
                self.measured[number],
                float((deviations[number] + 1.0) * self.values[number]),
                float(sampled[number] + np.sum(weights**2 * sampled[others])),
                float(1.0 + np.sum(weights**2)),
            )
            for number, weights in zip(group, own, strict=True)
        ]

    def likelihood(self, half: float) -> dict[int, list[float]]:
        """Of each parameter that the Gaussian does not describe the interval of 95 % by the profile likelihood."""
        import numpy as np  # noqa: PLC0415

        found, covariance, intervals = self.found, np.array(self.found.covariance), {}
        least = float(np.sum(self.deviations**2))
        for place, number in enumerate(found.known):
            spread = math.sqrt(covariance[place, place])
            if spread <= 1e-6 * abs(self.at[number]):
                continue
            ratios = []
            for side in (-1.0, 1.0):
                move = side * half * covariance[:, place] / spread
                beyond = float(np.sum(self._deviations(move) ** 2)) - least if self._is_allowed(move) else math.nan
                ratios.append(math.sqrt(max(beyond, 0.0) / found.variance) / half)
            if any(ratio < LEAST or ratio > MOST for ratio in ratios):
                ends = [half * spread / max(0.1, ratio) for ratio in np.nan_to_num(ratios, nan=1.0)]
                intervals[number] = [float(self.at[number] - ends[0]), float(self.at[number] + ends[1])]
        return intervals

    def _others(self, group: Sequence[int]) -> list[int]:
        return [number for number in range(len(self.measured)) if number not in group]

    def _is_allowed(self, moved: NDArray[np.float64]) -> bool:
        """Whether no parameter leaves its range."""
        return all(
            low <= self.at[number] + step <= high
            for number, step in zip(self.found.known, moved, strict=True)
            for low, high in [self._range(number)]
        )

    def _range(self, number: int) -> tuple[float, float]:
        parameter = self.found.fitted[number].parameter
        low = -math.inf if parameter.low is None else parameter.low
        return low, math.inf if parameter.high is None else parameter.high

    def _deviations(self, moved: NDArray[np.float64]) -> NDArray[np.float64]:
        """The deviations with the parameters moved, within their ranges."""
        import numpy as np  # noqa: PLC0415

        values = self.at.copy()
        for number, step in zip(self.found.known, moved, strict=True):
            values[number] = np.clip(values[number] + step, *self._range(number))
        numbers: NDArray[np.float64] = np.asarray(self.model([float(value) for value in values])) / self.values - 1.0
        return numbers
