"""`report`: redraws figures and HTML from stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import Overwrite


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that `run`, `sweep` or `study` wrote with --out.")
    ],
    figures: Annotated[
        str | None, typer.Option(metavar="FORMATS", help="Also write each figure as a file: png, svg or png,svg.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Rewrites report.html, which draws its figures itself, from stored results, without running anything.

    Of a measurement that did not end, as after a crash of its host, the results are those of the requests that it had
    written.

    \b
    sojourn report out/lontalk
    sojourn report out/lontalk --figures svg
    """
    from sojourn import paths  # noqa: PLC0415
    from sojourn.cli.options import figure_formats  # noqa: PLC0415
    from sojourn.cli.output import data  # noqa: PLC0415
    from sojourn.cli.progress import ProgressLine  # noqa: PLC0415
    from sojourn.extras import require  # noqa: PLC0415
    from sojourn.overwriting import kept_name, refuse_file  # noqa: PLC0415
    from sojourn.recovery import recover, unended  # noqa: PLC0415
    from sojourn.results import read_results  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415
    from sojourn.testbed import side_by_side, with_measured  # noqa: PLC0415

    formats = figure_formats(figures)
    place = folder if folder.is_dir() else folder.parent
    if unended(place):
        recover(place)
    require("jinja2", "reports")
    from sojourn.report import write_report  # noqa: PLC0415

    results = read_results(folder)
    if kept_name(place) is None:
        refuse_file(place / "report.html", overwrite=overwrite)
    name = str(results.raw.get("study"))
    known = {study.name for study in paths.studies()}
    study = load_study(name) if name in known else None
    combined = with_measured(results, place)
    if study is not None and len(combined) > len(results):
        study = side_by_side(study)
    with ProgressLine() as progress:
        page = write_report(combined, place, study, formats, progress.show)
    data(str(page))
