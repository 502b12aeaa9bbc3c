"""The cache of finished replications on disk: where it is, its size, and removing entries."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sojourn.bindings import call
from sojourn.errors import UserError

DAY_S = 86_400.0


@dataclass(frozen=True)
class Entries:
    """Some entries of the cache."""

    count: int
    size: int
    """Bytes."""


def folder() -> Path:
    """The user's cache: `$SOJOURN_CACHE`, `$XDG_CACHE_HOME/sojourn`, `~/.cache/sojourn`."""
    found = call("cache_folder")
    if found is None:
        raise UserError("there is no cache folder: set SOJOURN_CACHE or HOME")
    return Path(found)


def kept(cache: Path) -> Entries:
    """All entries."""
    sizes = [file.stat().st_size for file in _files(cache)]
    return Entries(len(sizes), sum(sizes))


def remove(cache: Path, unused_days: float) -> Entries:
    """Removes the entries that were not used for so many days; other files of the folder stay."""
    before = time.time() - unused_days * DAY_S
    count = size = 0
    for file in list(_files(cache)):
        state = file.stat()
        if state.st_mtime <= before:
            file.unlink(missing_ok=True)
            count, size = count + 1, size + state.st_size
    return Entries(count, size)


def _files(cache: Path) -> Iterator[Path]:
    return (file for file in cache.glob("replications/*/*") if file.is_file())
