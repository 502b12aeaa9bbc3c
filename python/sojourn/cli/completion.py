"""What a shell completes: networks, installations with their fields, studies with experiments, keys of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

Complete = Callable[[typer.Context, str], list[str]]


def _begun(offer: Callable[[typer.Context], list[str]]) -> Complete:
    """Offers what begins with the text typed so far; nothing where the command line is not complete enough to know."""

    # Typer reads the parameters from the signature: no functools.wraps
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        from sojourn.errors import SojournError  # noqa: PLC0415

        try:
            return [word for word in offer(ctx) if word.startswith(incomplete)]
        except (OSError, ValueError, SojournError):
            return []

    return complete


@_begun
def kinds(_: typer.Context) -> list[str]:
    """The kinds of network."""
    from sojourn.bindings import call_json  # noqa: PLC0415

    return [str(network["kind"]) for network in call_json("networks")]


@_begun
def templates(_: typer.Context) -> list[str]:
    """What `new` writes: installations, networks, measurements, examples, and experiments of studies."""
    from sojourn import installations, paths  # noqa: PLC0415
    from sojourn.bindings import call_json  # noqa: PLC0415
    from sojourn.study import load_study  # noqa: PLC0415

    names = [*installations.names(), *(str(network["kind"]) for network in call_json("networks"))]
    examples = [f"example:{name}" for name, _ in paths.described_examples()]
    studies = [load_study(str(folder)) for folder in paths.studies()]
    experiments = [f"{study.name}:{experiment['id']}" for study in studies for experiment in study.experiments]
    return [
        *names,
        *(f"{name}-measurement" for name in ("ip", "packet-radio")),
        "monitor",
        "mesh",
        *examples,
        *experiments,
    ]


@_begun
def fields(ctx: typer.Context) -> list[str]:
    """The fields of the installation on the command line, each with its equals sign, or with each of its words."""
    from sojourn import installations  # noqa: PLC0415

    found = installations.find_installation(str(ctx.params.get("what") or _first(ctx))).fields
    return [f"{field.name}={word}" for field in found for word in field.words or ("",)]


@_begun
def studies(_: typer.Context) -> list[str]:
    """The studies."""
    from sojourn import paths  # noqa: PLC0415

    return [folder.name for folder in paths.studies()]


@_begun
def experiments(ctx: typer.Context) -> list[str]:
    """The experiments of the study on the command line."""
    from sojourn.study import load_study  # noqa: PLC0415

    return [str(experiment["id"]) for experiment in load_study(_first(ctx)).experiments]


@_begun
def keys(ctx: typer.Context) -> list[str]:
    """The keys of the scenario on the command line, each with its equals sign."""
    return [f"{key}=" for key in keys_of(Path(_first(ctx)))]


@_begun
def conditions(_: typer.Context) -> list[str]:
    """The metrics."""
    from sojourn.bindings import call_json  # noqa: PLC0415

    return [str(metric["name"]) for metric in call_json("metrics")]


def _first(ctx: typer.Context) -> str:
    """The first argument of the command, which behind an option without its value is not parsed yet."""
    return str(next((word for word in ctx.args if not word.startswith("-")), ""))


def keys_of(file: Path) -> list[str]:
    """The paths of all keys that a scenario may have: `run.duration`, `station.sensor.count`."""
    import tomllib  # noqa: PLC0415

    from sojourn.bindings import call_json  # noqa: PLC0415

    document = tomllib.loads(file.read_text(encoding="utf-8"))
    schema = call_json("schema", document["network"]["kind"])
    tables = ((name, schema["properties"].get(name, {}), value) for name, value in document.items())
    written = [path for name, table, value in tables for path in _paths(name, table, value)]
    run = schema["properties"]["run"]["properties"]
    return list(dict.fromkeys([*written, *(f"run.{key}" for key in run)]))


def _paths(name: str, schema: dict[str, Any], value: object) -> Iterator[str]:
    """The keys of one table, or of each table of a list by its name."""
    forms = schema.get("anyOf", [schema])
    if isinstance(value, list):
        item: dict[str, Any] = next((form["items"] for form in forms if form.get("type") == "array"), {})
        for entry in value:
            if isinstance(entry, dict) and "name" in entry:
                yield from (f"{name}.{entry['name']}.{key}" for key in item.get("properties", {}) if key != "name")
    elif isinstance(value, dict):
        table: dict[str, Any] = next((form for form in forms if form.get("type") == "object"), {})
        yield from (f"{name}.{key}" for key in table.get("properties", {}))
