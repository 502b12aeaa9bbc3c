"""A fit as a profile: values with units, the data they were fitted to, and the residuals."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sojourn import phrases
from sojourn.calibrate.calibration import Calibration, Residual
from sojourn.calibrate.doubt import LeftOut
from sojourn.calibrate.fit import Fitted
from sojourn.errors import UserError
from sojourn.overwriting import refuse_file
from sojourn.units import format_value, percent


def profile(found: Calibration, title: str, source: str) -> str:
    """The text of the profile."""
    points = f"{len(found.residuals)} points of {', '.join(found.experiments)} in {found.source}"
    head = {"title": title, "network": found.network, "source": source, "fitted_to": points}
    off = percent(found.deviation, digits=2)
    note = f"least squares on relative deviations, all points simulated with one seed; root mean square {off}"
    parts = [_table("", head | {"note": note})]
    parts += [_table("[[value]]", _value(found, fitted)) for fitted in found.fitted]
    parts += [_table("[[residual]]", _residual(found, residual)) for residual in found.residuals]
    parts += [_table("[uncertainty]", _uncertainty(found))] if found.fit.known else []
    parts += [_table("[[left_out]]", _left_out(found, point)) for point in found.doubt.left_out]
    return "\n".join(parts)


def write_profile(text: str, path: Path, *, overwrite: bool = False) -> None:
    """Writes a profile atomically; refuses to replace an existing file without `overwrite`."""
    refuse_to_replace(path, overwrite=overwrite)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".unfinished")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def refuse_to_replace(path: Path, *, overwrite: bool) -> None:
    """`UserError` if the file exists or its folder does not."""
    refuse_file(path, overwrite=overwrite)
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent} to write {path.name} to")


def _value(found: Calibration, fitted: Fitted) -> dict[str, str | float]:
    parameter = fitted.parameter
    value: str | float = parameter.display(fitted.value)
    fields: dict[str, str | float] = {
        "key": parameter.key,
        "value": value if parameter.suffix else float(value),
        "fitted_to": f"{found.source}, {', '.join(found.experiments)}",
    }
    return fields | {"note": _note(found, fitted)}


def _uncertainty(found: Calibration) -> dict[str, object]:
    """The Gaussian of the fit, in SI units, and how far off predictions are beyond it."""
    fit, doubt = found.fit, found.doubt
    moved = [found.fitted[number] for number in fit.known]
    off = [found.fitted[number].parameter.key for number in doubt.likelihood]
    fields: dict[str, object] = {
        "keys": [fitted.parameter.key for fitted in moved],
        "units": [fitted.parameter.suffix for fitted in moved],
        "mean": [fitted.value for fitted in moved],
        "covariance": fit.covariance,
        "degrees_of_freedom": fit.freedom,
    }
    if doubt.discrepancy is not None:
        fields["discrepancy"] = doubt.discrepancy
    note = "the Gaussian of the fit; its intervals agree with the profile likelihood"
    if off:
        note = f"the Gaussian of the fit; of {phrases.list_of(off)} it is off, by the profile likelihood"
    return fields | {"note": note}


def _left_out(found: Calibration, point: LeftOut) -> dict[str, object]:
    """A point that the fit to the others predicts."""
    row = _residual(found, Residual(point.measured, point.predicted))
    return {"quantity": row["quantity"], "published": row["published"], "predicted": row["model"]}


def _note(found: Calibration, fitted: Fitted) -> str:
    key = fitted.parameter.key
    for group in found.fit.inseparable:
        if key in group:
            others = phrases.list_of([other for other in group if other != key])
            return f"determined only jointly with {others}: the split between them is arbitrary"
    if key in found.fit.without_effect:
        return "not determined: no point depends on it"
    bound = "; at the bound of its range" if fitted.at_bound else ""
    return f"± {fitted.parameter.display(fitted.half_width or 0.0, 2)} with 95 %{bound}"


def _residual(found: Calibration, residual: Residual) -> dict[str, str | float]:
    row = residual.measured
    field = "" if row.field in ("mean", "value") else f" {row.field}"
    at = ", ".join(f"{key} = {phrases.value(value, found.axes.get(key))}" for key, value in row.set.items())
    found_value = format_value(residual.found, row.unit, row.metric)
    return {
        "quantity": f"{row.metric}{field}, {row.experiment}" + (f", {at}" if at else ""),
        "published": format_value(row.value, row.unit, row.metric),
        "model": f"{found_value} ({percent(residual.relative, digits=1, sign=True)})",
    }


def _table(head: str, fields: Mapping[str, object]) -> str:
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join([head, *lines] if head else lines) + "\n"
