"""Frames that show damage: a checksum in every record.

A record is a JSON object whose last member is the CRC-32 of the octets before it, so that it stays a line of JSON for
other programs. A record without one, which an earlier version wrote, is read as it is. What does not read is put aside
in `FILE.damaged` and named in one sentence on standard error: nothing is lost, and everything else is read.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMBER = "crc32"
DAMAGED = ".damaged"
MOST_NAMED = 5
"""Lines that a sentence about damage names."""
_END = re.compile(rb',\s*"crc32":\s*"([0-9a-f]{8})"\s*\}\s*\Z')
_WITHIN = re.compile(rb',"crc32":"[0-9a-f]{8}"\}')
_LONGEST_END = 64


class Damaged(ValueError):  # noqa: N818 - the name states the error
    """Octets that do not read as a record, or not as the one that was written."""


@dataclass(frozen=True)
class Record:
    """A record that was read."""

    members: dict[str, Any]
    is_checked: bool
    """Whether it has a checksum, which matches."""


def framed(text: str) -> bytes:
    """The text of a JSON object that has members, with its checksum, without a line end."""
    # a path may hold octets that are not text, which neither a database nor another program takes
    body = text[: text.rindex("}")].rstrip().encode(errors="replace")
    return b'%b,"%b":"%08x"}' % (body, MEMBER.encode(), zlib.crc32(body))


def read(octets: bytes) -> Record:
    """The record of these octets; `Damaged` where they do not read."""
    begin = max(0, len(octets) - _LONGEST_END)
    end = _END.search(octets, begin)
    if end is not None and zlib.crc32(octets[: end.start()]) != int(end[1], 16):
        raise Damaged("its checksum is another one")
    try:
        found = json.loads(octets.decode())
    except UnicodeDecodeError:
        raise Damaged("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise Damaged("it is not JSON") from None
    if not isinstance(found, dict) or (MEMBER in found and end is None):
        raise Damaged("it is not a record")
    found.pop(MEMBER, None)
    return Record(found, end is not None)


def within(octets: bytes) -> tuple[list[Record], bytes]:
    """The records that damaged octets hold whole, and what is left of them.

    A line end that changed makes one line of two records, or leaves the last one without an end.
    """
    records, rest, begin = [], [], 0
    for match in _WITHIN.finditer(octets):
        piece = octets[begin : match.end()]
        begin = match.end()
        for skipped in (0, 1):
            with suppress(Damaged):
                record = read(piece[skipped:])
                if record.is_checked:
                    records.append(record)
                    rest.append(piece[:skipped])
                    break
        else:
            rest.append(piece)
    left = b"".join([*rest, octets[begin:]])
    # the line ends alone are nothing that a record had
    return records, left if len(left) > len(records) else b""


def put_aside(file: Path, lines: Sequence[tuple[int, bytes]], why: str = "") -> None:
    """Keeps damaged lines of a file, given with their numbers from 0, beside it; says so in one sentence.

    Lines that are there already, as after a kill before the others were stored, are not added again.
    """
    if not lines:
        return
    aside = file.with_name(f"{file.name}{DAMAGED}")
    descriptor = os.open(aside, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "rb+") as kept:
        known = kept.read().split(b"\n")
        kept.writelines(line.rstrip(b"\n") + b"\n" for _, line in lines if line.rstrip(b"\n") not in known)
        kept.flush()
        os.fsync(kept.fileno())
    say(f"{where(file, [number + 1 for number, _ in lines])} {why or _reads_not(len(lines))}: kept in {aside}")


def where(file: Path, numbers: Sequence[int]) -> str:
    """A file and the numbers of its lines, from 1."""
    shown = ", ".join(map(str, numbers[:MOST_NAMED]))
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    return f"{file}: {'line' if len(numbers) == 1 else 'lines'} {shown}{more}"


def say(sentence: str) -> None:
    """One sentence on standard error."""
    with suppress(OSError, ValueError, AttributeError):  # a service may have none
        sys.stderr.write(f"sojourn: {sentence}\n")
        sys.stderr.flush()


def _reads_not(count: int) -> str:
    return "does not read" if count == 1 else "do not read"
