"""Events of a scenario as a form: its fields are the keys that a network declares, and what is filled in becomes one.

Whether an event is right, as a whole and at its place, is found by the check of the text that has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sojourn.bindings import call_json
from sojourn.errors import UserError
from sojourn.workbench.confined import document_of

PREFIX = "event."
"""Of the fields in the form of the editor."""
NAMED = {"stations": ("station",), "media": ("medium",), "flows": ("flow",)}
"""Where the names stand that a key takes."""
FIRST = ("action", "stations", "media", "flows", "at", "duration", "size")
"""The keys that most events have; the others are folded."""
LABELS = {
    "at": "At",
    "mean_time_between": "Mean time between failures",
    "mean_time_to_repair": "Mean time to repair",
    "set": "Keys to set",
    "size": "Size of a burst",
}
EXAMPLES = {"at": "30 s, or 30 s, 90 s", "duration": "10 s", "set": "a line each: medium.backbone.delay = 50 ms"}
MOST_NAMES = 200
LONGEST = 500
"""Characters of a value."""


def fields_of(kind: str, text: str) -> list[dict[str, Any]]:
    """The fields of the form: key, label, hint, type, words to choose among, names to complete."""
    declared = _declared(kind)
    document = document_of(text)
    keys = sorted(declared, key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key))
    return [_field(key, declared[key], document) for key in keys]


def added(text: str, kind: str, form: Mapping[str, Sequence[str]]) -> str:
    """A text with the event of a form at its end; `UserError` for a value that none has."""
    declared = _declared(kind)
    if not declared:
        raise UserError("nothing happens in this kind of network: it has no events")
    values = {key: value for key in declared if (value := _value(key, declared[key], form)) is not None}
    if values.get("action") is None:
        raise UserError("choose what happens")
    values.setdefault("name", _free(values["action"], text))
    ordered = ["name", "action", *(key for key in values if key not in ("name", "action"))]
    lines = [f"{key} = {_written(values[key])}" for key in ordered]
    return "\n".join([text.rstrip("\n"), "", "[[event]]", *lines, ""])


@cache
def _declared(kind: str) -> dict[str, Any]:
    """The keys of an event of a network, as its schema has them."""
    if kind not in {network["kind"] for network in call_json("networks")}:
        return {}
    event = call_json("schema", kind)["properties"].get("event")
    found: dict[str, Any] = event["items"]["properties"] if event else {}
    return found


def _field(key: str, declared: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    words = [(one["const"], one["description"]) for one in declared.get("anyOf", ()) if "const" in one]
    label = LABELS.get(key, key.replace("_", " ").capitalize())
    hint = EXAMPLES.get(key) or str(declared["description"])
    kind = "number" if declared.get("type") == "integer" else "text"
    names = list(_names(document, NAMED.get(key, ())))[:MOST_NAMES]
    return {
        "key": key,
        "label": label,
        "hint": hint,
        "type": kind,
        "words": words,
        "names": names,
        "lines": 2 if key == "set" else 0,
        "is_first": key in FIRST,
    }


def _names(document: Mapping[str, Any], tables: Iterable[str]) -> Iterable[str]:
    for table in tables:
        entries = document.get(table)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                yield entry["name"]


def _value(key: str, declared: Mapping[str, Any], form: Mapping[str, Sequence[str]]) -> Any:
    """The value of a field as its key takes it; None of an empty one."""
    text = "\n".join(form.get(f"{PREFIX}{key}", ())).strip()
    if len(text) > LONGEST or not all(line.isprintable() for line in text.splitlines()):
        raise UserError(f"{key} has at most {LONGEST} printable characters")
    if not text:
        return None
    if key == "set":
        return dict(_assignment(line) for line in text.splitlines() if line.strip())
    if declared.get("type") == "integer":
        if not (text.isascii() and text.isdigit()) or len(text) > 9:
            raise UserError(f"{key} is a whole number")
        return int(text)
    parts = [part.strip() for part in text.split(",")]
    takes_list = any("items" in one for one in declared.get("anyOf", ()))
    return parts if takes_list and len(parts) > 1 else text


def _assignment(line: str) -> tuple[str, Any]:
    key, equals, value = line.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise UserError(f"{line.strip()!r} sets no key: medium.backbone.delay = 50 ms")
    return key.strip().strip('"'), value.strip().strip('"')


def _written(value: Any) -> str:
    """A value in TOML, whose basic strings are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_written(key)} = {_written(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _free(action: str, text: str) -> str:
    """A name that no event of a text has."""
    taken = set(_names(document_of(text), ("event",)))
    numbered = (f"{action}-{number}" for number in range(1, len(taken) + 2))
    return action if action not in taken else next(name for name in numbered if name not in taken)
