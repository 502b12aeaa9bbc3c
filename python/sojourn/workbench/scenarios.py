"""The scenarios of the folder: list, read, check and save them, without following a link."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from sojourn.bindings import call
from sojourn.errors import ScenarioError, UnknownName, UserError
from sojourn.phrases import natural
from sojourn.workbench.confined import document_of, refuse_outside

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,94}\.toml")
MOST_OCTETS = 256 * 1024
"""Of a scenario."""
MOST_SHOWN = 500
"""Scenarios of a folder."""
NO_FOLLOW = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Changed(UserError):  # noqa: N818 - the name states the error
    """The file has another text than the one that was edited."""


@dataclass(frozen=True)
class Entry:
    """A scenario in the list."""

    name: str
    modified: float
    """Seconds since 1970."""
    title: str
    kind: str
    """Kind of network; "measurement", "monitor" or "mesh" of a document without stations; empty of what is not TOML."""


@dataclass(frozen=True)
class Text:
    """The text of a file and what identifies it."""

    text: str
    version: str


@dataclass(frozen=True)
class Checked:
    """What is wrong with a text, and what it is advised against."""

    problems: list[dict[str, Any]] = field(default_factory=list)
    """The first, each with message, help, file, line and column."""
    rendered: str = ""
    """The same with carets."""
    warnings: list[str] = field(default_factory=list)

    @property
    def is_valid(self) -> bool:
        """Whether it could be run."""
        return not self.problems and not self.rendered


class Scenarios:
    """The files of one folder."""

    def __init__(self, folder: Path) -> None:
        """The folder is there."""
        self.folder = folder
        self._heads: dict[str, tuple[Any, ...]] = {}

    async def list(self, heads: Callable[[list[str]], Awaitable[dict[str, list[str]]]]) -> list[Entry]:
        """Those that can be opened, in the natural order of their names.

        `heads` gives title and kind of those that have changed.
        """
        with os.scandir(self.folder) as found:
            rows = [
                (entry.name, entry.stat(follow_symlinks=False))
                for entry in found
                if NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
            ]
        states = dict(sorted(rows, key=lambda row: natural(row[0]))[:MOST_SHOWN])
        versions = {name: (state.st_mtime, state.st_size) for name, state in states.items()}
        known = {name: head for name, head in self._heads.items() if head[:2] == versions.get(name)}
        read = await heads([name for name in states if name not in known])
        self._heads = known | {name: (*versions[name], *head) for name, head in read.items()}
        return [Entry(name, state.st_mtime, *self._heads[name][2:]) for name, state in states.items()]

    def read(self, name: str) -> Text:
        """The text of one; `UnknownName` where there is none."""
        with self._opened(name) as stream:
            octets = stream.read(MOST_OCTETS + 1)
        if len(octets) > MOST_OCTETS:
            raise UnknownName(f"{name} has more than {MOST_OCTETS // 1024} KiB")
        try:
            return Text(octets.decode(), version_of(octets))
        except UnicodeDecodeError:
            raise UnknownName(f"{name} is not UTF-8") from None

    def path(self, name: str) -> Path:
        """The path of one that is there."""
        self.read(name)
        return self.folder / name

    def save(self, name: str, text: str, version: str | None) -> Text:
        """Replaces a text as a whole, if it still is the one of this version; None for a file that is new.

        Which files it names was checked before.
        """
        refuse_name(name)
        octets = _octets(text)
        with self._beside(octets, mode=self._mode(name)) as part:
            if version is None:
                try:
                    os.link(part, self.folder / name)
                except FileExistsError:
                    raise Changed(f"{name} exists already") from None
            else:
                if self.read(name).version != version:
                    raise Changed(f"{name} was changed meanwhile; your text is below, and nothing was written")
                part.replace(self.folder / name)
        return Text(text, version_of(octets))

    def check(self, name: str, text: str | None = None, settings: Sequence[str] = ()) -> Checked:
        """Checks a file, or a text in its place, with settings `KEY=VALUE`."""
        if text is None:
            text = self.read(name).text
        try:
            refuse_outside(self.folder, text, settings)
            with self._beside(_octets(text)) as part:
                return self._checked(part, name, settings)
        except UserError as error:
            return Checked(rendered=str(error))

    def document(self, text: str) -> dict[str, Any] | None:
        """A text with the files that it names, to be simulated elsewhere; None of one with mistakes."""
        try:
            refuse_outside(self.folder, text)
            with self._beside(_octets(text)) as part:
                found: dict[str, Any] | None = json.loads(call("document", str(part), []))
        except UserError:
            return None
        return found

    def _checked(self, part: Path, name: str, settings: Sequence[str]) -> Checked:
        try:
            found = call("warnings", str(part), list(settings))
        except ScenarioError as error:
            shown = str(error).replace(str(part), name).replace(part.name, name)
            problems = [{**one, "file": _named(one.get("file"), part, name)} for one in error.problems]
            return Checked(problems, shown)
        return Checked(warnings=[line.replace(str(part), name) for line in found])

    @contextmanager
    def _beside(self, octets: bytes, mode: int | None = None) -> Iterator[Path]:
        """A text in a file of its own in the folder, since it names other files relative to it; with a mode to stay."""
        part = self.folder / f".sojourn-{secrets.token_hex(8)}.toml"
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(octets)
                stream.flush()
                if mode is not None:
                    os.fchmod(handle, mode)
                    os.fsync(handle)
            yield part
        finally:
            with suppress(FileNotFoundError):
                part.unlink()

    def remove_left(self, age_s: float = 0.0) -> None:
        """Deletes what a process that was killed left of checks that began so long ago."""
        for part in self.folder.glob(".sojourn-*.toml"):
            with suppress(OSError):
                if time.time() - part.lstat().st_mtime >= age_s:
                    part.unlink()

    def _opened(self, name: str) -> BinaryIO:
        """A regular file, no link and no pipe."""
        refuse_name(name)
        try:
            handle = os.open(self.folder / name, os.O_RDONLY | NO_FOLLOW)
        except OSError:
            raise UnknownName(f"there is no scenario {name} in this folder") from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise UnknownName(f"{name} is not a file")
        return os.fdopen(handle, "rb")

    def _mode(self, name: str) -> int:
        try:
            return stat.S_IMODE((self.folder / name).lstat().st_mode)
        except OSError:
            return 0o644


def refuse_name(name: str) -> None:
    """`UnknownName` for a name that no scenario has."""
    if not NAME.fullmatch(name):
        raise UnknownName("a scenario's name has letters, digits, spaces and . _ -, and ends in .toml")


def head_of(text: str) -> tuple[str, str]:
    """Title and kind of a document; empty where it is not TOML."""
    try:
        document = document_of(text)
    except UserError:
        return "", ""
    network = document.get("network")
    kind = network.get("kind") if isinstance(network, dict) else ""
    if "target" in document:
        kind = "monitor"
    elif "agent" in document:
        kind = "mesh"
    elif "measure" in document and not document.keys() & {"station", "stations"}:
        kind = "measurement"
    return str(document.get("title") or ""), str(kind or "")


def question_of(text: str) -> str:
    """The question that a scenario asks in words; empty without one."""
    try:
        question = document_of(text).get("question")
    except UserError:
        return ""
    asked = question.get("text") if isinstance(question, dict) else ""
    return asked if isinstance(asked, str) else ""


def version_of(octets: bytes) -> str:
    """What identifies a text."""
    return hashlib.sha256(octets).hexdigest()


def refuse_large(text: str) -> None:
    """`UserError` for a text that no scenario has."""
    if len(text.encode()) > MOST_OCTETS:
        raise UserError(f"a scenario has at most {MOST_OCTETS // 1024} KiB")


def _octets(text: str) -> bytes:
    text = text.replace("\r\n", "\n")
    refuse_large(text)
    return text.encode()


def _named(file: str | None, part: Path, name: str) -> str | None:
    return name if file in (str(part), part.name) else file
