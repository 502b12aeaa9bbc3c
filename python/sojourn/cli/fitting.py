"""What a fit came to, as text: parameters, correlation, residuals, and what to beware of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn import labels
from sojourn.cli.options import Format
from sojourn.cli.output import data, frame, table
from sojourn.units import percent, say

if TYPE_CHECKING:
    from sojourn.calibrate import Calibration, Fitted


def warnings(found: Calibration) -> list[str]:
    """What a reader of the values has to know."""
    said = []
    for group in found.fit.inseparable:
        rows = [index for index, fitted in enumerate(found.fitted) if fitted.parameter.key in group]
        together = max(
            (abs(found.fit.correlation[one][two]), found.fit.correlation[one][two])
            for one in rows
            for two in rows
            if one < two
        )[1]
        said.append(
            f"{labels.list_of(group)} cannot be told apart by these points (correlation {together:+.3f}): fix all but "
            "one with --set, or measure points that they move differently"
        )
    for key in found.fit.without_effect:
        said.append(f"{key} moves none of the points: its value is where it started")
    for fitted in found.fitted:
        if fitted.at_bound:
            said.append(f"{fitted.parameter.key} is at the end of its range, {fitted.parameter.said(fitted.value)}")
    if not found.fit.converged:
        said.append("the fit did not settle: start nearer with --set, or take a wider --step")
    return said


def evaluation(count: int, values: dict[str, str], off: float) -> str:
    """One line per evaluation: the values tried and how far the model is off with them."""
    tried = ", ".join(f"{key} {text}" for key, text in values.items())
    return f"evaluation {count}: {tried}: off by {percent(off, digits=2)}"


def write(found: Calibration, form: Format) -> None:
    """A fit on standard output: parameters, correlation and residuals; CSV and Parquet hold the parameters."""
    if form is Format.table:
        data("\n\n".join(part for part in (_parameters(found), _correlation(found), _residuals(found)) if part))
    elif form is Format.json:
        import json  # noqa: PLC0415

        data(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        import polars as pl  # noqa: PLC0415

        rows = [{key: value for key, value in _row(fitted).items() if key != "ci95"} for fitted in found.fitted]
        frame(pl.DataFrame(rows, infer_schema_length=None), form)


def as_json(found: Calibration) -> dict[str, object]:
    """Everything the fit came to, in SI units."""
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
            fitted.parameter.said(fitted.parameter.start),
            fitted.parameter.said(fitted.value),
            "not determined" if fitted.half_width is None else fitted.parameter.said(fitted.half_width, 2),
        ]
        for fitted in found.fitted
    ]
    return table(rows, ["parameter", "start", "found", "± with 95 %"])


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
                labels.settings(row.set, found.units) if row.set else "–",
                row.metric + field,
                say(row.value, row.unit, row.metric),
                say(residual.found, row.unit, row.metric),
                percent(residual.relative, digits=1, sign=True),
            ]
        )
    off = percent(found.deviation, digits=2)
    head = ["experiment", "at", "quantity", "measured", "found", "off by"]
    return f"{table(rows, head)}\n\nroot mean square of the deviations: {off}"
