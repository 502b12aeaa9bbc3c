"""Installations that many have: a commented scenario each, with a few fields to fill in and a question.

A file of `installations/` is a scenario followed by its `[[field]]` tables. A field names the keys that it sets and
what they mean; its default is what the scenario says there.
"""

from __future__ import annotations

import difflib
import json
import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn import paths
from sojourn.bindings import call
from sojourn.errors import ScenarioError, UnknownName, UserError
from sojourn.toml_text import replaced, value_at
from sojourn.units import dimension_of

FIELDS = "\n[[field]]"
"""Where the scenario ends."""
RELATION = re.compile(r"^(<=|>=|<|>|=) *")


@dataclass(frozen=True)
class Field:
    """What a user fills in: one value, of one key or several."""

    name: str
    keys: tuple[str, ...]
    about: str
    default: str
    """As a user writes it, without the relation of a condition: `20`, `50 Mbit/s`."""
    words: tuple[str, ...] = ()
    """Of a choice, what there is to choose from."""
    low: str = ""
    high: str = ""

    @property
    def range(self) -> str:
        """What it takes: "1 to 300", or the words of a choice."""
        return ", ".join(self.words) if self.words else f"{self.low} to {self.high}"

    def problem(self, value: str) -> str | None:
        """What is wrong with a value; None where it is right."""
        if self.words:
            near = difflib.get_close_matches(value, self.words, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            return None if value in self.words else f"{self.name} is one of {self.range}, not {value!r}{hint}"
        number, low, high = (_number(text) for text in (value, self.low, self.high))
        if number is None or low is None or high is None or number[1] != low[1]:
            return f"{self.name} is {self.range}, as {self.default!r}, not {value!r}"
        if self.is_whole and value != f"{number[0]:.0f}":
            return f"{self.name} is a whole number, {self.range}, not {value}"
        if not low[0] <= number[0] <= high[0]:
            return f"{self.name} is {self.range}, not {value}"
        return None

    @property
    def is_whole(self) -> bool:
        """Whether it is a count."""
        return self.default.isdigit() and self.low.isdigit() and self.high.isdigit()


@dataclass(frozen=True)
class Installation:
    """A scenario of an installation that many have, and its fields."""

    name: str
    text: str
    """The scenario with the defaults."""
    fields: tuple[Field, ...]

    @property
    def title(self) -> str:
        """The scenario's title."""
        return str(tomllib.loads(self.text)["title"])

    @property
    def question(self) -> str:
        """The question that `sojourn find` answers."""
        return str(tomllib.loads(self.text)["question"]["text"])

    def problems(self, values: Mapping[str, str]) -> dict[str, str]:
        """What is wrong with values of fields, by the names of the fields."""
        return {name: problem for name, value in values.items() if (problem := self._problem(name, value))}

    def scenario(self, values: Mapping[str, str], file: str = "") -> str:
        """The scenario with these values of fields, its commands naming `file`; `UserError` names all that is wrong."""
        problems = self.problems(values)
        if problems:
            raise UserError("; ".join(problems.values()) + f"\n\n{self.listed()}")
        text = self.text.replace("FILE", file or f"{self.name}.toml")
        for name, value in values.items():
            for key in self.field(name).keys:
                text = replaced(text, key, _written(value_at(text, key), value))
        _refuse_invalid(text, f"{self.name}.toml")
        return text

    def field(self, name: str) -> Field:
        """The field of this name."""
        return next(field for field in self.fields if field.name == name)

    def listed(self) -> str:
        """The fields as text, a line or two each."""
        rows = [(f"{field.name}={_quoted(field.default)}", f"{field.about} {field.range}.") for field in self.fields]
        size = max(len(name) for name, _ in rows)
        return "\n".join([f"fields of {self.name}:", *(f"  {name.ljust(size)}  {about}" for name, about in rows)])

    def _problem(self, name: str, value: str) -> str | None:
        names = [field.name for field in self.fields]
        if name in names:
            return self.field(name).problem(value)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        return f"{self.name} has no field {name!r}; {hint}"


def names() -> list[str]:
    """The names of all installations."""
    return sorted(file.stem for file in paths.folder("installations").glob("*.toml"))


def find_installation(name: str) -> Installation:
    """An installation by its name."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        raise UnknownName(f"no installation {name!r}; {f'did you mean {near[0]}?' if near else ', '.join(names())}")
    text = (paths.folder("installations") / f"{name}.toml").read_text(encoding="utf-8")
    scenario, mark, fields = text.partition(FIELDS)
    rows = tomllib.loads(mark + fields)["field"]
    return Installation(name, scenario.rstrip() + "\n", tuple(_field(scenario, row) for row in rows))


def values_of(arguments: Sequence[str]) -> dict[str, str]:
    """The values of fields given as `NAME=VALUE`."""
    split = [argument.partition("=") for argument in arguments]
    for name, equals, value in split:
        if not (name and equals and value.strip()):
            raise UserError(f"{name!r} has no value: write NAME=VALUE, as phones=20")
    return {name.strip(): value.strip() for name, _, value in split}


def _field(scenario: str, row: Mapping[str, Any]) -> Field:
    keys = [row["set"]] if isinstance(row["set"], str) else list(row["set"])
    default = json.loads(value_at(scenario, keys[0]))
    low, high = (str(row.get(name, "")) for name in ("low", "high"))
    return Field(
        row["name"], tuple(keys), row["about"], RELATION.sub("", str(default)), tuple(row.get("words", ())), low, high
    )


def _written(before: str, value: str) -> str:
    """A value as TOML, of the kind that stands there: a number, a text, or a condition with its relation."""
    if not before.startswith('"'):
        return value
    relation = RELATION.match(json.loads(before))
    return json.dumps(f"{relation[1]} {value}" if relation else value, ensure_ascii=False)


def _number(text: str) -> tuple[float, str] | None:
    """A number in SI units and the unit of its dimension; None for anything else."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(.*)", text)
    known = found and dimension_of(found[2])
    return (float(found[1]) * known[0], known[1]) if found and known else None


def _refuse_invalid(text: str, name: str) -> None:
    """Refuses values that do not go together."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        try:
            call("check", str(file))
        except ScenarioError as error:
            said = [
                f"{found['message']} ({found['help']})" if found.get("help") else found["message"]
                for found in error.problems
            ]
            raise UserError(f"these values do not go together: {'; '.join(said)}") from None


def _quoted(value: str) -> str:
    return f"'{value}'" if " " in value else value
