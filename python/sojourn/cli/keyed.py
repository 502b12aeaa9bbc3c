"""Options of commands on real networks that are short for keys: `--rate '50 /s'` for `--set 'measure.rate=50 /s'`.

They are made of the declarations of the keys, which say name, help, default and range. Several values of one, as in
`--rate '50,100 /s'`, are an axis where the command has points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import typer.core

from sojourn.cli import panels

if TYPE_CHECKING:
    from sojourn.live import Change

KINDS = ("ip", "packet-radio")
"""Networks whose keys measurements obey."""
MEASURE = ("measure", "network", "on_air", "probe", "run", "xtp")
AGENT = ("network.profile", "on_air.airtime", "on_air.callsign", "on_air.identify")
LISTEN = ("network.profile",)
MONITOR = ("monitor", "target")
MESH = ("monitor", "mesh")
"""The tables and keys whose options each command has."""
META = "sojourn.keyed"
METAVARS = {"s": "TIME", "1/s": "RATE", "B": "SIZE", "1": "SHARE"}
"""By the unit of a key's values."""


@dataclass(frozen=True)
class Keyed:
    """An option, and the key that it is short for."""

    key: str
    declared: dict[str, Any]

    @property
    def name(self) -> str:
        """As it is written."""
        return f"--{self.declared['x-option']['name']}"

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return self.declared.get("type") == "boolean"

    @property
    def is_list(self) -> bool:
        """Whether it can be repeated: its values are the lines of a list."""
        return any(form.get("type") == "array" for form in self.declared.get("anyOf", ()))

    @property
    def is_text(self) -> bool:
        """Whether it takes any text, and no quantity."""
        return self.declared.get("type") == "string" and "x-unit" not in self.declared

    @property
    def words(self) -> list[str]:
        """The words that it takes."""
        return [form["const"] for form in self.declared.get("anyOf", ()) if isinstance(form.get("const"), str)]

    @property
    def metavar(self) -> str:
        """What stands for its value in help."""
        if unit := METAVARS.get(self.declared.get("x-unit", "")) if "x-units" in self.declared else None:
            return unit
        if self.declared.get("type") == "integer":
            return "N"
        return "WORD" if self.words else "FILE" if self.key.endswith("_file") else "TEXT"

    @property
    def help(self) -> str:
        """What it does, the words it takes, and its default."""
        asked = self.declared["x-option"]["help"]
        text = asked or self.declared["description"]
        if self.words and not asked:
            text = f"{text.rstrip('.')} ({', '.join(self.words)})."
        default = json.loads(self.declared.get("x-default", "null"))
        return text if asked or default is None or default is False else f"{text} [{default}]"

    def parameter(self) -> typer.core.TyperOption:
        """The option as a command has it."""
        return typer.core.TyperOption(
            param_decls=[self.name],
            type=bool if self.is_flag else str,
            is_flag=self.is_flag,
            multiple=self.is_list,
            default=None,
            required=False,
            metavar=None if self.is_flag else self.metavar,
            help=self.help + (" Repeatable." if self.is_list else ""),
            show_default=False,
            rich_help_panel=self.declared["x-option"]["group"],
        )

    def is_axis(self, value: object) -> bool:
        """Whether a value is several quantities or numbers, with a comma between them."""
        return isinstance(value, str) and "," in value and self.metavar in {*METAVARS.values(), "N"}

    def written(self, value: object) -> str:
        """A value as TOML has it, or as a bare word."""
        if self.is_flag:
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return json.dumps(list(value), ensure_ascii=False)
        if self.is_text:
            return json.dumps(value, ensure_ascii=False)
        with suppress(ValueError):
            float(str(value))
            # a word that looks like a number is a text
            return f'"{value}"' if self.words else str(value)
        return str(value)


@dataclass
class Given:
    """What the options of a command set."""

    changes: list[Change] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)


class KeyedCommand(panels.GroupedCommand):
    """A command with an option for each of its keys that declares one."""

    paths: ClassVar[Sequence[str]]
    varies: ClassVar[bool]

    def __init__(self, *arguments: Any, params: Any = None, **options: Any) -> None:
        """The command with its own parameters and those of the keys."""
        found = [(keyed, keyed.parameter()) for keyed in declared(self.paths)]
        self.keyed = {parameter.name: keyed for keyed, parameter in found}
        super().__init__(*arguments, params=[*(params or []), *(parameter for _, parameter in found)], **options)

    def invoke(self, ctx: Any) -> Any:
        """Takes the values of keys aside: the command asks for them by `given`."""
        from sojourn.live import Change  # noqa: PLC0415

        found = ctx.meta[META] = Given()
        for name, keyed in self.keyed.items():
            value = ctx.params.pop(str(name), None)
            if value is None or value is False or value == ():
                continue
            if self.varies and keyed.is_axis(value):
                found.axes.append(f"{keyed.key}={value}")
                continue
            text = keyed.written(value)
            found.changes.append(Change(keyed.key, text, f"{keyed.name} {text}"))
        return super().invoke(ctx)


def given(ctx: typer.Context) -> Given:
    """What the options of keys set, of the command that runs."""
    found: Given = ctx.meta[META]
    return found


def command(paths: Sequence[str], *, varies: bool = False) -> type[KeyedCommand]:
    """A command with the options of these tables and keys, of which several values may make an axis."""
    return type("Command", (KeyedCommand,), {"paths": paths, "varies": varies})


def declared(paths: Sequence[str]) -> list[Keyed]:
    """The keys of these tables, or with these paths, that declare an option, once each, by the names of the options."""
    found: dict[str, Keyed] = {}
    for kind in KINDS:
        for name, table in _tables(kind).items():
            for keyed in _of_table(name, table.get("items", table)):
                if any(f"{keyed.key}.".startswith(f"{path}.") for path in paths):
                    found.setdefault(keyed.name, keyed)
    return [found[name] for name in sorted(found)]


@cache
def _tables(kind: str) -> dict[str, Any]:
    from sojourn.bindings import call_json  # noqa: PLC0415

    tables: dict[str, Any] = call_json("schema", kind)["properties"]
    return tables


def _of_table(path: str, table: dict[str, Any]) -> Iterator[Keyed]:
    for name, key in table.get("properties", {}).items():
        if "x-option" in key:
            yield Keyed(f"{path}.{name}", key)
        yield from _of_table(f"{path}.{name}", key)
