"""`networks`, `studies`, `metrics`, `schema`: list what is available."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn import schemas
from sojourn.cli import completion
from sojourn.cli.options import Format, Output


def networks(form: Output = Format.table) -> None:
    """Lists the network models, with their scope and limitations.

    \b
    sojourn networks
    sojourn networks --format json
    """
    from sojourn.bindings import call_json  # noqa: PLC0415

    found = call_json("networks")
    _listed(found, form, ["kind", "summary"], [[network["kind"], network["summary"]] for network in found])


def studies(form: Output = Format.table) -> None:
    """Lists the studies; run one with `sojourn study NAME`.

    \b
    sojourn studies
    """
    from sojourn import paths  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415

    found = [load_study(str(folder)) for folder in paths.studies()]
    rows = [
        [study.name, ", ".join(e["id"] for e in study.experiments if "+" not in e["id"]), study.title]
        for study in found
    ]
    raw: list[dict[str, object]] = [
        {"name": row[0], "experiments": row[1].split(", "), "title": row[2]} for row in rows
    ]
    _listed(raw, form, ["study", "experiments", "about"], rows)


def metrics(form: Output = Format.table) -> None:
    """Lists all metrics with unit, shape and definition.

    \b
    sojourn metrics
    sojourn metrics --format json | jq '.[] | select(.name == "response_time")'
    """
    from sojourn.bindings import call_json  # noqa: PLC0415

    found = call_json("metrics")
    rows = [[metric["name"], metric["unit"], metric["shape"], metric["definition"]] for metric in found]
    _listed(found, form, ["metric", "unit", "shape", "definition"], rows)


def schema(
    network: Annotated[
        str | None,
        typer.Argument(
            metavar="[NETWORK | OUTPUT]",
            autocompletion=completion.kinds,
            help=f"Only the keys of this network; or the schema of an output: {', '.join(schemas.OUTPUTS)}.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it here, with a note of what wrote it.")
    ] = None,
) -> None:
    """Prints the JSON schema of scenarios, for completion and validation in editors, or that of an output.

    \b
    sojourn schema lontalk > lontalk.schema.json
    sojourn schema --out sojourn.schema.json
    sojourn schema results             of results.json and of --format json
    sojourn schema measure-events      of a line of `sojourn measure --format jsonl`
    sojourn schema monitor-events      of a line of `sojourn monitor --format jsonl` and of its files
    """
    from sojourn import schema_files  # noqa: PLC0415
    from sojourn.bindings import call  # noqa: PLC0415
    from sojourn.cli.output import data, print_message  # noqa: PLC0415

    if out is not None:
        text = schemas.text(network) if network in schemas.OUTPUTS else schema_files.text(network)
        out.write_text(text, encoding="utf-8")
        print_message(f"wrote {out}")
        return
    data(schemas.text(network) if network in schemas.OUTPUTS else call("schema", network))


def _listed(raw: list[dict[str, object]], form: Format, head: list[str], rows: list[list[str]]) -> None:
    from sojourn.cli import output  # noqa: PLC0415

    if form is Format.table:
        output.data(output.list_of(rows, head))
    elif form is Format.json:
        import json  # noqa: PLC0415

        output.data(json.dumps(raw, indent=1, ensure_ascii=False))
    else:
        output.numbers([dict(zip(head, row, strict=True)) for row in rows], form)
