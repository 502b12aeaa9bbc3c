"""Real networks: measuring them, serving as the other end of a measurement, listening, and the network emulator.

A live job reports each transfer and each series of exchanges as soon as it has ended; what it measured comes back as
results of the same form as a simulation's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sojourn import overwriting
from sojourn.bindings import translated
from sojourn.errors import Interrupted
from sojourn.jobs import POLL_INTERVAL_S, Outcome, Progress, outcome_of, started, wait_for

__all__ = [
    "Agent",
    "Change",
    "Listen",
    "Measure",
    "Monitor",
    "Relay",
    "Report",
    "agent",
    "changes",
    "listen",
    "measure",
    "mesh",
    "monitor",
    "relay",
]

MONITOR_INTERVAL_S = 0.5
"""How often a monitor is looked at: it may run for months, beside other work."""


@dataclass(frozen=True)
class Change:
    """A key that an option sets, and the text that an error shows."""

    key: str
    value: str
    argument: str


@dataclass(frozen=True)
class Report:
    """One association's work, from the end that reports it."""

    kind: str
    peer: str
    bytes: int
    messages: int
    seconds: float
    bit_rate: float
    retransmissions: int
    injected_drops: int
    sha256: str | None
    ended: str
    well: bool
    key: str | None = None
    """Name of the key that a session of an agent was opened with."""
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measurement by a document, by the defaults of a peer's transport, or both."""

    peer: str | None = None
    """URL of the peer, in place of the document's `measure.peer`."""
    file: Path | None = None
    options: Sequence[Change] = ()
    load: Sequence[str] = ()
    """Loads in short: `tcp:4,down`, `udp:50 Mbit/s`."""
    set: Sequence[str] = ()
    """Overrides, each `KEY=VALUE`."""
    over: Sequence[str] = ()
    """Axes, each `KEY=VALUES`."""
    expect: Sequence[str] = ()
    """Conditions that every phase should meet."""
    seed: int | None = None
    replications: int | None = None
    out: Path | None = None
    pcap: Path | None = None
    overwrite: bool = False
    """Whether files that are not this request's own may be replaced."""


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """Targets that are measured in windows, without an end: those of a monitor, or agents that measure each other."""

    file: Path | None = None
    """A document with `[[target]]`, or with `[[agent]]` of a mesh."""
    urls: Sequence[str] = ()
    """Further targets, with the defaults."""
    options: Sequence[Change] = ()
    set: Sequence[str] = ()
    expect: Sequence[str] = ()
    """Conditions of all targets."""
    folder: Path | None = None
    """Of the files of windows, outages and alerts."""
    duration: str | None = None
    on_alert: str | None = None
    """Command that the shell runs with the line of each alert on its input."""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """The measurement server, or the far station of a radio channel."""

    url: str
    key_file: Path | None = None
    open: bool = False
    no_cpu_idle: bool = False
    measures: Sequence[str] = ()
    """Networks whose agents it measures for clients with its key, each `10.0.0.0/8`."""
    limit: Sequence[str] = ()
    """Limits, each `NAME=VALUE`."""
    options: Sequence[Change] = ()
    set: Sequence[str] = ()
    count: int | None = None
    """Ends after this many sessions."""
    duration: str | None = None
    inject_loss: str | None = None
    seed: int | None = None
    pcap: Path | None = None
    overwrite: bool = False
    """Whether files that are not this request's own may be replaced."""


@dataclass(frozen=True, kw_only=True)
class Listen:
    """A reflector of XTP, STAMP or an echo, or a monitor of a radio channel."""

    url: str
    key_file: Path | None = None
    options: Sequence[Change] = ()
    set: Sequence[str] = ()
    count: int | None = None
    """Ends after this many associations, or frames on the air."""
    duration: str | None = None
    inject_loss: str | None = None
    seed: int | None = None
    out: Path | None = None
    pcap: Path | None = None
    overwrite: bool = False
    """Whether files that are not this request's own may be replaced."""


