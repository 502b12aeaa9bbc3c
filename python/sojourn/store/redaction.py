"""Removes secrets from recorded or displayed text: passwords in URLs, keys and tokens in queries and documents."""

from __future__ import annotations

import re
from typing import Any

HIDDEN = "***"
_ENDS = r"(?:password|passwd|passphrase|secret|psk|authorization|(?:api|auth|authentication|access|private)[_-]?key)"
_WHOLE = r"(?:pass|(?:api|auth|access|bearer|refresh|session)[_-]?token|token)"
_WORD = rf"(?:[\w-]*{_ENDS}|{_WHOLE})"
"""A name of a secret; `packets_per_token` and `key_file` are none."""
_USER = re.compile(r"([a-z][a-z0-9+.-]*://[^/\s:@\"'?#\[]*):(?!\d+(?:[/?#\s\"']|$))[^\s\"']*@", re.IGNORECASE)
_QUERY = re.compile(rf"([?&](?:{_WORD}|key|sig|signature)=)[^&\s\"'#]+", re.IGNORECASE)
# a setting of a document, also in an inline table or a comment
_SETTING = re.compile(
    rf"((?<![\w-])(?:{_WORD}|key)[\"']?\s*[=:]\s*)(\"[^\"\n]*\"|'[^'\n]*'|[^\s,}}\]\"']+)", re.IGNORECASE
)
_NAME = re.compile(_WORD, re.IGNORECASE)


def without_password(text: str) -> str:
    """A text with URLs, without their passwords and without the secrets of their queries."""
    return _QUERY.sub(rf"\g<1>{HIDDEN}", _USER.sub(r"\g<1>@", text))


def without_secrets(document: str) -> str:
    """The text of a document without the values of settings that are secrets, and without passwords in URLs."""
    return _SETTING.sub(rf'\g<1>"{HIDDEN}"', without_password(document))


def cleaned(value: Any) -> Any:
    """Plain data without secrets: texts without passwords, and members named after a secret without their value."""
    if isinstance(value, dict):
        return {name: HIDDEN if _is_secret(name, member) else cleaned(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(member) for member in value]
    # no table of PostgreSQL takes a NUL
    return without_secrets(value.replace("\0", "")) if isinstance(value, str) else value


def _is_secret(name: Any, member: Any) -> bool:
    return isinstance(name, str) and isinstance(member, str) and _NAME.fullmatch(name) is not None
