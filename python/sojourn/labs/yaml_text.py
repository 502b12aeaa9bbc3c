"""YAML as it is written: mappings and lists in block style, scalars as JSON, which YAML reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
WORDS = {"y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan"}
"""Plain words that some readers of YAML take for another type."""


def document(value: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """A document below comments."""
    return "\n".join([*(f"# {line}" for line in comments), *_mapping(value, ""), ""])


def _mapping(value: Mapping[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for key, inner in value.items():
        lines += _entry(f"{indent}{_scalar(key)}:", inner, indent)
    return lines


def _entry(head: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [head, *_mapping(value, f"{indent}  ")]
    if isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        lines = [head]
        for one in value:
            first, *rest = _mapping(one, f"{indent}    ")
            lines += [f"{indent}  - {first.strip()}", *rest]
        return lines
    return [f"{head} {_scalar(value)}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in WORDS:
        return value
    if isinstance(value, list) and len(value) > 2:
        return "[" + ", ".join(_scalar(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
