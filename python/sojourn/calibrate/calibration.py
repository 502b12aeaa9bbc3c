"""A calibration: the parameters of a scenario fitted to measured points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sojourn.bindings import call
from sojourn.calibrate.captured import KINDS
from sojourn.calibrate.doubt import Doubt, doubt_of
from sojourn.calibrate.fit import STEP, Fit, Fitted, fit
from sojourn.calibrate.parameter import Parameter, fitted
from sojourn.calibrate.simulated import Simulated
from sojourn.catalogue import Axis, axes
from sojourn.errors import ResultsError, UserError
from sojourn.jobs import Progress
from sojourn.reference import Published, read_published
from sojourn.results import read_results
from sojourn.scenario import Scenario

Look = Callable[[int, dict[str, str], float], None]
"""Called after every evaluation that improves the fit: number of evaluations, values, mean deviation."""


@dataclass(frozen=True)
class Residual:
    """One measured point and the fitted model's value."""

    measured: Published
    found: float

    @property
    def relative(self) -> float:
        """The model's deviation relative to the measured value."""
        return self.found / self.measured.value - 1.0


@dataclass(frozen=True)
class Calibration:
    """The fitted values and the residuals."""

    network: str
    source: str
    """The file of measured points, as `folder/file.csv`."""
    experiments: list[str]
    units: dict[str, str | None]
    """SI units of the points' settings; None for non-numeric ones."""
    fit: Fit
    residuals: list[Residual]
    doubt: Doubt
    """What the fit leaves open."""

    @property
    def axes(self) -> dict[str, Axis]:
        """The keys of the points' settings, with unit and label."""
        return axes(self.network, self.units)

    @property
    def fitted(self) -> list[Fitted]:
        """The fitted parameters in the order of the request."""
        return self.fit.fitted

    @property
    def deviation(self) -> float:
        """The root mean square of the relative deviations."""
        return deviation([residual.found for residual in self.residuals], [one.measured for one in self.residuals])


def calibrate(  # noqa: PLR0913
    scenario: Scenario,
    keys: Sequence[str],
    against: Path,
    *,
    experiments: Sequence[str] = (),
    metrics: Sequence[str] = (),
    step: float = STEP,
    options: dict[str, object] | None = None,
    watch: Callable[[Progress], None] | None = None,
    look: Look | None = None,
) -> Calibration:
    """Fits the numbers that `keys` name to the calibration rows of a file of measured points.

    `experiments` and `metrics` select rows of the file; `options` are passed to the jobs. `UserError` names what cannot
    be fitted, `ResultsError` what is wrong with the file.
    """
    parameters = parameters_of(scenario, keys)
    measured = points_of(against, experiments, metrics)
    simulated = Simulated(scenario, parameters, measured, options or {}, watch, in_captures=is_of_capture(against))
    best = math.inf
    known: dict[tuple[float, ...], list[float]] = {}

    def model(values: Sequence[float]) -> list[float]:
        nonlocal best
        if tuple(values) not in known:
            known[tuple(values)] = simulated(values)
            off = deviation(known[tuple(values)], measured)
            if look is not None and off < best:
                best = off
                shown = [(one.key, one.display(value, 5)) for one, value in zip(parameters, values, strict=True)]
                look(len(known), dict(shown), off)
        return known[tuple(values)]

    def quantile(probability: float, freedom: int) -> float:
        return float(call("student_quantile", probability, freedom))

    found = fit(parameters, [row.value for row in measured], model, quantile=quantile, step=step)
    look = None  # what follows leaves the fit as it is
    at = [fitted.value for fitted in found.fitted]
    sampling = simulated.spreads(at)
    doubt = doubt_of(found, measured, model, sampling, quantile)
    residuals = [Residual(row, number) for row, number in zip(measured, found.numbers, strict=True)]
    return Calibration(
        network=simulated.network,
        source=measured[0].source,
        experiments=list(dict.fromkeys(row.experiment for row in measured)),
        units=simulated.units,
        fit=found,
        residuals=residuals,
        doubt=doubt,
    )


def is_of_capture(against: Path) -> bool:
    """Whether the points are the results of a capture whose metrics a capture of the simulation has alike."""
    raw = read_results(against).raw if against.is_dir() else {}
    return raw.get("world") == "captured" and raw.get("network") in KINDS


def deviation(numbers: Sequence[float], measured: Sequence[Published]) -> float:
    """The root mean square of the deviations, each relative to the measured value."""
    squares = [(number / row.value - 1) ** 2 for number, row in zip(numbers, measured, strict=True)]
    return math.sqrt(sum(squares) / len(squares))


def parameters_of(scenario: Scenario, keys: Sequence[str]) -> list[Parameter]:
    """The parameters to fit; `UserError` for a duplicate key."""
    repeated = next((key for index, key in enumerate(keys) if key in keys[:index]), None)
    if repeated is not None:
        raise UserError(f"{repeated} is listed twice")
    return [fitted(scenario, key) for key in keys]


def points_of(against: Path, experiments: Sequence[str] = (), metrics: Sequence[str] = ()) -> list[Published]:
    """The rows of role calibration, of the given experiments and metrics or of all."""
    rows = read_published(against)
    present = list(dict.fromkeys(row.experiment for row in rows))
    _refuse_absent(against, "experiment", experiments, present)
    _refuse_absent(against, "row of metric", metrics, list(dict.fromkeys(row.metric for row in rows)))
    if len(present) > 1 and not experiments:
        raise UserError(f"{against} contains {', '.join(present)}: choose with --experiment")
    chosen = [row for row in rows if row.experiment in (experiments or present)]
    kept = [row for row in chosen if row.role == "calibration" and (not metrics or row.metric in metrics)]
    if not kept:
        raise ResultsError(f"{against} has no row of role calibration: predictions are not fitted to")
    for row in kept:
        if row.value == 0:
            raise ResultsError(f"{row.where}: 0 has no relative deviation; leave the row out")
    return kept


def _refuse_absent(against: Path, noun: str, wanted: Sequence[str], present: Sequence[str]) -> None:
    for name in wanted:
        if name not in present:
            raise UserError(f"{against} has no {noun} {name!r}; it has {', '.join(present)}")
