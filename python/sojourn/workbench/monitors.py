"""A monitor that runs: its last windows, outages and alerts, read from the files that its command writes."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from sojourn.monitored import numbers, sentence
from sojourn.phrases import natural
from sojourn.units import scale

MOST_KEPT = 50
"""Monitors of which what was read is kept."""
MOST_WINDOWS = 120
"""Of a target in its figure."""
MOST_LISTED = 20
"""Windows of a target in its table."""
MOST_EVENTS = 50
HEAD, TAIL = 1 << 16, 4 << 20
"""Octets of the oldest file that are read for the names of targets, and of the newest one when it is first opened."""
WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 600, 140, 78, 20, 8
"""Of a figure, and of its margins, in its own units."""


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

    def course(self) -> dict[str, Any] | None:
        """The figure of its windows; None while there are fewer than two."""
        return None if len(self.windows) < 2 else _course(list(self.windows))


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


def _course(windows: list[dict[str, Any]]) -> dict[str, Any]:
    """Lines of median and 99 % quantile over time, bands where the target was in an outage."""
    times = [(_seconds(window["begin"]) + _seconds(window["end"])) / 2 for window in windows]
    begin, end = times[0], max(times[-1], times[0] + 1)
    known = {name: [_quantile(window, name) for window in windows] for name in ("p50", "p99")}
    values = [value for line in known.values() for value in line if value is not None]
    largest = max(values, default=0.0)
    fitting = scale("s", largest, "response_time")

    def x(at: float) -> float:
        return round(LEFT + (at - begin) / (end - begin) * (WIDTH - LEFT - ABOVE), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BELOW - value / (largest or 1.0) * (HEIGHT - BELOW - ABOVE), 1)

    away = [window["in_outage"] or not window["answered"] for window in windows]
    outages = [(x(one), x(other) - x(one)) for one, other in _spans(times, away)]
    paths = {
        name: _path([None if v is None else (x(at), y(v)) for at, v in zip(times, line, strict=True)])
        for name, line in known.items()
    }
    ends = [f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}" for at in (begin, end)]
    top = f"{fitting.number(largest):.3g} {fitting.unit}" if values else "no response"
    return {"paths": paths, "outages": outages, "top": top, "ends": ends}


def _spans(times: list[float], away: list[bool]) -> list[tuple[float, float]]:
    """The times in which a target was away, each to the middle between its windows and those beside them."""
    found: list[tuple[float, float]] = []
    edges = [times[0], *((one + other) / 2 for one, other in pairwise(times)), times[-1]]
    for (begin, end), is_away in zip(pairwise(edges), away, strict=True):
        if is_away and found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        elif is_away:
            found.append((begin, end))
    return found


def _path(points: list[tuple[float, float] | None]) -> str:
    """The path of a line with gaps."""
    parts, is_open = [], False
    for point in points:
        if point is not None:
            parts.append(f"{'L' if is_open else 'M'}{point[0]} {point[1]}")
        is_open = point is not None
    return "".join(parts)


def _quantile(window: dict[str, Any], name: str) -> float | None:
    value = (window["metrics"].get("response_time") or {}).get(name)
    return value if isinstance(value, int | float) else None


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
