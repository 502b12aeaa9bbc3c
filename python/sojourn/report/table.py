"""A table of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Title, head and rows, all text."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
