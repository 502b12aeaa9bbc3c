"""Records from folders of results and of monitors, for a history that is made anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sojourn import framing
from sojourn.errors import ResultsError, SojournError, UserError
from sojourn.jobs import Outcome
from sojourn.overwriting import RESULTS
from sojourn.reading import json_of, text_of
from sojourn.results import Results
from sojourn.secret import shown_document
from sojourn.store.records import MESH, MONITOR, MonitorRecords, build_and_host, of_run

OF_MONITOR = "monitor-*.jsonl"
DIGITS = 32
Record = dict[str, Any]


class Unread(list[str]):
    """Sentences about what did not read."""


def records(folders: Iterable[Path], unread: Unread) -> Iterator[list[Record]]:
    """The records of each run and of each file of a monitor below some folders; what does not read is named."""
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder")
        for file in sorted(folder.rglob(RESULTS)):
            try:
                yield [_of_results(file.parent)]
            except (SojournError, OSError) as error:
                unread.append(str(error))
        for place in sorted({file.parent for file in folder.rglob(OF_MONITOR)}):
            yield from _of_monitor(place)


def _of_results(folder: Path) -> Record:
    text = text_of(folder / RESULTS)
    results = Results.parse(text, name=str(folder / RESULTS))
    provenance = json_of(folder / "provenance.json", {})
    try:
        outcome = Outcome(
            results,
            provenance,
            verdicts=json_of(folder / "verdicts.json", []),
            failures=[point for point in results.raw["points"] if point["status"] != "ok"],
            answer=json_of(folder / "find.json", None),
        )
        record = of_run(outcome, _document(folder))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{folder} has no results of a run, or not all of them: {error}") from None
    identity = hashlib.sha256(f"{text}{json.dumps(provenance, sort_keys=True)}".encode()).hexdigest()[:DIGITS]
    return record | {"text": record["text"] or None, "uuid": identity, "folder": str(folder.resolve())}


def _document(folder: Path) -> str:
    """The document as it was given, else as it was expanded; empty where the folder has none."""
    document = json_of(folder / "document.json", {})
    if isinstance(document, dict) and isinstance(document.get("text"), str):
        return shown_document(document["text"])
    expanded = folder / "scenario.toml"
    return shown_document(text_of(expanded)) if expanded.exists() else ""


def _of_monitor(folder: Path) -> Iterator[list[Record]]:
    """The records of the files of a monitor, file by file; damaged lines are put aside."""
    monitor = _Monitor(folder)
    for file in sorted(folder.glob(OF_MONITOR)):
        found, damaged = [], []
        with file.open("rb") as lines:
            for number, octets in enumerate(lines):
                try:
                    found += monitor.of_line(octets)
                except (framing.Damaged, KeyError, TypeError, ValueError, AttributeError):
                    damaged.append((number, octets))
        framing.put_aside(file, damaged)
        yield found


class _Monitor:
    """The monitors that wrote to a folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._host = build_and_host()
        self._records = self._begun(str(self._folder).encode(), {})

    def of_line(self, octets: bytes) -> list[Record]:
        """The records of a line; the host is taken to be this one, which no line has."""
        line = framing.read(octets).members
        if line["type"] == "monitor" and line["event"] == "begin":
            self._records = self._begun(octets, line)
        return list(self._records.of_line(line))

    def _begun(self, octets: bytes, line: Record) -> MonitorRecords:
        host = self._host | {"sojourn": line.get("version"), "commit": None}
        command = MESH if line.get("mesh") else MONITOR
        request = {
            "command": command,
            "file": None,
            "folder": str(self._folder),
            "urls": [url for _, url in line.get("targets", ())],
        }
        return MonitorRecords(request, host, hashlib.sha256(octets.rstrip()).hexdigest()[:DIGITS])
