"""The reports of a live job as lines, a monitored channel as a table, and the state of a timed test."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sojourn.cli import output
from sojourn.cli.display import Display
from sojourn.cli.progress import ProgressLine, live_line
from sojourn.live import Report
from sojourn.units import format_size, format_value, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from enum import StrEnum

    from sojourn.cli.events import Events
    from sojourn.jobs import Progress

__all__ = ["Report", "Watcher", "line", "survey_table"]

INTERVAL_S = 1.0
MOST_ROWS = 20
RELAY_COUNTS = {
    "lost": "lost at random",
    "queue_drops": "dropped by the full queue",
    "outage_drops": "dropped in the outage",
    "duplicated": "duplicated",
    "reordered": "reordered",
    "unreachable": "unreachable",
}
"""Counters of the network emulator, for datagrams and connections."""
PHASES = ("idle", "loaded", "recovery", "warm-up", "measured")
"""Phases of a timed test."""
MESSAGES = ("listening", "strangers", "note", "log")
"""Reports on the server itself."""


def line(report: Report, form: StrEnum | None = None) -> str:
    """A report as text or as JSON."""
    if form is not None and form.value == "json":
        return json.dumps(dataclasses.asdict(report))
    if report.kind == "listening":
        return f"listening at {report.peer}; Ctrl-C ends it"
    if report.kind in ("strangers", "note"):
        return report.ended
    if report.kind == "log":
        return f"time={datetime.now(UTC).isoformat(timespec='milliseconds')} {report.ended}"
    words = {"session": _session, "forward": _relayed, "reverse": _relayed, "connections": _relayed}
    return words.get(report.kind, _transaction)(report)


def _session(report: Report) -> str:
    """A session of the measurement server."""
    load = f", {format_size(report.bytes)} of load" if report.bytes else ""
    time = format_value(report.seconds, "s")
    named = f" (key {report.key})" if report.key else ""
    return f"session with {report.peer}{named}: {report.messages} probes{load} in {time}, {report.ended}"


def _relayed(report: Report) -> str:
    """What the network emulator did with the datagrams of one direction, or with all connections."""
    if report.kind == "connections":
        text = (
            f"TCP: {report.messages} connections with {report.peer}, {format_size(report.counts['forward'])} forward, "
        )
        text += f"{format_size(report.counts['reverse'])} reverse"
    else:
        preposition = "to" if report.kind == "forward" else "from"
        text = f"UDP {preposition} {report.peer}: {report.messages} datagrams, {format_size(report.bytes)}"
    counts = [f"{report.counts[name]} {words}" for name, words in RELAY_COUNTS.items() if report.counts.get(name)]
    return ", ".join([text, *counts])


def _transaction(report: Report) -> str:
    """A phase of a timed test, or the work of an association."""
    if report.kind in PHASES:
        ended = "" if report.ended == "answered" else f", {report.ended.removeprefix('answered, ')}"
        time = format_value(report.seconds, "s")
        return f"{report.kind} with {report.peer}: {report.messages} responses in {time}{ended}"
    parts = [_work(report), f"{report.retransmissions} packets retransmitted"]
    if report.injected_drops:
        parts.append(f"{report.injected_drops} datagrams dropped on purpose")
    parts.append(report.ended if report.well else f"failed: {report.ended}")
    text = f"{report.kind} with {report.peer}: " + ", ".join(parts)
    return f"{text} (SHA-256 {report.sha256})" if report.sha256 and report.well else text


def _work(report: Report) -> str:
    amount = format_size(report.bytes) if report.kind == "transfer" else f"{report.messages} messages"
    rate = f", {format_value(report.bit_rate, 'bit/s')}" if report.bit_rate and report.kind == "transfer" else ""
    return f"{amount} in {format_value(report.seconds, 's')}{rate}"


def survey_table(survey: dict[str, Any], most: int | None = None) -> str:
    """What is listened to.

    Of a radio channel totals, stations and the pairs that talk to each other, the busiest first; of a trunk of MS/TP
    totals and its stations; of a bus of CAN totals and its identifiers.
    """
    if not survey:
        return "nothing was heard"
    if "devices" in survey:
        return _trunk_table(survey, most)
    if "identifiers" in survey:
        return _bus_table(survey, most)
    head = (
        f"{format_value(survey['seconds'], 's')}: {survey['frames']} frames, utilisation {survey['utilisation']:.1%}, "
        f"{survey['retries']} retries, {survey['unreadable']} unreadable"
    )
    stations = [
        [row["callsign"], str(row["frames"]), percent(row["utilisation"], digits=1), f"{row['heard_s_ago']:.0f}"]
        for row in sorted(survey["stations"], key=lambda row: (-row["utilisation"], row["callsign"]))[:most]
    ]
    pairs = [
        [f"{row['from']} > {row['to']}"]
        + [str(row[field]) for field in ("frames", "information", "octets_of_information", "retries", "rejects")]
        + [str(row["unnumbered"])]
        for row in sorted(survey["pairs"], key=lambda row: (-row["frames"], row["from"], row["to"]))[:most]
    ]
    tables = [head]
    if stations:
        tables.append(output.table(stations, ["station", "frames", "utilisation", "heard s ago"]))
    if pairs:
        tables.append(output.table(pairs, ["from > to", "frames", "I", "octets", "retries", "REJ", "UI"]))
    return "\n\n".join(tables)


def _trunk_table(survey: dict[str, Any], most: int | None) -> str:
    """A trunk of MS/TP: totals, then its stations by address."""
    rotation = ""
    if survey["rotation_mean_s"] is not None:
        mean, longest = (format_value(survey[name], "s") for name in ("rotation_mean_s", "rotation_max_s"))
        rotation = f", rotation {mean} (max {longest})"
    head = (
        f"{format_value(survey['seconds'], 's')}: {survey['frames']} frames, utilisation {survey['utilisation']:.1%}, "
        f"{survey['tokens']} tokens{rotation}, {survey['tokens_lost']} lost, {survey['token_retries']} sent again, "
        f"{survey['polls_for_master']} polls for master, {survey['invalid']} invalid"
    )
    return "\n\n".join(part for part in (head, trunk_stations(survey["devices"][:most])) if part)


def _bus_table(survey: dict[str, Any], most: int | None) -> str:
    """A bus of CAN: totals, then its identifiers by priority."""
    load = "" if survey["load"] is None else f", load {survey['load']:.1%}"
    malformed = f", {survey['malformed']} malformed" if survey["malformed"] else ""
    head = f"{format_value(survey['seconds'], 's')}: {survey['frames']} frames{load}{malformed}"

    def known(value: float | None, unit: str) -> str:
        return "" if value is None else format_value(value, unit)

    rows = [
        [row["id"], str(row["frames"]), str(row["octets"]), known(row["frames_per_s"], "1/s")]
        + [known(row[f"interval_{field}_s"], "s") for field in ("mean", "min", "max")]
        + ([] if survey["load"] is None else [percent(row["load"], digits=2)])
        for row in survey["identifiers"][:most]
    ]
    columns = ["ID", "frames", "bytes", "rate", "interval", "shortest", "longest"]
    if not rows:
        return head
    return f"{head}\n\n" + output.table(rows, columns if survey["load"] is None else [*columns, "load"])


TRUNK_TIMES = {"Treply": "treply", "Tusage": "tusage", "Trpfm": "trpfm", "Tder": "tder", "Tpostpd": "tpostpd"}
"""Times of stations by the names of `mstpcap`, and their fields."""


def trunk_stations(rows: Sequence[dict[str, Any]]) -> str:
    """The stations of a trunk of MS/TP: counts, and the longest of each time."""
    if not rows:
        return ""

    def known(value: float | None) -> str:
        return "" if value is None else str(value)

    def time_of(value: float | None) -> str:
        return "" if value is None else format_value(value, "s")

    cells = [
        [str(row["mac"]), known(row["device"])]
        + [str(row[field]) for field in ("tokens", "token_retries", "polls")]
        + [known(row["max_master"]), known(row["npoll"])]
        + [str(row[field]) for field in ("max_info_frames", "der", "dner", "postponed")]
        + [time_of(row["rotation_mean_s"])]
        + [time_of(row[f"{field}_max_s"]) for field in TRUNK_TIMES.values()]
        for row in rows
    ]
    head = ["MAC", "device", "tokens", "again", "PFM", "MaxMstr", "Npoll", "MaxInfo", "DER", "DNER", "Postpd"]
    return output.table(cells, [*head, "rotation", *TRUNK_TIMES])


class Watcher:
    """Shows how far a live job is: a line, the state of a timed test, or on a radio channel the table of
    what was heard, once a second."""

    def __init__(self, events: Events | None = None) -> None:
        """Nothing is shown yet; `events` get the state of a timed test once a second."""
        self.survey: dict[str, Any] | None = None
        self._line = ProgressLine(words=live_line)
        self._display = Display()
        self._events = events
        self._shown_at = self._written_at = 0.0
        self._lines = 0

    def __call__(self, progress: Progress) -> None:
        """Takes a look at a job."""
        self.survey = progress.survey
        if progress.standing is not None:
            self._line.close()
            if self._line.is_for_a_program:
                self._line(progress)
            self._write(progress.standing)
            self._display(progress.standing)
        elif progress.survey is None:
            self._line(progress)
        elif sys.stderr.isatty() and time.monotonic() - self._shown_at >= INTERVAL_S:
            self._shown_at = time.monotonic()
            self._draw(survey_table(progress.survey, MOST_ROWS))

    def printing(self, form: StrEnum) -> Callable[[Report], None]:
        """Prints each report of a server: what concerns the server itself as a message, what was measured as data."""

        def on_report(report: Report) -> None:
            self.close()
            if report.kind in MESSAGES:
                output.print_message(line(report))
            else:
                output.data(line(report, form))

        return on_report

    def _write(self, standing: dict[str, Any]) -> None:
        if self._events is not None and time.monotonic() - self._written_at >= INTERVAL_S:
            self._written_at = time.monotonic()
            self._events.standing(standing)

    def _draw(self, text: str) -> None:
        self._erase()
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
        self._lines = text.count("\n") + 1

    def _erase(self) -> None:
        if self._lines:
            sys.stderr.write(f"\x1b[{self._lines}A\x1b[J")
            self._lines = 0

    def close(self) -> None:
        """Takes away what is shown."""
        self._line.close()
        self._display.close()
        self._erase()

    def __enter__(self) -> Watcher:
        """The watcher itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Takes away what is shown, whatever happened."""
        self.close()
