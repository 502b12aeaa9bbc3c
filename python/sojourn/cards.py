"""Installations as pages have them: cards with fields, and the text around the values that a page fills in itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sojourn import units
from sojourn.installations import RELATION, Field, Installation, find_installation, names
from sojourn.toml_text import place_of


def installations() -> list[Installation]:
    """All of them, by name."""
    return [find_installation(name) for name in names()]


def fillable() -> dict[str, Any]:
    """What `web/playground/installations.js` checks values by and writes scenarios from."""
    return {
        "units": units.dimensions(),
        "installations": {one.name: {"fields": _fields(one), "parts": parts(one)} for one in installations()},
    }


def parts(installation: Installation) -> list[str | dict[str, Any]]:
    """The scenario cut where its fields have values: texts, and between them which value stands there and how.

    A value is written as the text of TOML or as a number, a condition behind its relation; `room` is what the value and
    the blanks before its comment take, so that the comment stays in its column.
    """
    text = installation.text.replace("FILE", f"{installation.name}.toml")
    places = sorted((*place_of(text, key), field.name) for field in installation.fields for key in field.keys)
    found: list[str | dict[str, Any]] = []
    behind = 0
    for start, end, name in places:
        room = _room(text, start, end)
        found += [text[behind:start], {"field": name, **_form(text[start:end]), "room": room}]
        behind = end if room is None else start + room
    return [*found, text[behind:]]


def _fields(installation: Installation) -> list[dict[str, Any]]:
    return [dict(_described(field)) for field in installation.fields]


def _described(field: Field) -> Iterator[tuple[str, Any]]:
    yield from (("name", field.name), ("default", field.default), ("words", field.words))
    yield from (("low", field.low), ("high", field.high))


def _form(written: str) -> dict[str, Any]:
    """How the value stands there: whether as text, and behind which relation."""
    relation = RELATION.match(written[1:]) if written.startswith('"') else None
    return {"isText": written.startswith('"'), "relation": relation[1] if relation else ""}


def _room(text: str, start: int, end: int) -> int | None:
    """From a value to the comment behind it; None without one."""
    rest = text[end:].partition("\n")[0]
    comment = rest.lstrip()
    return end - start + len(rest) - len(comment) if comment.startswith("#") else None
