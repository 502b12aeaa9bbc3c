"""The live half of `study --live`: measures, and fits the host costs."""

from __future__ import annotations

from pathlib import Path

from sojourn import platforms
from sojourn.cli import output
from sojourn.errors import UserError
from sojourn.extras import require
from sojourn.study import Study


def measured(
    study: Study, wanted: list[str] | None, changes: list[str] | None, out: Path | None, *, quick: bool
) -> tuple[list[str], list[str]]:
    """Measures a study; returns the experiments to simulate, and the changes including the fitted host costs."""
    platforms.require("--live")
    require("scipy", "fits")
    from sojourn.testbed import chosen, fitted_costs, measure_study  # noqa: PLC0415

    if out is None:
        raise UserError("--live stores its measurements: give a folder, as --out out/live")
    experiments = chosen(study, wanted)
    measure_study(experiments, out, output.print_message, quick=quick)
    costs = fitted_costs(study, experiments, out)
    output.print_message(f"host costs, fitted to the points without load: {', '.join(costs)}")
    return [experiment["id"] for experiment in experiments], [*(changes or []), *costs]
