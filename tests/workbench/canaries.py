"""Secrets that are planted, one for each place, and the search for them in what is read."""

import base64
import gzip
import io
import re
import secrets
import zlib
from collections import Counter
from pathlib import Path

import polars as pl

from sojourn.web import WITHOUT_MARKUP

PACKED = re.compile(rb'<script type="text/plain"(?: id="live-data")?>([^<]+)</script>')
"""Data of a page, which may be packed in letters of base 85."""
LETTERS = bytes.maketrans(b"<>&".translate(WITHOUT_MARKUP), b"<>&")


class Canaries:
    """What was planted, and where it was found."""

    def __init__(self) -> None:
        self.planted: dict[str, str] = {}
        self.read: Counter[str] = Counter()
        self.found: set[tuple[str, str]] = set()

    def plant(self, place: str) -> str:
        """A secret of its own for a place: 128 random bits, so that it can be a key, too."""
        return self.planted.setdefault(place, secrets.token_hex(16))

    def search(self, kind: str, name: str, content: bytes | str) -> None:
        """Reads a content of a kind, also what is compressed in it."""
        self.read[kind] += 1
        octets = content.encode() if isinstance(content, str) else content
        readable = b"\n".join([octets, *_unpacked(octets)])
        self.found |= {(place, f"{kind} {name}") for place, text in self.planted.items() if text.encode() in readable}

    def search_folder(self, kind: str, folder: Path, except_for: tuple[str, ...] = ()) -> None:
        """Reads every file below a folder but for those whose path has one of these parts."""
        for file in sorted(folder.rglob("*")):
            path = str(file.relative_to(folder))
            if file.is_file() and not file.is_symlink() and not any(part in path for part in except_for):
                self.search(kind, path, file.read_bytes())

    def table(self) -> str:
        """How much was read of each kind, and how many secrets were found."""
        rows = [f"{kind:32} {count:6} read" for kind, count in sorted(self.read.items())]
        return "\n".join([*rows, f"{'planted':32} {len(self.planted):6}", f"{'found':32} {len(self.found):6}"])


def _unpacked(octets: bytes) -> list[bytes]:
    """What is compressed in a content: samples, and the data of a page."""
    if octets.startswith(b"PAR1"):
        return [pl.read_parquet(io.BytesIO(octets)).write_json().encode()]
    if octets.startswith(b"\x1f\x8b"):
        return [gzip.decompress(octets)]
    found = []
    for blob in PACKED.findall(octets):
        try:
            found.append(gzip.decompress(base64.b85decode(blob.translate(LETTERS))))
        except (ValueError, OSError, EOFError, zlib.error):
            continue
    return found
