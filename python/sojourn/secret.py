"""Secrets: a text that nothing prints, compares in variable time or writes; and texts shown without their secrets.

`shown` is the one function that shows URLs. It is that of the scenario crate, which makes messages and results with it.
"""

from __future__ import annotations

import hmac
import logging
from typing import Any, NoReturn, final

from sojourn.bindings import call

HIDDEN = "***"
"""What stands in place of a secret in a text that is shown."""


@final
class Secret:
    """A password, a token or a key, or a URL that has one: `revealed` is for the one place that needs it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """A secret of this text."""
        object.__setattr__(self, "_text", text)

    def revealed(self) -> str:
        """The text itself."""
        text: str = self._text  # type: ignore[attr-defined]
        return text

    def __repr__(self) -> str:
        """That it is one."""
        return "[secret]"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        """That it is one."""
        return "[secret]"

    def __eq__(self, other: object) -> bool:
        """In a time that depends on the lengths alone."""
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.revealed().encode(), other.revealed().encode())

    def __hash__(self) -> int:
        """Of this process alone: Python keys it anew each time it starts."""
        return hash((Secret, self.revealed()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """It does not change."""
        raise AttributeError("a secret does not change")

    def __copy__(self) -> Secret:
        """Itself."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        """Itself."""
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """It has no serial form."""
        raise TypeError("a secret is not written anywhere")


def shown(text: str) -> str:
    """A text with URLs, without their passwords and without the secrets of their queries."""
    return str(call("shown", _plain(text)))


def shown_document(text: str) -> str:
    """A document or a command line, without the values of settings that are secrets either."""
    return str(call("shown_document", _plain(text)))


def shown_value(key: str, value: str) -> str:
    """The value of a key of a document or of an option, without what of it is a secret."""
    return str(call("shown_value", _plain(key), _plain(value)))


class ShownFormatter(logging.Formatter):
    """Formats records of a log without secrets, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """The whole of a record."""
        return shown_document(super().format(record))


def _plain(text: str) -> str:
    """Without lone surrogates, which no text in UTF-8 has."""
    return text.encode(errors="replace").decode()
