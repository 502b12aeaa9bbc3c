"""The result of a fit as text: parameters, correlation, residuals and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn import phrases
from sojourn.cli.options import Format
from sojourn.cli.output import data, numbers, table
from sojourn.units import format_value, percent

if TYPE_CHECKING:
    from sojourn.calibrate import Calibration, Fitted


def warnings(found: Calibration) -> list[str]:
    """Warnings about the fit."""
    found_warnings = []
    for group in found.fit.inseparable:
        rows = [index for index, fitted in enumerate(found.fitted) if fitted.parameter.key in group]
        together = max(
            (abs(found.fit.correlation[one][two]), found.fit.correlation[one][two])
            for one in rows
            for two in rows
            if one < two
        )[1]
        found_warnings.append(
            f"{phrases.list_of(group)} cannot be distinguished by these points (correlation {together:+.3f}): fix all "
            "but one with --set, or add points that depend on them differently"
        )
    for key in found.fit.without_effect:
        found_warnings.append(f"{key} moves none of the points: it keeps its initial value")
    for fitted in found.fitted:
        if fitted.at_bound:
            found_warnings.append(
                f"{fitted.parameter.key} is at a bound of its range, {fitted.parameter.display(fitted.value)}"
            )
    for number, (low, high) in found.doubt.likelihood.items():
        parameter = found.fitted[number].parameter
        found_warnings.append(
            f"the deviations of {parameter.key} curve: by the profile likelihood its interval is about "
            f"{parameter.display(low, 3)} to {parameter.display(high, 3)}, not the one of the table"
        )
    if found.doubt.is_systematic and (discrepancy := found.doubt.discrepancy):
        found_warnings.append(
            f"points that were left out of the fit are further off than sampling has it, by {percent(discrepancy)} "
            "(standard deviation): the model misses something that the parameters do not make up for"
        )
    if not found.fit.converged:
        found_warnings.append("the fit did not converge: set a closer initial value with --set, or use a larger --step")
    return found_warnings


def evaluation(count: int, values: dict[str, str], off: float) -> str:
    """One line per evaluation: the values and the deviation of the model."""
    tried = ", ".join(f"{key} {text}" for key, text in values.items())
    return f"evaluation {count}: {tried}: deviation {percent(off, digits=2)}"


def write(found: Calibration, form: Format) -> None:
    """Writes a fit to standard output: parameters, correlation and residuals; CSV and Parquet only the parameters."""
    if form is Format.table:
        parts = (_parameters(found), _correlation(found), _residuals(found), _discrepancy(found))
        data("\n\n".join(part for part in parts if part))
    elif form is Format.json:
        import json  # noqa: PLC0415

        data(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        parameters = [{key: value for key, value in _row(fitted).items() if key != "ci95"} for fitted in found.fitted]
        numbers(parameters, form)


def as_json(found: Calibration) -> dict[str, object]:
    """The complete fit in SI units."""
    return {
        "network": found.network,
        "against": found.source,
        "experiments": found.experiments,
        "parameters": [_row(fitted) for fitted in found.fitted],
        "correlation": found.fit.correlation,
        "inseparable": found.fit.inseparable,
        "without_effect": found.fit.without_effect,
        "deviation": found.deviation,
        "settled": found.fit.converged,
        "uncertainty": {
            "keys": [found.fitted[number].parameter.key for number in found.fit.known],
            "covariance": found.fit.covariance,
            "degrees_of_freedom": found.fit.freedom,
            "discrepancy": found.doubt.discrepancy,
            "is_systematic": found.doubt.is_systematic,
            "likelihood_ci95": {
                found.fitted[number].parameter.key: ends for number, ends in found.doubt.likelihood.items()
            },
        },
        "residuals": [
            {
                "experiment": residual.measured.experiment,
                "set": residual.measured.set,
                "metric": residual.measured.metric,
                "field": residual.measured.field,
                "unit": residual.measured.unit,
                "measured": residual.measured.value,
                "found": residual.found,
                "relative": residual.relative,
            }
            for residual in found.residuals
        ],
    }


def _row(fitted: Fitted) -> dict[str, object]:
    parameter = fitted.parameter
    return {
        "key": parameter.key,
        "unit": parameter.unit,
        "start": parameter.start,
        "value": fitted.value,
        "half_width": fitted.half_width,
        "ci95": fitted.interval,
        "at_bound": fitted.at_bound,
    }


def _parameters(found: Calibration) -> str:
    rows = [
        [
            fitted.parameter.key,
            fitted.parameter.display(fitted.parameter.start),
            fitted.parameter.display(fitted.value),
            "not determined" if fitted.half_width is None else fitted.parameter.display(fitted.half_width, 2),
        ]
        for fitted in found.fitted
    ]
    return table(rows, ["parameter", "initial", "fitted", "± (95 %)"])


def _correlation(found: Calibration) -> str:
    if len(found.fitted) < 2:
        return ""
    keys = [fitted.parameter.key for fitted in found.fitted]
    rows = [
        [key, *(f"{value:+.2f}".replace("-", "−") for value in row)]
        for key, row in zip(keys, found.fit.correlation, strict=True)
    ]
    return table(rows, ["correlation", *keys])


def _residuals(found: Calibration) -> str:
    rows = []
    for residual in found.residuals:
        row = residual.measured
        field = "" if row.field in ("value", "mean") else f", {row.field}"
        rows.append(
            [
                row.experiment,
                phrases.settings(row.set, found.axes) if row.set else "–",
                row.metric + field,
                format_value(row.value, row.unit, row.metric),
                format_value(residual.found, row.unit, row.metric),
                percent(residual.relative, digits=1, sign=True),
            ]
        )
    off = percent(found.deviation, digits=2)
    head = ["experiment", "at", "quantity", "measured", "model", "deviation"]
    return f"{table(rows, head)}\n\nroot mean square of the deviations: {off}"


def _discrepancy(found: Calibration) -> str:
    """How far off points are that the fit to the others predicts."""
    if found.doubt.discrepancy is None:
        return ""
    off = percent(max(abs(point.relative) for point in found.doubt.left_out), digits=1)
    beyond = percent(found.doubt.discrepancy, digits=1)
    return f"left out of the fit in turn: at most {off} off; beyond sampling and the fit {beyond} (discrepancy)"
