"""What `study --live` does before it simulates: measures, and fits the hosts' costs."""

from __future__ import annotations

from pathlib import Path

from sojourn.cli import output
from sojourn.errors import UserError
from sojourn.study import Study


def measured(
    study: Study, wanted: list[str] | None, changes: list[str] | None, out: Path | None, *, quick: bool
) -> tuple[list[str], list[str]]:
    """Measures a study; the experiments to simulate, and the changes with the hosts' costs as they were found."""
    from sojourn.testbed import chosen, fitted_costs, measure_study  # noqa: PLC0415

    if out is None:
        raise UserError("--live keeps what it measures: name a folder for it, as --out out/live")
    experiments = chosen(study, wanted)
    measure_study(experiments, out, output.say, quick=quick)
    costs = fitted_costs(study, experiments, out)
    output.say(f"the hosts' costs, fitted to the points without load: {', '.join(costs)}")
    return [experiment["id"] for experiment in experiments], [*(changes or []), *costs]
