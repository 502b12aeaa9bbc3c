"""A document written as TOML, and where in the text each of its keys is, by its path in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that TOML takes without quotes."""


@dataclass(frozen=True)
class Place:
    """Where a table or a key with its value is in the text."""

    begin: int
    end: int
    path: str
    """As Python has it: `stations[0].name`."""
    is_table: bool


@dataclass(frozen=True)
class Written:
    """A text, and what is where in it."""

    text: str
    places: list[Place]

    def place_at(self, line: int, column: int) -> Place | None:
        """The innermost table or key at a line and column, both counted from 1."""
        offset = sum(len(one) + 1 for one in self.text.split("\n")[: line - 1]) + column - 1
        around = [place for place in self.places if place.begin <= offset < place.end]
        return min(around, key=lambda place: place.end - place.begin, default=None)


@dataclass
class _Writer:
    """A text that grows by parts."""

    parts: list[str] = field(default_factory=list)
    size: int = 0
    places: list[Place] = field(default_factory=list)

    def put(self, text: str) -> None:
        """Adds a part."""
        self.parts.append(text)
        self.size += len(text)

    def note(self, begin: int, path: str, *, is_table: bool = False) -> None:
        """Notes that what was put since then is at a path."""
        self.places.append(Place(begin, self.size, path, is_table))

    def table(self, header: str, path: str, keys: Mapping[str, Any], names: Mapping[str, str]) -> None:
        """A table with its keys, a line each; `names` has those of keys that are arguments of their own."""
        self.put("\n" if self.parts else "")
        begin = self.size
        self.put(f"{header}\n")
        for key, value in keys.items():
            self.line(key, value, names.get(key) or member(path, key))
        self.note(begin, path, is_table=True)

    def line(self, key: str, value: object, path: str) -> None:
        """A key and its value on a line."""
        self.pair(key, value, path)
        self.put("\n")

    def pair(self, key: str, value: object, path: str) -> None:
        """A key and its value."""
        begin = self.size
        self.put(f"{bare(key)} = ")
        self.value(value, path)
        self.note(begin, path)

    def value(self, value: object, path: str) -> None:
        """A value: an inline table, a list, or a single one."""
        if isinstance(value, Mapping):
            self.put("{ " if value else "{")
            for index, (key, one) in enumerate(value.items()):
                self.put(", " if index else "")
                self.pair(key, one, member(path, key))
            self.put(" }" if value else "}")
        elif isinstance(value, list | tuple):
            self.put("[")
            for index, one in enumerate(value):
                self.put(", " if index else "")
                begin = self.size
                self.value(one, f"{path}[{index}]")
                self.note(begin, f"{path}[{index}]")
            self.put("]")
        else:
            self.put(scalar(value))


def written(document: Mapping[str, Any], names: Mapping[str, str]) -> Written:
    """A document as TOML: single keys first, then a table each.

    `names` has the name in Python of each key and table, and of `network.KEY` where that is an argument of its own.
    """
    writer = _Writer()
    for key, value in document.items():
        if not _is_tables(value):
            writer.line(key, value, names.get(key, key))
    for key, value in document.items():
        name = names.get(key, key)
        if isinstance(value, dict):
            own = {one: names[f"{key}.{one}"] for one in value if f"{key}.{one}" in names}
            writer.table(f"[{bare(key)}]", name, value, own)
        elif _is_tables(value):
            for index, one in enumerate(value):
                writer.table(f"[[{bare(key)}]]", f"{name}[{index}]", one, {})
    return Written("".join(writer.parts), writer.places)


def inline(value: object) -> str:
    """A value on a line: a table in braces, a list, or a single one."""
    writer = _Writer()
    writer.value(value, "")
    return "".join(writer.parts)


def member(path: str, key: str) -> str:
    """A key of a table: `stations[0].name`, `expect['response_time.p99']`."""
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{key!r}]"


def bare(key: str) -> str:
    """A key, in quotes where TOML asks for them."""
    return key if BARE.fullmatch(key) else scalar(key)


def scalar(value: object) -> str:
    """Text, a number or a truth value; the basic strings of TOML are those of JSON, but for DEL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return re.sub(r"e([+-])0", r"e\1", repr(float(value))) if isinstance(value, float) else str(value)


def _is_tables(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))
