"""The cache of finished replications on disk: where it is, its size, and removing entries."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sojourn.bindings import call
from sojourn.errors import RunFailed, UserError

DAY_S = 86_400.0
SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kKMGT]?)(i?)B")


@dataclass(frozen=True)
class Entries:
    """Some entries of the cache."""

    count: int
    size: int
    """Bytes."""


@dataclass(frozen=True)
class Merged:
    """What a merge did with the entries of its sources."""

    added: int
    present: int
    """Entries that were there already."""
    damaged: int
    """Entries that do not read back, and were left out."""


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
    """Removes the entries that were not used for this many days; other files of the folder stay."""
    before = time.time() - unused_days * DAY_S
    count = size = 0
    for file in list(_files(cache)):
        state = file.stat()
        if state.st_mtime <= before:
            file.unlink(missing_ok=True)
            count, size = count + 1, size + state.st_size
    return Entries(count, size)


def limit(cache: Path) -> int | None:
    """The size that a cache is limited to, in bytes; None where it is not."""
    found = call("cache_limit", cache)
    return None if found is None else int(found)


def limit_to(cache: Path, size: int | None) -> Entries:
    """Limits a cache to a size in bytes, or to none; what was removed."""
    try:
        return Entries(*call("limit_cache", cache, size))
    except OSError as error:
        raise RunFailed(f"cannot limit the cache in {cache}: {error}") from None


def merge(sources: Sequence[Path], into: Path) -> Merged:
    """Copies the entries of caches to another one."""
    if not sources:
        raise UserError("merge takes one cache or more, and then the one they are copied to")
    for source in sources:
        if not source.is_dir():
            raise UserError(f"{source} is not a cache: there is no such folder")
        if source.resolve() == into.resolve():
            raise UserError(f"{source} cannot be merged into itself")
    try:
        return Merged(*call("merge_caches", list(sources), into))
    except OSError as error:
        raise RunFailed(f"cannot merge into {into}: {error}; what was copied is kept") from None


def parsed_size(text: str) -> int | None:
    """Bytes of a size: '500 MB', '20 GiB'; None for 'none'."""
    if text.strip() == "none":
        return None
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise UserError(f"{text!r} is not a size: write '500 MB', '20 GiB', or none")
    number, prefix, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kMGT".index(prefix.replace("K", "k") or " "))


def _files(cache: Path) -> Iterator[Path]:
    return (file for file in cache.glob("replications/*/*") if file.is_file())
