"""`new`: a commented scenario, or a measurement of a real network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import completion
from sojourn.cli.options import Overwrite


def new(
    what: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK|MEASUREMENT|STUDY:EXPERIMENT",
            autocompletion=completion.templates,
            help="A kind of network; ip-measurement, packet-radio-measurement, monitor or mesh; or an experiment of a "
            "study.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File to write; standard output by default.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Writes a commented scenario that runs, or a measurement of a real network, to start your own from.

    \b
    sojourn new lontalk -o site.toml
    sojourn new queue
    sojourn new ip-measurement -o measurement.toml
    sojourn new monitor -o monitor.toml
    sojourn new mesh -o mesh.toml
    sojourn new lontalk-response-time:D -o d.toml
    """
    from sojourn.cli.output import data, print_message  # noqa: PLC0415
    from sojourn.overwriting import refuse_file  # noqa: PLC0415

    text = _experiment(*what.split(":", 1)) if ":" in what else _network(what)
    if out is None:
        data(text)
        return
    refuse_file(out, overwrite=overwrite)
    out.write_text(text, encoding="utf-8")
    command = "measure" if what.endswith("-measurement") else what if what in ("monitor", "mesh") else "run"
    print_message(f"wrote {out}; next: sojourn {command} {out}")


def _network(kind: str) -> str:
    from sojourn.bindings import call  # noqa: PLC0415

    return str(call("new", kind))


def _experiment(study_name: str, experiment: str) -> str:
    from shlex import quote  # noqa: PLC0415

    from sojourn.assignment import assignment  # noqa: PLC0415
    from sojourn.errors import UnknownName  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415

    study = load_study(study_name)
    entry = next((entry for entry in study.experiments if entry["id"] == experiment), None)
    if entry is None:
        ids = ", ".join(entry["id"] for entry in study.experiments)
        raise UnknownName(f"{study.name} has no experiment {experiment!r}; there are {ids}")
    text = study.scenario(experiment).read_text(encoding="utf-8")
    sets = [assignment(change["key"], change["value"]) for change in entry.get("set") or []]
    changes = " ".join(f"--set {quote(one)}" for one in sets)
    return f"# The study runs this scenario with: {changes}\n{text}" if changes else text
