"""Records that wait for the store: a file of JSON lines that every command of this user appends to.

A record is a line. A writer holds a lock and first cuts off what a kill or a full disk left of an unfinished
line. Loading renames the file, so that its name is known to the store before any of its lines is.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from sojourn.errors import SojournError

LIMIT = 1 << 30
"""Octets that may wait; what comes then is not recorded."""
OPEN = "open.jsonl"
SEALED = ".sealed.jsonl"
BLOCK = 1 << 16


class SpoolFull(SojournError):  # noqa: N818 - the name states the error
    """More records wait than the spool may hold."""


def append(folder: Path, records: Sequence[Mapping[str, Any]], *, sync: bool = True, limit: int = LIMIT) -> None:
    """Appends records, all or none. They outlive this process at once, and with `sync` soon a power failure.

    A thread waits for the disk, which takes longer than all else; the interpreter ends after it. `OSError` where the
    disk takes nothing; `SpoolFull` beyond `limit` octets.
    """
    lines = (json.dumps(record, separators=(",", ":"), ensure_ascii=False, default=str) for record in records)
    # a path may hold octets that are not text, which no database takes
    text = "".join(f"{line}\n" for line in lines).encode(errors="replace")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(folder / OPEN) as descriptor:
        length = _whole_lines(descriptor)
        if length + sum(file.stat().st_size for file in sealed(folder)) + len(text) > limit:
            raise SpoolFull(f"{folder} is full: `sojourn history` loads it into the store")
        os.ftruncate(descriptor, length)
        _write(descriptor, text, length)
        if sync:
            # a descriptor of its own: a copy would hold the lock until the disk is done, in a forked process for ever
            synced = os.open(folder / OPEN, os.O_RDONLY | os.O_CLOEXEC)
            Thread(target=_sync, args=(synced,), name="sojourn-sync").start()


def seal(folder: Path) -> None:
    """Gives what was appended until now a name for good."""
    if not (folder / OPEN).exists():
        return
    with _locked(folder / OPEN) as descriptor:
        length = _whole_lines(descriptor)
        os.ftruncate(descriptor, length)
        if length:
            os.fsync(descriptor)
            (folder / OPEN).rename(folder / f"{uuid.uuid4().hex}{SEALED}")


def sealed(folder: Path) -> list[Path]:
    """Files to load, the oldest first."""
    return sorted(folder.glob(f"*{SEALED}"), key=lambda file: (file.stat().st_mtime_ns, file.name))


def read(file: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """The records of a sealed file from number `start` on."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number >= start:
                yield json.loads(line)


def waiting(folder: Path) -> int:
    """Octets to load."""
    file = folder / OPEN
    return sum(one.stat().st_size for one in [*sealed(folder), *([file] if file.exists() else [])])


@contextmanager
def only_loader(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Whether no other process loads these files, or none any more; none begins to while this one does."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / "loader.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The open file of this name, locked; it may have been renamed while another process held the lock."""
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_same(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _write(descriptor: int, text: bytes, at: int) -> None:
    """Writes all of it, or leaves the file as it was."""
    written = 0
    try:
        while written < len(text):
            written += os.pwrite(descriptor, text[written:], at + written)
    except BaseException:
        os.ftruncate(descriptor, at)
        raise


def _sync(descriptor: int) -> None:
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def _whole_lines(descriptor: int) -> int:
    """Octets up to the end of the last whole line."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        begin = max(0, end - BLOCK)
        at = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0