@dataclass(frozen=True, kw_only=True)
class Relay:
    """The network emulator in front of a remote host."""

    to: str
    listen: str
    options: Sequence[Change] = ()
    """The impairments: `delay`, `jitter`, `loss`, ..."""
    open: bool = False
    outage: str | None = None
    scenario: Path | None = None
    """A scenario of kind `ip`: the path between the hosts of its probe is emulated, with its events."""
    set: Sequence[str] = ()
    seed: int | None = None


OnReport = Callable[[Report], None]
OnProgress = Callable[[Progress], None]


def changes(options: Mapping[str, tuple[str, object]]) -> list[Change]:
    """The keys that options set: `{"--rate": ("measure.rate", "50 /s")}`; an option that is not given sets none."""
    given = [
        (option, key, _written(value))
        for option, (key, value) in options.items()
        if value is not None and value is not False
    ]
    return [Change(key, value, f"{option} {value}") for option, key, value in given]


def measure(request: Measure, on_report: OnReport | None = None, on_progress: OnProgress | None = None) -> Outcome:
    """Measures. `Interrupted` on Ctrl-C, unless what was measured until then has results."""
    outcome, stopped = _job("measure", request, on_report, on_progress)
    if stopped and outcome.results is None:
        raise Interrupted("stopped")
    return outcome


def monitor(request: Monitor, on_line: Callable[[dict[str, Any], str], None], command: str = "monitor") -> None:
    """Monitors until `duration` has passed, or Ctrl-C. Each line is passed on parsed and as written."""

    def on_report(report: Report) -> None:
        if report.kind == "monitor":
            on_line(json.loads(report.ended), report.ended)

    _job(command, request, on_report, None, interval_s=MONITOR_INTERVAL_S)


def mesh(request: Monitor, on_line: Callable[[dict[str, Any], str], None]) -> None:
    """Has the agents of a document measure each other, as `monitor` does its targets."""
    monitor(request, on_line, command="mesh")


def agent(request: Agent, on_report: OnReport | None = None, on_progress: OnProgress | None = None) -> None:
    """Serves until `count` sessions or `duration` have ended, or Ctrl-C."""
    _job("agent", request, on_report, on_progress)


def listen(request: Listen, on_report: OnReport | None = None, on_progress: OnProgress | None = None) -> Outcome:
    """Reflects until `count` associations or `duration` have ended, or Ctrl-C; a monitor's outcome has results."""
    return _job("listen", request, on_report, on_progress)[0]


def relay(request: Relay, on_report: OnReport | None = None, on_progress: OnProgress | None = None) -> None:
    """Forwards until its duration has ended, or Ctrl-C; the last reports are its counters."""
    _job("relay", request, on_report, on_progress)


def _written(value: object) -> str:
    return "true" if value is True else str(value)


def _job(
    command: str,
    request: Measure | Monitor | Agent | Listen | Relay,
    on_report: OnReport | None,
    on_progress: OnProgress | None,
    interval_s: float = POLL_INTERVAL_S,
) -> tuple[Outcome, bool]:
    """Runs a live job to its end, and whether Ctrl-C ended it; then it has closed its sessions."""
    overwriting.refuse(asdict(request))
    given = {key: value for key, value in asdict(request).items() if value not in (None, (), [], False)}
    given.pop("overwrite", None)
    given["command"] = command
    with translated():
        job = started(given)
        reports = _Reports(job, on_report)

        def look(progress: Progress) -> None:
            if on_progress is not None:
                on_progress(progress)
            reports.forward()

        stopped = False
        try:
            text = wait_for(job, look, interval_s)
        except KeyboardInterrupt:
            stopped = True
            job.cancel()
            text = wait_for(job, None)
            reports.forward()
    raw = json.loads(text)
    return outcome_of(raw | {"status": "done"} if stopped else raw, job), stopped


class _Reports:
    """Forwards each report once."""

    def __init__(self, job: Any, on_report: OnReport | None) -> None:
        self._job = job
        self._on_report = on_report
        self._next = 0

    def forward(self) -> None:
        """Forwards what is new."""
        for raw in json.loads(self._job.reports(self._next)):
            self._next += 1
            if self._on_report is not None:
                self._on_report(Report(**raw))
