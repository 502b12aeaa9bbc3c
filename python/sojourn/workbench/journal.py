"""The files of jobs: `.sojourn/jobs/NUMBER` in the folder has what was asked for, its state, output and results."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sojourn import framing
from sojourn.errors import UnknownName, UserError
from sojourn.workbench.asked import Asked, Command

PLACE = ".sojourn/jobs"
RECORD = "job.json"
OUTPUT = "output.txt"
OUT = "results"
SNAPSHOT = "snapshot"
"""What the job computes: the scenario and the files that it names, as they were when it was asked for."""
BEGUN = ".new-"
"""Begin of the name of a folder that is not a job yet."""
MOST_KEPT = 1000
"""Jobs of a folder; more are refused until some are removed."""
MOST_SHOWN_OCTETS = 256 * 1024
"""Of the output that a page shows."""


class State(StrEnum):
    """How far a job is."""

    waiting = "waiting"
    running = "running"
    done = "done"
    missed = "missed"
    """Done, and an expectation is missed."""
    failed = "failed"
    stopped = "stopped"
    """By a visitor or with the server: continuing finds the finished replications again."""
    damaged = "record damaged"
    """Its record does not read: what was asked for is lost, its results are not."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self not in (State.waiting, State.running)


@dataclass(frozen=True)
class Record:
    """What is kept of a job."""

    number: int
    asked: Asked
    state: State
    created_s: float
    """Seconds since 1970."""
    began_s: float | None = None
    ended_s: float | None = None
    message: str = ""
    """The last lines that it wrote beside its progress."""
    by: str = ""
    """The link of the visitor who asked for it; empty of jobs that earlier versions began."""
    build: str = ""
    """Identity of the build that computes it."""
    acts: tuple[tuple[float, str, str], ...] = ()
    """Who stopped or continued it: time, link and what."""

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return vars(self) | {"asked": self.asked.plain(), "state": self.state.value}

    @classmethod
    def of_plain(cls, raw: dict[str, Any]) -> Record:
        """From what `plain` returned."""
        acts = tuple((float(at), str(by), str(what)) for at, by, what in raw.get("acts", ()))
        return cls(**raw | {"asked": Asked.of_plain(raw["asked"]), "state": State(raw["state"]), "acts": acts})


class Journal:
    """The jobs of a folder on disk."""

    def __init__(self, folder: Path) -> None:
        """Makes its place in the folder; `UserError` where a link is in its place."""
        self._place = folder / PLACE
        for part in (self._place.parent, self._place):
            if part.is_symlink():
                raise UserError(f"{part} is a link: jobs are kept in the folder itself")
        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for begun in self._place.glob(f"{BEGUN}*"):
            shutil.rmtree(begun, ignore_errors=True)

    def read(self) -> list[Record]:
        """All jobs by number; those that ran when the server ended have stopped."""
        found = []
        for number in self._numbers():
            record = self._record(number)
            if record is not None and not record.state.has_ended:
                record = replace(record, state=State.stopped, message="the server ended; continue from what is done")
                self.write(record)
            found += [record] if record is not None else []
        return sorted(found, key=lambda record: record.number)

    def _record(self, number: int) -> Record | None:
        """The record of a job; None where its folder holds none, as after a kill before it began."""
        file = self.folder(number) / RECORD
        try:
            octets = file.read_bytes()
        except FileNotFoundError:
            left = (file.with_name(f"{RECORD}{framing.DAMAGED}"), self.results(number))
            return self._damaged(number) if any(one.exists() for one in left) else None
        except OSError as error:
            framing.say(f"{file}: {error.strerror or error}")
            return self._damaged(number)
        try:
            record = Record.of_plain(framing.read(octets).members)
            if record.number == number:
                return record
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        with suppress(OSError):  # on a full disk it stays where it is
            framing.put_aside(file, [(0, octets)], "does not read as the record of this job")
            file.unlink()
        return self._damaged(number)

    def _damaged(self, number: int) -> Record:
        """What is known of a job whose record does not read."""
        folder = self.folder(number)
        try:
            created_s = folder.stat().st_mtime
        except OSError:
            created_s = 0.0
        message = f"the record of this job is damaged; what is left of it is in {PLACE}/{folder.name}"
        return Record(number, Asked(Command.run, "?"), State.damaged, created_s, message=message)

    def _numbers(self) -> list[int]:
        return [int(entry.name) for entry in self._place.iterdir() if entry.name.isdigit()]

    def begin(self) -> Path:
        """A folder that becomes that of a job; what a killed server left of others is deleted when it starts again."""
        if len(self._numbers()) >= MOST_KEPT:
            raise UserError(f"there are {MOST_KEPT} jobs: remove some of them")
        return Path(tempfile.mkdtemp(prefix=BEGUN, dir=self._place))

    def create(self, asked: Asked, now_s: float, *, by: str = "", build: str = "", place: Path | None = None) -> Record:
        """A new job with the next number, in what was begun at `place`."""
        number = max(self._numbers(), default=0) + 1
        (place or self.begin()).rename(self.folder(number))
        record = Record(number, asked, State.waiting, now_s, by=by, build=build)
        self.write(record)
        return record

    def write(self, record: Record) -> None:
        """Replaces the record as a whole."""
        folder = self.folder(record.number)
        part = folder / f"{RECORD}.part"
        octets = framing.framed(json.dumps(record.plain(), indent=1, ensure_ascii=False))
        # what was asked for is whole, so that it can be run again
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(octets)
        part.replace(folder / RECORD)

    def folder(self, number: int) -> Path:
        """The folder of a job."""
        return self._place / f"{number:04}"

    def snapshot(self, number: int) -> Path:
        """The folder of what it computes."""
        return self.folder(number) / SNAPSHOT

    def results(self, number: int) -> Path:
        """The folder that its command writes results to."""
        return self.folder(number) / OUT

    def output(self, number: int) -> str:
        """What it wrote to standard output, the first part of a long one."""
        try:
            with (self.folder(number) / OUTPUT).open("rb") as stream:
                octets = stream.read(MOST_SHOWN_OCTETS + 1)
        except OSError:
            return ""
        cut = "\n..." if len(octets) > MOST_SHOWN_OCTETS else ""
        return octets[:MOST_SHOWN_OCTETS].decode(errors="replace") + cut

    def is_missed(self, number: int) -> bool:
        """Whether its results miss an expectation, as all alternatives of a comparison may."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            if (file := self.file(number, "verdicts.json")) is not None:
                return any(row["verdict"] == "missed" for row in json.loads(file.read_text(encoding="utf-8")))
            if (file := self.file(number, "results.json")) is not None:
                return bool(json.loads(file.read_text(encoding="utf-8"))["advice"]["outcome"] == "none")
        return False

    def file(self, number: int, name: str) -> Path | None:
        """A file of the results, unless it is a link."""
        file = self.results(number) / name
        return file if file.is_file() and not file.is_symlink() else None

    def remove(self, number: int) -> None:
        """Deletes a job with its results."""
        folder = self.folder(number)
        if not folder.is_dir() or folder.is_symlink():
            raise UnknownName(f"there is no job {number}")
        hidden = folder.with_name(f".{folder.name}")
        folder.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)
