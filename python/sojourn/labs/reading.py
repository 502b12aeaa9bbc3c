"""YAML of others, read safely: only plain data, and in bounded time whatever the file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sojourn.errors import UserError
from sojourn.extras import require
from sojourn.reading import text_of

LARGEST = 256 * 1024
"""Octets of a file: larger labs have thousands of nodes."""
DEEPEST = 40
"""Lists and mappings within each other."""
MOST = 100_000
"""Values of a document, those of aliases counted each time they are named: a few lines may stand for billions."""


def read(path: Path) -> Any:
    """The document of a YAML file; `UserError` with its line for one that is none, is too large or too deep."""
    require("yaml", "labs of containerlab and netlab")
    import yaml  # noqa: PLC0415

    if path.is_file() and path.stat().st_size > LARGEST:
        raise UserError(f"{path} has {path.stat().st_size} B, and a topology at most {LARGEST} B")
    text = text_of(path)
    try:
        _refuse_bombs(path, text)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise UserError(f"{place}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from None


def _refuse_bombs(path: Path, text: str) -> None:
    """Counts values by the events of the parser, before anything is built of them."""
    import yaml  # noqa: PLC0415

    sizes: dict[str, int] = {}
    open_ones: list[list[Any]] = [[None, 0]]
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            open_ones.append([event.anchor, 1])
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_ones.pop()
            _close(sizes, open_ones, anchor, size)
        elif isinstance(event, yaml.AliasEvent):
            open_ones[-1][1] += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.ScalarEvent):
            _close(sizes, open_ones, event.anchor, 1)
        line = event.start_mark.line + 1
        if len(open_ones) > DEEPEST + 1:
            raise UserError(f"{path}:{line}: values stand within each other more than {DEEPEST} deep")
        if sum(size for _, size in open_ones) > MOST:
            raise UserError(f"{path}:{line}: more than {MOST} values, with those that aliases name")


def _close(sizes: dict[str, int], open_ones: list[list[Any]], anchor: str | None, size: int) -> None:
    """A value ends: it counts in that around it, and wherever its anchor is named."""
    if anchor is not None:
        sizes[anchor] = size
    open_ones[-1][1] += size
