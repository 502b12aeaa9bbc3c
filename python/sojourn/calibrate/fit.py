"""Least squares on relative deviations, with confidence intervals and correlations from the Jacobian.

Independent of simulations: a model is any function from parameter values to numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sojourn.calibrate.parameter import Parameter
from sojourn.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Model = Callable[[Sequence[float]], Sequence[float]]
"""From the parameters' values to the model's numbers, in the order of the measured ones."""

ALIKE = 0.99
"""Correlation of two estimates beyond which the parameters cannot be distinguished."""
FLAT = 1e-9
"""Relative sensitivity below which a parameter has no effect."""
STEP = 0.01
"""Finite-difference step relative to the initial value: large, because a simulation is a step function."""
FAR = 1000.0
"""Bounds this many times the initial value away are ignored, because they would distort the first step size."""
MOST_EVALUATIONS = 100
"""Maximum number of evaluations, not counting those of Jacobians."""


@dataclass(frozen=True)
class Fitted:
    """One parameter and its fitted value."""

    parameter: Parameter
    value: float
    half_width: float | None
    """Half-width of its 95 % confidence interval; None if the points do not determine it."""
    at_bound: bool

    @property
    def interval(self) -> list[float] | None:
        """The 95 % confidence interval; None if not determined."""
        return None if self.half_width is None else [self.value - self.half_width, self.value + self.half_width]


@dataclass(frozen=True)
class Fit:
    """The result of the least-squares fit."""

    fitted: list[Fitted]
    numbers: list[float]
    """The model's numbers at the fitted values."""
    correlation: list[list[float]]
    """Correlation matrix of the estimates."""
    inseparable: list[list[str]]
    """Groups of keys that the points determine only jointly."""
    without_effect: list[str]
    """Keys without effect on any number."""
    converged: bool
    known: list[int]
    """Which parameters a draw moves: all that are determined, and of a group that is determined jointly the first."""
    covariance: list[list[float]]
    """Of the estimates of `known`, in SI units."""
    jacobian: list[list[float]]
    """Of the relative deviations of the points, a row each, by the parameters of `known` in SI units."""
    variance: float
    """Of a relative deviation."""
    freedom: int
    """Degrees of freedom of the variance."""


def fit(
    parameters: Sequence[Parameter],
    measured: Sequence[float],
    model: Model,
    *,
    quantile: Callable[[float, int], float],
    step: float = STEP,
) -> Fit:
    """Minimises the sum of squared deviations relative to the measured values.

    `quantile` is Student's t quantile of a probability and degrees of freedom.
    """
    import numpy as np  # noqa: PLC0415
    from scipy.optimize import least_squares  # noqa: PLC0415

    freedom = len(measured) - len(parameters)
    if freedom < 1:
        raise UserError(
            f"{len(measured)} points do not determine {len(parameters)} parameters: add points or fit fewer parameters"
        )
    scales = np.array([_scale(parameter) for parameter in parameters])
    low, high = _bounds(parameters, scales)
    problem = _Problem(model, np.array(measured, dtype=float), scales, high, step)
    start = np.clip(np.array([parameter.start for parameter in parameters]) / scales, low, high)
    found = least_squares(
        problem.deviations,
        start,
        jac=problem.jacobian,
        bounds=(low, high),
        xtol=1e-5,
        ftol=1e-6,
        max_nfev=MOST_EVALUATIONS,
    )
    known = _known(found.jac, 2 * found.cost / freedom)
    half_widths = quantile(0.975, freedom) * known.deviation * np.abs(scales)
    keys = [parameter.key for parameter in parameters]
    groups = [[keys[index] for index in group] for group in known.groups]
    lost = {key for group in groups for key in group} | {keys[index] for index in known.flat}
    fixed = {*known.flat, *(index for group in known.groups for index in group[1:])}
    moved = [index for index in range(len(parameters)) if index not in fixed]
    jacobian = (found.jac / scales)[:, moved]
    variance = 2 * float(found.cost) / freedom
    return Fit(
        fitted=[
            Fitted(
                parameter, _snapped(parameter, float(value)), None if parameter.key in lost else float(half), bool(at)
            )
            for parameter, value, half, at in zip(
                parameters, found.x * scales, half_widths, found.active_mask, strict=True
            )
        ],
        numbers=[float(number) for number in (found.fun + 1.0) * problem.measured],
        correlation=known.correlation.tolist(),
        inseparable=groups,
        without_effect=[keys[index] for index in known.flat],
        converged=bool(found.success) and int(found.nfev) < MOST_EVALUATIONS,
        known=moved,
        covariance=(variance * _inverse(jacobian)).tolist(),
        jacobian=jacobian.tolist(),
        variance=variance,
        freedom=freedom,
    )


