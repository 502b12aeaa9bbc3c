"""A monitor that runs: its last windows, outages and alerts, read from the files that its command writes."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sojourn.monitored import numbers, sentence
from sojourn.phrases import natural
from sojourn.workbench.courses import course

MOST_KEPT = 50
"""Monitors of which what was read is kept."""
MOST_WINDOWS = 120
"""Of a target in its figure."""
MOST_LISTED = 20
"""Windows of a target in its table."""
MOST_EVENTS = 50
HEAD, TAIL = 1 << 16, 4 << 20
"""Octets of the oldest file that are read for the names of targets, and of the newest one when it is first opened."""


@dataclass
class Target:
    """What is known of a target."""

    name: str
    url: str = ""
    state: str = "opening"
    outages: int = 0
    windows: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_WINDOWS))
    raised: dict[str, bool] = field(default_factory=dict)

    @property
    def last(self) -> dict[str, Any] | None:
        """Its last window."""
        return self.windows[-1] if self.windows else None

    @property
    def numbers(self) -> tuple[str, str, str]:
        """Median, 99 % quantile and losses of that."""
        return numbers(self.last)

    @property
    def alerts(self) -> list[str]:
        """The conditions whose alert is raised."""
        return [text for text, is_raised in self.raised.items() if is_raised]

    def rows(self) -> list[dict[str, Any]]:
        """The last windows for a table, the latest first."""
        return [_row(window) for window in reversed(list(self.windows)[-MOST_LISTED:])]

    def drawn(self) -> dict[str, Any] | None:
        """The figure of its windows; None while there are fewer than two."""
        return None if len(self.windows) < 2 else course(list(self.windows))


class Monitors:
    """What was read of the monitors that visitors look at."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._kept: OrderedDict[int, Watched] = OrderedDict()

    def of(self, number: int, folder: Path) -> Watched:
        """What is known of the monitor of a job, which writes to a folder."""
        watched = self._kept.pop(number, None) or Watched(folder)
        self._kept[number] = watched
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return watched


class Watched:
    """The targets of one monitor."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        self._folder = folder
        self._lock = threading.Lock()
        self._file: Path | None = None
        self._at = 0
        self._rest = b""
        self.targets: dict[str, Target] = {}
        self.events: deque[str] = deque(maxlen=MOST_EVENTS)
        """What happened beside the windows, as sentences, the latest last."""
        self.version = 0
        """Counts the lines that were read."""

    def read(self) -> None:
        """Takes what was written since the last time."""
        with self._lock:
            self._read()

    def ordered(self) -> list[Target]:
        """The targets by name."""
        return sorted(self.targets.values(), key=lambda target: natural(target.name))

    def _read(self) -> None:
        files = sorted(self._folder.glob("monitor-*.jsonl"), key=lambda file: natural(file.name))
        if not files:
            return
        if self._file is None:
            self._begin(files)
        later = [file for file in files if self._file is not None and natural(file.name) >= natural(self._file.name)]
        for file in later:
            if file != self._file:
                self._file, self._at, self._rest = file, 0, b""
            self._take(file)

    def _begin(self, files: list[Path]) -> None:
        """Begins with the end of the newest file; the names of targets are where the monitor began."""
        for line in _lines(_octets(files[0], 0, HEAD)):
            if line["type"] == "monitor":
                self._name(line)
        self._file = files[-1]
        with suppress(OSError):
            self._at = max(0, self._file.stat().st_size - TAIL)

    def _take(self, file: Path) -> None:
        octets = self._rest + _octets(file, self._at, TAIL)
        self._at += len(octets) - len(self._rest)
        whole, newline, self._rest = octets.rpartition(b"\n")
        for line in _lines(whole + newline):
            self.version += 1
            self._line(line)

    def _name(self, line: dict[str, Any]) -> None:
        for name, url in line["targets"]:
            self.targets.setdefault(name, Target(name)).url = url

    def _line(self, line: dict[str, Any]) -> None:
        kind, name = line["type"], line.get("target")
        target = self.targets.setdefault(name, Target(name)) if name else None
        if kind == "monitor" and line["event"] == "begin":
            self._name(line)
        if kind != "window":
            self.events.append(sentence(line))
        if target is None:
            return
        if kind == "window":
            target.windows.append(line)
            target.state = "outage" if line["in_outage"] else "up" if line["answered"] else target.state
        elif kind == "outage":
            target.state = "outage" if line["event"] == "begin" else "up"
            target.outages += line["event"] == "begin"
        elif kind == "alert":
            target.raised[line["condition"]] = line["event"] == "raised"


def _octets(file: Path, begin: int, most: int) -> bytes:
    """A part of a file, never by a link; empty where it was deleted meanwhile."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            stream.seek(begin)
            return stream.read(most)
    except OSError:
        return b""


def _lines(octets: bytes) -> Iterator[dict[str, Any]]:
    """The lines of a part of a file; what was cut or damaged is left out."""
    for text in octets.split(b"\n"):
        with suppress(ValueError):
            line = json.loads(text)
            if isinstance(line, dict) and "type" in line:
                yield line


def _row(window: dict[str, Any]) -> dict[str, Any]:
    p50, p99, lost = numbers(window)
    missed = [one["text"] for one in window["conditions"] if one["verdict"] == "missed"]
    begin = window["begin"][:19].replace("T", " ")
    return {"begin": begin, "p50": p50, "p99": p99, "lost": lost, "sent": window["sent"], "missed": missed}
