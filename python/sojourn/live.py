"""Measuring a real network, being the other end of a measurement, listening, and a network emulator between two hosts.

A live job reports each transfer and each series of exchanges as soon as it has ended; what it measured comes back as
results of the same form as a simulation's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sojourn.bindings import extension, translated
from sojourn.errors import Interrupted
from sojourn.jobs import Outcome, Progress, outcome_of, wait_for

__all__ = ["Report", "answer", "listen", "measure", "relay"]


@dataclass(frozen=True)
class Report:
    """One association's work, from the end that tells it."""

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
    counts: dict[str, int] = field(default_factory=dict)


COMMON = ("seed", "replications", "out", "pcap", "set", "file")
"""Options that stand in a request itself, beside what it says of the network."""

Told = Callable[[Report], None]
Watch = Callable[[Progress], None]


def measure(url: str, told: Told | None = None, watch: Watch | None = None, **options: Any) -> Outcome:
    """Measures against the other end of a URL.

    Options: `exchanges`, `exchange_size`, `size`, `packet_size`, `inject_loss`; `expect`, a list of conditions; `file`,
    a scenario that says what is measured; by the clock `duration` and `plan`, which holds `rate`, `schedule`, `load`,
    `idle`, `recovery`, `voice`, `transport`, `timeout`, `dscp`, `ecn`, `bind`, `pacing`, `no_cpu_idle` and `key_file`;
    on the air `callsign`, `airtime`, `identify`, `profile`, `set`, `probe`, `via_node` (all as the command line takes
    them);
    and `seed`, `replications`, `out`, `pcap`.
    `Interrupted` on Ctrl-C, unless what was measured until then is worth something.
    """
    outcome, stopped = _run("measure", url, options, told, watch)
    if stopped and outcome.results is None:
        raise Interrupted("stopped")
    return outcome


def answer(url: str, told: Told | None = None, watch: Watch | None = None, **options: Any) -> None:
    """Serves until `count` visitors or sessions have ended, `duration` is over, or Ctrl-C.

    On a radio channel it is the far station. Over `sojourn://` it is the agent, whose option `serving` holds
    `key_file`, `open`, `no_cpu_idle` and `limit`, a list of `NAME=VALUE`.
    """
    _run("agent", url, options, told, watch)


def listen(url: str, told: Told | None = None, watch: Watch | None = None, **options: Any) -> Outcome:
    """Listens until `count` associations have ended or frames were heard, `duration` is over, or Ctrl-C.

    On a radio channel the outcome has results; on a network of hosts, where it is the other end of a measurement, none.
    """
    return _run("listen", url, options, told, watch)[0]


def relay(to: str, listen: str, told: Told | None = None, watch: Watch | None = None, **options: Any) -> None:
    """Forwards UDP and TCP to the remote host until `duration` is over, or Ctrl-C; the last reports hold its counts.

    Options: `delay`, `jitter`, `loss`, `duplication`, `reordering`, `reorder_delay`, `rate`, `queue`, `outage`,
    `direction`, `open`, `duration` and `seed`, all as the command line takes them.
    """
    common, asked = _parted(options)
    _job(common | {"command": "relay", "relay": {"to": to, "listen": listen} | asked}, told, watch)


def _run(
    command: str, url: str, options: dict[str, Any], told: Told | None, watch: Watch | None
) -> tuple[Outcome, bool]:
    """Speaks to the other end of a URL, and whether Ctrl-C ended it; then it has taken leave of its peers."""
    common, asked = _parted(options)
    return _job(common | {"command": command, "live": {"url": url} | asked}, told, watch)


def _parted(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stands in the request itself, and the rest, as far as anything is said."""
    common = {key: options.pop(key) for key in COMMON if options.get(key)}
    return common, {key: value for key, value in options.items() if value not in (None, [], (), {})}


def _job(request: dict[str, Any], told: Told | None, watch: Watch | None) -> tuple[Outcome, bool]:
    """Runs a live job to its end, and whether Ctrl-C ended it."""
    with translated():
        job = extension().start(json.dumps(request, default=str))
        teller = _Teller(job, told)

        def look(progress: Progress) -> None:
            if watch is not None:
                watch(progress)
            teller.tell()

        stopped = False
        try:
            text = wait_for(job, look)
        except KeyboardInterrupt:
            stopped = True
            job.cancel()
            text = wait_for(job, None)
            teller.tell()
    raw = json.loads(text)
    return outcome_of(raw | {"status": "done"} if stopped else raw, job), stopped


class _Teller:
    """Hands on each report once."""

    def __init__(self, job: Any, told: Told | None) -> None:
        self._job = job
        self._told = told
        self._next = 0

    def tell(self) -> None:
        """Hands on what is new."""
        for raw in json.loads(self._job.reports(self._next)):
            self._next += 1
            if self._told is not None:
                self._told(Report(**raw))
