"""The name that is meant by a word of another tool or by a misspelt one, as the extension suggests it everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from sojourn.bindings import extension


def meant(word: str, known: Iterable[str]) -> str | None:
    """The name among those known that a word of another tool stands for; None where there is none."""
    found: str | None = extension().meant(word.replace("-", "_"), list(known))
    return found


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name that a word stands for, else the one that is spelt most like it; None where none is near."""
    found: str | None = extension().nearest(word.replace("-", "_"), list(known))
    return found
