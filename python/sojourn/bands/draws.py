"""Draws of a fit's Gaussian, from the project's random streams: the same seed gives the same draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sojourn.bands.fitted import Gaussian
from sojourn.bindings import call

ATTEMPTS = 32
"""Draws outside of the ranges are drawn again, so often."""
LARGE = 200
"""Degrees of freedom from which a variance counts as known."""


@dataclass(frozen=True)
class Draw:
    """A possible truth."""

    parameters: list[float]
    deviate: float
    """What the model misses, in standard deviations of it."""

    def factor(self, discrepancy: float) -> float:
        """By which what the model misses changes a value, where that has this relative standard deviation."""
        return max(0.0, 1.0 + discrepancy * self.deviate)


def draws(gaussian: Gaussian, seed: int, count: int) -> list[Draw]:
    """Draws of the parameters and of the discrepancy.

    The variance of the deviations is itself estimated: each draw divides it by one of chi-square, so that parameters
    and discrepancy are those of Student's t with the degrees of freedom of the fit.
    """
    root = _root(gaussian.covariance)
    return [_draw(gaussian, root, seed, number) for number in range(count)]


def _draw(gaussian: Gaussian, root: Sequence[Sequence[float]], seed: int, number: int) -> Draw:
    size, freedom = len(gaussian.keys), gaussian.freedom if gaussian.freedom < LARGE else 0
    normals = call("standard_normals", seed, f"band/{number}", freedom + 1 + ATTEMPTS * size)
    scale = math.sqrt(freedom / sum(normal**2 for normal in normals[:freedom])) if freedom else 1.0
    deviate = scale * normals[freedom]
    parameters = gaussian.mean
    for attempt in range(ATTEMPTS):
        begin = freedom + 1 + attempt * size
        own = normals[begin : begin + size]
        parameters = [
            mean + scale * sum(weight * normal for weight, normal in zip(row, own, strict=True))
            for mean, row in zip(gaussian.mean, root, strict=True)
        ]
        if all(low <= value <= high for value, (low, high) in zip(parameters, gaussian.ranges, strict=True)):
            return Draw(parameters, deviate)
    inside = [min(max(value, low), high) for value, (low, high) in zip(parameters, gaussian.ranges, strict=True)]
    return Draw(inside, deviate)


def _root(covariance: Sequence[Sequence[float]]) -> list[list[float]]:
    """The lower triangular square root (Cholesky); a direction without variance has none."""
    size = len(covariance)
    root = [[0.0] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            rest = covariance[row][column] - sum(root[row][k] * root[column][k] for k in range(column))
            if row == column:
                root[row][row] = math.sqrt(max(0.0, rest))
            elif root[column][column] > 0:
                root[row][column] = rest / root[column][column]
    return root
