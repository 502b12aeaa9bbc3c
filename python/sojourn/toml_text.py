"""One value of a TOML text replaced where it stands: comments, order and spacing stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

HEADER = re.compile(r"^\[\[?([\w.-]+)\]\]?")
KEY = re.compile(r'^("[^"]*"|[\w.-]+)\s*=\s*')


def replaced(text: str, path: str, value: str) -> str:
    """The text with another value, as TOML writes it, of a key that it has: `station.phone.count`.

    A table of a list is named by its `name`, a key of an inline table by one part more. `KeyError` for no such key.
    """
    start, end = place_of(text, path)
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    rest = text[end:line_end]
    comment = rest.lstrip()
    if comment.startswith("#"):  # stays in its column, where there is room
        rest = " " * max(2, len(rest) - len(comment) + (end - start) - len(value)) + comment
    return text[:start] + value + rest + text[line_end:]


def value_at(text: str, path: str) -> str:
    """The value of a key as the text writes it: `"50 Mbit/s"` with its quotes."""
    start, end = place_of(text, path)
    return text[start:end]


def place_of(text: str, path: str) -> tuple[int, int]:
    """Where the value of a key begins and ends; `KeyError` for no such key."""
    for parts, start, end in _tables(text):
        if path.startswith(f"{parts}."):
            found = _inside(text, start, end, path.removeprefix(f"{parts}."))
            if found is not None:
                return found
    raise KeyError(path)


def _tables(text: str) -> Iterator[tuple[str, int, int]]:
    """Each table: its path, that of a list with the table's name, and where its lines begin and end."""
    heads = [(found, at) for at, line in _lines(text, 0, len(text)) if (found := HEADER.match(line)) and line[0] == "["]
    for index, (found, at) in enumerate(heads):
        end = heads[index + 1][1] if index + 1 < len(heads) else len(text)
        name = _inside(text, at, end, "name") if found[0].startswith("[[") else None
        yield found[1] + ("" if name is None else f".{json.loads(text[slice(*name)])}"), at, end


def _inside(text: str, start: int, end: int, path: str) -> tuple[int, int] | None:
    """The value of a key of the table whose lines begin and end here; None where it has no such key."""
    for at, line in _lines(text, start, end):
        key = KEY.match(line)
        if key is None:
            continue
        name, span = key[1].strip('"'), (at + key.end(), _end_of_value(text, at + key.end()))
        if path == name:
            return span
        if path.startswith(f"{name}.") and text[span[0]] == "{":
            return _inside_braces(text, *span, path.removeprefix(f"{name}."))
    return None


def _inside_braces(text: str, start: int, end: int, path: str) -> tuple[int, int] | None:
    """The value of a key of the inline table between these braces."""
    at = start + 1
    while at < end - 1:
        at += len(text[at:end]) - len(text[at:end].lstrip(" ,"))
        key = KEY.match(text[at:end])
        if key is None:
            return None
        name, first = key[1].strip('"'), at + key.end()
        last = _end_of_value(text, first)
        if path == name:
            return first, last
        if path.startswith(f"{name}.") and text[first] == "{":
            return _inside_braces(text, first, last, path.removeprefix(f"{name}."))
        at = last
    return None


def _end_of_value(text: str, start: int) -> int:
    """Behind the value that begins here: before a comma, a brace or a comment that is not in it, or the line's end."""
    depth, at = 0, start
    while at < len(text):
        mark = text[at]
        if mark == '"':
            at = _end_of_string(text, at)
            continue
        if depth == 0 and mark in ",}]#\n":
            break
        depth += (mark in "{[") - (mark in "}]")
        at += 1
    return start + len(text[start:at].rstrip())


def _end_of_string(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for line in text[start:end].splitlines(keepends=True):
        yield start, line
        start += len(line)
