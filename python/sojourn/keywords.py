"""The arguments of `Scenario(...)` and the document that they say.

Tables keep their names, lists of tables have them in the plural: `stations`, `flows`, `media`. `kind` is a key of
[network], and `stations_file` is the CSV file of stations.
"""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json
from sojourn.errors import ScenarioError
from sojourn.synonyms import nearest

IRREGULAR = {"medium": "media"}
STATIONS_FILE = "stations_file"
"""In Python, what `stations = "FILE"` is in a file."""
FILE_KEYS = ("file", "profile")
"""Keys whose values name files, relative to the scenario."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument of `Scenario(...)`."""

    name: str
    key: str
    """Its key or table in a file."""
    is_list: bool
    is_table: bool


@cache
def arguments(kind: str) -> dict[str, Argument]:
    """The arguments for a kind of network, by name, as its keys are declared."""
    tables: dict[str, Any] = call_json("schema", kind)["properties"]
    found = [_argument(key, declared) for key, declared in tables.items()]
    return {argument.name: argument for argument in found}


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of networks."""
    return tuple(str(network["kind"]) for network in call_json("networks"))


def _argument(key: str, declared: Mapping[str, Any]) -> Argument:
    forms = [form.get("type") for form in declared.get("anyOf", [declared])]
    is_list = "array" in forms
    name = STATIONS_FILE if key == "stations" else plural(key) if is_list else key
    return Argument(name, key, is_list, "object" in forms)


def plural(name: str) -> str:
    """How a list of tables is called in Python."""
    return IRREGULAR.get(name) or (f"{name}es" if name.endswith("s") else f"{name}s")


def document(given: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, str]]:
    """The document that arguments say, and the name in Python of each of its keys and tables.

    `ScenarioError` names every argument that there is not or that has another form.
    """
    values = {name: plain(value, name) for name, value in given.items() if value is not None}
    network = values.pop("network", {})
    kind = values.pop("kind", None) or (network.get("kind") if isinstance(network, dict) else None)
    if kind is None:
        raise refused("", f"needs kind=...; kinds: {', '.join(kinds())}")
    if not isinstance(network, dict):
        raise refused("network=...", "takes a table")
    head = {"network": {"kind": kind} | {key: value for key, value in network.items() if key != "kind"}}
    if kind not in kinds():
        return head, {"network.kind": "kind"}  # its check says what is meant
    known = arguments(kind)
    problems = [problem for name, value in values.items() if (problem := _problem(name, value, kind, known))]
    if problems:
        raise ScenarioError("\n".join(f"{one['file']}: {one['message']}" for one in problems), problems)
    tables = {known[name].key: value for name, value in values.items() if value != []}
    names = {argument.key: argument.name for argument in known.values()} | {"network.kind": "kind"}
    title = {"title": tables.pop("title")} if "title" in tables else {}
    return title | head | tables, names


def _problem(name: str, value: object, kind: str, known: Mapping[str, Argument]) -> dict[str, Any] | None:
    """What is wrong with an argument."""
    argument = known.get(name)
    if argument is None:
        near = nearest_argument(name, known)
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(sorted({*known, 'kind', 'name'}))}"
        return _said(f"{name}=...", f"{kind} has no argument `{name}`, {hint}")
    tables = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    if (argument.is_list and tables) or (argument.is_table and isinstance(value, dict)):
        return None
    if argument.is_list:
        more = f"; a CSV file is `{STATIONS_FILE}`" if isinstance(value, str) and STATIONS_FILE in known else ""
        return _said(f"{name}=...", f"takes a list of tables{more}")
    return _said(f"{name}=...", "takes a table") if argument.is_table else None


def nearest_argument(name: str, known: Mapping[str, Argument]) -> str | None:
    """The argument that is meant: that of the table as files call it, or else the one spelt most like it."""
    of_key = {argument.key: one for one, argument in known.items()}
    return of_key.get(name) or nearest(name, [*known, "kind", "name"])


def keywords(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The arguments that say a document: those of `Scenario(...)`; files that it names are relative to a folder."""
    network = dict(document.get("network", {}))
    kind = network.pop("kind", None)
    names = {argument.key: argument.name for argument in arguments(kind).values()} if kind in kinds() else {}
    found: dict[str, Any] = {"kind": kind} | ({"network": network} if network else {})
    found |= {names.get(key, key): value for key, value in document.items() if key != "network"}
    return {key: with_files(value, key, folder) for key, value in found.items()}


def with_files(value: Any, key: str, folder: Path) -> Any:
    """A value in which every file that it names has its absolute path."""
    if isinstance(value, dict):
        return {inner: with_files(one, inner, folder) for inner, one in value.items()}
    if isinstance(value, list):
        return [with_files(one, "", folder) for one in value]
    if isinstance(value, str) and (key in (FILE_KEYS[0], STATIONS_FILE) or _is_path(value, key)):
        return str((folder / value).absolute())
    return value


def _is_path(value: str, key: str) -> bool:
    """Whether the value of a key is the path of a profile, and no name of one in the library."""
    return key in FILE_KEYS and (value.endswith(".toml") or "/" in value)


def plain(value: object, path: str) -> Any:
    """A value of TOML for one of Python: dataclasses become tables, arrays lists, times of `timedelta` text.

    None stands for a key that is not given. A keyword of Python may end in an underscore: `from_`.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(one, f"{path}.{key}") for key, one in value.items() if one is not None}
    if isinstance(value, str | bool | int | float):
        return _encodable(value, path) if isinstance(value, str) else value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, timedelta):
        return f"{value.total_seconds()!r} s"
    for method in ("tolist", "to_list"):  # of arrays, their scalars, and series
        if hasattr(value, method):
            return plain(getattr(value, method)(), path)
    if isinstance(value, Iterable) and not isinstance(value, bytes | set | frozenset):
        return [plain(one, f"{path}[{index}]") for index, one in enumerate(value)]
    raise refused(f"{path}=...", f"takes text, a number, a list or a table, not {type(value).__name__}")


def _key(key: object) -> str:
    text = str(key)
    return text[:-1] if text.endswith("_") and keyword.iskeyword(text[:-1]) else text


def _encodable(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refused(f"{path}=...", "a text is not valid Unicode") from None
    return str(text)


def _said(where: str, message: str) -> dict[str, Any]:
    return {"file": f"Scenario({where})", "line": None, "column": None, "message": message, "help": None}


def refused(where: str, message: str) -> ScenarioError:
    """That an argument is wrong."""
    return ScenarioError(f"Scenario({where}): {message}", [_said(where, message)])
