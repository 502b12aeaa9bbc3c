"""Removes secrets from plain data that is recorded or displayed: those of URLs, of documents and of requests."""

from __future__ import annotations

from typing import Any

from sojourn.secret import shown_document, shown_value


def cleaned(value: Any) -> Any:
    """Plain data without secrets: texts without those of URLs and settings, and members named after a secret without
    their value.
    """
    if isinstance(value, dict):
        # an option has the key that it sets, and its value
        key = value.get("key")
        return {
            name: shown_value(key, member)
            if name == "value" and isinstance(key, str) and isinstance(member, str)
            else _member(name, member)
            for name, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [cleaned(member) for member in value]
    # no table of PostgreSQL takes a NUL
    return shown_document(value.replace("\0", "")) if isinstance(value, str) else value


def _member(name: Any, member: Any) -> Any:
    if name == "key" or not isinstance(name, str) or not isinstance(member, str):
        return cleaned(member)
    return shown_value(name, member.replace("\0", ""))
