"""`calibrate`: fits parameters to measured points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.options import File, Format, Jobs, Output, Overwrite, Replications, Seed, Set

if TYPE_CHECKING:
    from sojourn.calibrate import Calibration
    from sojourn.scenario import Scenario

STEP_SHARE = 0.01


def calibrate(
    file: File,
    keys: Annotated[
        list[str],
        typer.Option("--fit", metavar="KEY,KEY", help="Scenario keys to fit. Repeatable."),
    ],
    against: Annotated[
        str,
        typer.Option(
            metavar="CSV|FOLDER", help="Measured points, in the format of reference/, or a folder of results."
        ),
    ],
    experiment: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only the points of this experiment. Repeatable.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only the points of this metric. Repeatable.")
    ] = None,
    changes: Set = None,
    seed: Seed = None,
    replications: Replications = None,
    step: Annotated[
        float,
        typer.Option(min=1e-6, max=0.5, metavar="SHARE", help="Finite-difference step relative to the initial value."),
    ] = STEP_SHARE,
    jobs: Jobs = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PROFILE.toml", help="Write the fitted values as a profile.")
    ] = None,
    overwrite: Overwrite = False,
    form: Output = Format.table,
) -> int:
    """Fits parameters of a scenario to measured points, by least squares on relative deviations.

    Every evaluation simulates all points, with one seed. Only rows of role calibration are used. Reports the confidence
    interval of each parameter, and parameters that cannot be distinguished. Exit code 1: the fit did not converge.

    \b
    sojourn calibrate site.toml --fit station.costs.deliver --against measured.csv
    sojourn calibrate twin.toml --fit medium.link.delay --against captured
    sojourn calibrate voice.toml --fit station.costs.a,station.costs.b --against measured.csv --out mine.toml
    """
    from sojourn.cli import fitting, output  # noqa: PLC0415
    from sojourn.cli.progress import ProgressLine  # noqa: PLC0415
    from sojourn.extras import require  # noqa: PLC0415
    from sojourn.paths import find_reference  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    require("scipy", "fits")
    from sojourn.calibrate import calibrate as fitted  # noqa: PLC0415

    scenario = Scenario(file, tuple(changes or ()))
    names = [key.strip() for argument in keys for key in argument.split(",") if key.strip()]
    _refuse_early(scenario, names, out, overwrite)
    options: dict[str, object] = {"seed": seed, "replications": replications, "jobs": jobs}
    with ProgressLine() as progress:

        def look(count: int, values: dict[str, str], off: float) -> None:
            progress.close()
            output.print_message(fitting.evaluation(count, values, off))

        found = fitted(
            scenario,
            names,
            find_reference(against),
            experiments=experiment or (),
            metrics=metric or (),
            step=step,
            options=options,
            watch=progress,
            look=look,
        )
    fitting.write(found, form)
    for warning in fitting.warnings(found):
        output.print_message(f"warning: {warning}")
    if out is not None:
        _keep(found, scenario, out, overwrite)
    return 0 if found.fit.converged else 1


def _refuse_early(scenario: Scenario, names: list[str], out: Path | None, overwrite: bool) -> None:
    """Checks before a long fit what would make its end fail."""
    from sojourn.calibrate.calibration import parameters_of  # noqa: PLC0415
    from sojourn.calibrate.profile import refuse_to_replace  # noqa: PLC0415
    from sojourn.errors import UserError  # noqa: PLC0415

    if not names:
        raise UserError("--fit has no key")
    parameters = parameters_of(scenario, names)
    if out is None:
        return
    refuse_to_replace(out, overwrite=overwrite)
    for parameter in parameters:
        if not parameter.in_profiles:
            raise UserError(
                f"a profile cannot contain {parameter.key}, which is specific to this scenario; omit --out, or fit "
                "the key of a kind, such as station.costs.deliver"
            )


def _keep(found: Calibration, scenario: Scenario, out: Path, overwrite: bool) -> None:
    from sojourn.calibrate import profile, write_profile  # noqa: PLC0415
    from sojourn.cli import output  # noqa: PLC0415

    text = profile(found, f"{scenario.path.stem} fitted to {found.source}", found.source)
    write_profile(text, out, overwrite=overwrite)
    output.print_message(f'wrote {out}; use it with profile = "{out.name}" or --set network.profile={out}')
