"""`new`: a commented scenario of an installation, a network or an example, or a measurement of a real network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli import completion
from sojourn.cli.options import Overwrite


def new(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            autocompletion=completion.templates,
            help="An installation, a kind of network, a measurement, example:NAME, STUDY:EXPERIMENT, or a file that "
            "describes CAN buses (DBC, KCD, ARXML, SYM); without it, all there are.",
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIELD=VALUE]...",
            autocompletion=completion.fields,
            help="Values of an installation's fields, as phones=20; of a CAN database bit-rate, data-bit-rate and "
            "event-interval.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File to write; standard output by default.")
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The topology of a lab of containerlab or netlab, as a scenario."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Writes a commented scenario that runs, or a measurement of a real network, to start your own from.

    \b
    sojourn new                            lists all there are
    sojourn new office:                    lists the fields of an installation
    sojourn new office phones=20 uplink='50 Mbit/s' -o office.toml
    sojourn new lontalk -o site.toml
    sojourn new ip-measurement -o measurement.toml
    sojourn new monitor -o monitor.toml
    sojourn new example:outage -o outage.toml
    sojourn new lontalk-response-time:D -o d.toml
    sojourn new vehicle.dbc bit-rate='500 kbit/s' -o vehicle.toml
    sojourn new --from lab.clab.yml -o lab.toml
    """
    from sojourn.cli.output import data, print_message  # noqa: PLC0415
    from sojourn.overwriting import refuse_file  # noqa: PLC0415

    if from_ is not None:
        _refuse_more(what)
        text = _lab(from_)
        what = "ip"
    elif what is None:
        data(_all())
        return
    elif (listed := _listed(what)) is not None:
        data(listed)
        return
    else:
        text = _text(what, fields or [], out)
    if out is None:
        data(text)
        return
    refuse_file(out, overwrite=overwrite)
    out.write_text(_for_editors(what, text), encoding="utf-8")
    print_message(f"wrote {out}{_next(what, out)}")


def _refuse_more(what: str | None) -> None:
    from sojourn.errors import UserError  # noqa: PLC0415

    if what is not None:
        raise UserError(f"--from says what to begin with, and {what!r} is another: give one of them")


def _lab(file: Path) -> str:
    """The scenario of a lab's topology; what was not taken over is named."""
    from sojourn.cli.output import print_message  # noqa: PLC0415
    from sojourn.labs.importing import imported  # noqa: PLC0415

    text, left_out = imported(file)
    for phrase in left_out:
        print_message(f"not taken over: {phrase}")
    return text


def _for_editors(what: str, text: str) -> str:
    """A document begins with the URL of its schema, by which editors complete and explain its keys; examples and
    experiments are written as they are."""
    from sojourn import schema_files  # noqa: PLC0415

    return text if ":" in what else schema_files.directive(text) + text


def _next(what: str, out: Path) -> str:
    """What to do with the file."""
    if out.suffix in (".ipynb", ".py"):
        return "" if out.suffix == ".ipynb" else f"; next: marimo run {out}"
    command = "measure" if what.endswith("-measurement") else what if what in ("monitor", "mesh") else "run"
    return f"; next: sojourn {command} {out}"


def _text(what: str, fields: Sequence[str], out: Path | None) -> str:
    """What is written."""
    from sojourn import can_database, installations, paths  # noqa: PLC0415
    from sojourn.errors import UserError  # noqa: PLC0415

    if can_database.is_database(Path(what)):
        return can_database.scenario(Path(what), installations.values_of(fields))
    if what in installations.names():
        values = installations.values_of(fields)
        return installations.find_installation(what).scenario(values, "" if out is None else str(out))
    if fields:
        raise UserError(f"only an installation has fields: {', '.join(installations.names())}; {what!r} is none")
    head, colon, name = what.partition(":")
    if colon and head == "example":
        return paths.find_example(name).read_text(encoding="utf-8")
    return _experiment(head, name) if colon else _network(what)


def _network(kind: str) -> str:
    import difflib  # noqa: PLC0415

    from sojourn import installations  # noqa: PLC0415
    from sojourn.bindings import call, call_json  # noqa: PLC0415
    from sojourn.errors import UnknownName  # noqa: PLC0415

    known = [*installations.names(), *(network["kind"] for network in call_json("networks")), *MEASUREMENTS]
    if kind not in known:
        near = difflib.get_close_matches(kind, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise UnknownName(f"no installation, network or measurement {kind!r}; {hint}")
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


MEASUREMENTS = {
    "ip-measurement": "response time over IP to an agent or reflector",
    "packet-radio-measurement": "response time over a radio channel",
    "monitor": "many targets around the clock, with alerts",
    "mesh": "agents that measure each other",
}
"""What is measured, and how it is called."""


def _all() -> str:
    """All that can be written, a table for each sort."""
    from sojourn import installations, paths  # noqa: PLC0415
    from sojourn.bindings import call_json  # noqa: PLC0415
    from sojourn.cli.output import list_of  # noqa: PLC0415

    found = [installations.find_installation(name) for name in installations.names()]
    kinds = [[str(network["kind"]), str(network["summary"])] for network in call_json("networks")]
    tables = {
        "installation": [[one.name, f"{one.title}: {', '.join(field.name for field in one.fields)}"] for one in found],
        "network": kinds,
        "measurement": [list(row) for row in MEASUREMENTS.items()],
    }
    parts = [list_of(rows, [name, "about: fields" if name == "installation" else "about"])
             for name, rows in tables.items()]  # fmt: skip
    more = [
        ["example:NAME", ", ".join(file.stem if file.suffix == ".toml" else file.name for file in paths.examples())],
        [
            "STUDY:EXPERIMENT",
            ", ".join(study.name for study in paths.studies()) + "; `sojourn studies` has experiments",
        ],
    ]
    return "\n\n".join([*parts, list_of(more, ["of", "names"])])


def _listed(what: str) -> str | None:
    """The examples, each with the first sentence of its comment; or the fields of an installation."""
    from sojourn import installations, paths  # noqa: PLC0415
    from sojourn.cli.output import list_of  # noqa: PLC0415

    name = what.removesuffix(":")
    if name != what and name in installations.names():
        return installations.find_installation(name).listed()
    if what != "example:":
        return None
    return list_of([[f"example:{name}", about] for name, about in paths.described_examples()], ["example", "about"])
