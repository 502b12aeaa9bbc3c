"""Values as `--set KEY=VALUE` and `--over KEY=VALUES` take them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def assignment(key: str, value: object) -> str:
    """A key and its value: `medium.queue={ kind = "fifo" }`."""
    return f"{key}={_written(value)}"


def axis(values: str | Sequence[object]) -> str:
    """The values of an axis; a text is one already."""
    return values if isinstance(values, str) else ",".join(_written(value) for value in values)


def _written(value: object) -> str:
    """`true`, `3`, a table, a list, or a bare word."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_inside(member)}" for key, member in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inside(member) for member in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _inside(member: object) -> str:
    """A member of a table or list, with strings in quotes; TOML's basic strings are JSON's."""
    return json.dumps(member, ensure_ascii=False) if isinstance(member, str) else _written(member)


def _key(key: object) -> str:
    text = str(key)
    return text if text.replace("_", "").replace("-", "").isalnum() and text.isascii() else json.dumps(text)