def _inverse(jacobian: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of the Jacobian's square, computed with columns of length 1."""
    import numpy as np  # noqa: PLC0415

    lengths = np.linalg.norm(jacobian, axis=0)
    inverse: NDArray[np.float64] = np.linalg.pinv(jacobian / lengths, rcond=1e-8)
    return inverse @ inverse.T / np.outer(lengths, lengths)


@dataclass
class _Problem:
    """The deviations and their Jacobian, with parameters scaled by their initial values."""

    model: Model
    measured: NDArray[np.float64]
    scales: NDArray[np.float64]
    high: NDArray[np.float64]
    step: float

    def deviations(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """The relative deviations of the model's numbers from the measured ones."""
        import numpy as np  # noqa: PLC0415

        numbers = self.model([float(value) for value in scaled * self.scales])
        deviations: NDArray[np.float64] = np.asarray(numbers) / self.measured - 1.0
        return deviations

    def jacobian(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forward differences, backward at an upper bound; absolute steps, because relative ones vanish near zero."""
        import numpy as np  # noqa: PLC0415

        here = self.deviations(scaled)
        columns = []
        for index in range(len(scaled)):
            moved = scaled.copy()
            moved[index] += self.step if scaled[index] + self.step <= self.high[index] else -self.step
            columns.append((self.deviations(moved) - here) / (moved[index] - scaled[index]))
        return np.column_stack(columns)


@dataclass(frozen=True)
class _Known:
    """Uncertainty of the estimates, in the scale of the Jacobian."""

    deviation: NDArray[np.float64]
    correlation: NDArray[np.float64]
    groups: list[list[int]]
    flat: list[int]


def _known(jacobian: NDArray[np.float64], variance: float) -> _Known:
    """The uncertainty from the Jacobian of the deviations and their variance."""
    import numpy as np  # noqa: PLC0415

    lengths = np.linalg.norm(jacobian, axis=0)
    flat = [index for index, length in enumerate(lengths) if length < FLAT]
    lengths[flat] = 1.0
    _, singular, directions = np.linalg.svd(jacobian / lengths, full_matrices=False)
    floored = np.maximum(singular, singular[0] * 1e-8)  # a direction without effect is undetermined
    inverse = (directions.T / floored**2) @ directions
    spread = np.sqrt(np.diag(inverse))
    correlation = np.clip(inverse / np.outer(spread, spread), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    for index in flat:
        correlation[index, :] = correlation[:, index] = np.eye(len(lengths))[index]
    return _Known(np.sqrt(variance) * spread / lengths, correlation, _groups(correlation), flat)


def _groups(correlation: NDArray[np.float64]) -> list[list[int]]:
    """Groups of parameters connected by pairwise correlations beyond `ALIKE`."""
    groups: list[list[int]] = []
    for index in range(len(correlation)):
        near = [group for group in groups if any(abs(correlation[index, other]) > ALIKE for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append(sorted([index, *(other for group in near for other in group)]))
    return [group for group in groups if len(group) > 1]


def _snapped(parameter: Parameter, value: float) -> float:
    """Rounds a value very close to a bound to the bound."""
    near = 1e-9 * _scale(parameter)
    return next(
        (bound for bound in (parameter.low, parameter.high) if bound is not None and abs(value - bound) < near), value
    )


def _scale(parameter: Parameter) -> float:
    """The scale of a parameter, so that all are near 1: its initial value, or its range if that is zero."""
    if parameter.start:
        return abs(parameter.start)
    if parameter.high:
        return parameter.high / 1000
    raise UserError(f"{parameter.key} has the initial value 0 and no upper bound: set another one with --set")


def _bounds(
    parameters: Sequence[Parameter], scales: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np  # noqa: PLC0415

    low = np.array([-np.inf if parameter.low is None else parameter.low for parameter in parameters]) / scales
    high = np.array([np.inf if parameter.high is None else parameter.high for parameter in parameters]) / scales
    return np.where(low < -FAR, -np.inf, low), np.where(high > FAR, np.inf, high)
