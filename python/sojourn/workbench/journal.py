"""The files of jobs: `.sojourn/jobs/NUMBER` in the folder has what was asked for, its state, output and results."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sojourn.errors import UnknownName, UserError
from sojourn.workbench.asked import Asked

PLACE = ".sojourn/jobs"
RECORD = "job.json"
OUTPUT = "output.txt"
OUT = "results"
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

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return vars(self) | {"asked": self.asked.plain(), "state": self.state.value}

    @classmethod
    def of_plain(cls, raw: dict[str, Any]) -> Record:
        """From what `plain` returned."""
        return cls(**raw | {"asked": Asked.of_plain(raw["asked"]), "state": State(raw["state"])})


class Journal:
    """The jobs of a folder on disk."""

    def __init__(self, folder: Path) -> None:
        """Makes its place in the folder; `UserError` where a link is in its place."""
        self._place = folder / PLACE
        for part in (self._place.parent, self._place):
            if part.is_symlink():
                raise UserError(f"{part} is a link: jobs are kept in the folder itself")
        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self) -> list[Record]:
        """All jobs by number; those that ran when the server ended have stopped."""
        found = []
        for record in self._records():
            if record.state.has_ended:
                found.append(record)
            else:
                found.append(
                    replace(record, state=State.stopped, message="the server ended; continue from what is done")
                )
                self.write(found[-1])
        return sorted(found, key=lambda record: record.number)

    def _records(self) -> Iterator[Record]:
        for file in self._place.glob(f"*/{RECORD}"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                record = Record.of_plain(json.loads(file.read_text(encoding="utf-8")))
                if record.number == int(file.parent.name):
                    yield record

    def create(self, asked: Asked, now_s: float) -> Record:
        """A new job with the next number."""
        numbers = [int(entry.name) for entry in self._place.iterdir() if entry.name.isdigit()]
        if len(numbers) >= MOST_KEPT:
            raise UserError(f"there are {MOST_KEPT} jobs: remove some of them")
        number = max(numbers, default=0) + 1
        self.folder(number).mkdir(mode=0o700)
        record = Record(number, asked, State.waiting, now_s)
        self.write(record)
        return record

    def write(self, record: Record) -> None:
        """Replaces the record as a whole."""
        folder = self.folder(record.number)
        part = folder / f"{RECORD}.part"
        part.write_text(json.dumps(record.plain(), indent=1, ensure_ascii=False), encoding="utf-8")
        part.replace(folder / RECORD)

    def folder(self, number: int) -> Path:
        """The folder of a job."""
        return self._place / f"{number:04}"

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
        """Whether its results miss an expectation."""
        file = self.file(number, "verdicts.json")
        if file is None:
            return False
        with suppress(OSError, ValueError, TypeError, KeyError):
            return any(row["verdict"] == "missed" for row in json.loads(file.read_text(encoding="utf-8")))
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
