"""Records that wait for the store: a file of JSON lines that every command of this user appends to.

A record is a line with a checksum (`sojourn.framing`). A writer holds a lock and first puts aside what a kill or a full
disk left of an unfinished line. Loading renames the file, so that its name is known to the store before any of its
lines is.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from sojourn import framing
from sojourn.errors import SojournError
from sojourn.store.waiting import Wait

LIMIT = 1 << 30
"""Octets that may wait; what comes then is not recorded."""
OPEN = "open.jsonl"
SEALED = ".sealed.jsonl"
BLOCK = 1 << 16
LOADER_WAIT_S = 600.0
"""How long a command waits for another process that loads these records."""


@dataclass(frozen=True)
class Line:
    """A line of a file of records."""

    number: int
    """From 0."""
    octets: bytes
    records: list[framing.Record]
    """One, unless the line is damaged."""
    rest: bytes
    """Octets that are of no record."""


class SpoolFull(SojournError):  # noqa: N818 - the name states the error
    """More records wait than the spool may hold."""


def append(folder: Path, records: Sequence[Mapping[str, Any]], *, sync: bool = True, limit: int = LIMIT) -> None:
    """Appends records, all or none. They outlive this process at once, and with `sync` soon a power failure.

    A thread waits for the disk, which takes longer than all else; the interpreter ends after it. `OSError` where the
    disk takes nothing; `SpoolFull` beyond `limit` octets.
    """
    lines = (json.dumps(record, separators=(",", ":"), ensure_ascii=False, default=str) for record in records)
    text = b"".join(framing.framed(line) + b"\n" for line in lines)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(folder / OPEN) as descriptor:
        length = _whole_lines(descriptor, folder / OPEN)
        if length + sum(file.stat().st_size for file in sealed(folder)) + len(text) > limit:
            raise SpoolFull(f"{folder} is full: `sojourn history` loads it into the store")
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
        if _whole_lines(descriptor, folder / OPEN):
            os.fsync(descriptor)
            (folder / OPEN).rename(folder / f"{uuid.uuid4().hex}{SEALED}")


def sealed(folder: Path) -> list[Path]:
    """Files to load, the oldest first."""
    return sorted(folder.glob(f"*{SEALED}"), key=lambda file: (file.stat().st_mtime_ns, file.name))


def read(file: Path, start: int = 0) -> Iterator[Line]:
    """The lines of a sealed file from number `start` on."""
    with file.open("rb") as lines:
        for number, octets in enumerate(lines):
            if number >= start:
                yield _line(number, octets.rstrip(b"\n"))


def damaged(folder: Path) -> list[tuple[Path, list[int]]]:
    """Files with lines that do not read, and the numbers of these lines from 1."""
    found = []
    for file in sealed(folder):
        found.append((file, [line.number + 1 for line in read(file) if line.rest]))
    if (folder / OPEN).exists():
        with _locked(folder / OPEN):
            found.append((folder / OPEN, [line.number + 1 for line in read(folder / OPEN) if line.rest]))
    return [(file, numbers) for file, numbers in found if numbers]


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
        yield _alone(descriptor, folder, wait=wait)
    finally:
        _unlock(descriptor)


def _alone(descriptor: int, folder: Path, *, wait: bool) -> bool:
    waiting = Wait(f"another process loads the records in {folder}", LOADER_WAIT_S)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                return False
            waiting.go_on()
        else:
            return True


def _line(number: int, octets: bytes) -> Line:
    try:
        return Line(number, octets, [framing.read(octets)], b"")
    except framing.Damaged:
        return Line(number, octets, *framing.within(octets))


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
            _unlock(descriptor)


def _unlock(descriptor: int) -> None:
    """A child that another thread has forked may hold a copy of the descriptor still: to close ours is not enough."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
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
        getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS has the second alone
    finally:
        os.close(descriptor)


def _whole_lines(descriptor: int, file: Path) -> int:
    """Octets up to the end of the last whole line; what is behind it is put aside, unless it is a record."""
    size = os.fstat(descriptor).st_size
    end = _last_end(descriptor, size)
    if end == size:
        return end
    torn = os.pread(descriptor, size - end, end)
    records, rest = framing.within(torn)
    framing.put_aside(file, [(_lines(descriptor, end), rest)] if rest else [], "is the rest of an unfinished record")
    os.ftruncate(descriptor, end)
    if not records:
        return end
    whole = torn[: torn.rindex(b"}") + 1] + b"\n"
    _write(descriptor, whole, end)
    return end + len(whole)


def _last_end(descriptor: int, end: int) -> int:
    """The end of the last line at or before `end`."""
    while end > 0:
        begin = max(0, end - BLOCK)
        at = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0


def _lines(descriptor: int, end: int) -> int:
    """How many lines end before `end`."""
    return sum(os.pread(descriptor, min(BLOCK, end - at), at).count(b"\n") for at in range(0, end, BLOCK))
