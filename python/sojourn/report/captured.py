"""The report on an analysed capture: flows, conversations, a timeline, and what it cannot show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sojourn.capture_rows import CALL_TIMES, IDENTIFIER_TIMES, frames, lengths
from sojourn.report.table import Table
from sojourn.units import format_size, format_value

FILE = "capture.json"
MOST_ROWS = 20


def tables(folder: Path) -> list[Table]:
    """The tables of the capture in a folder of results; none where there is none."""
    found = _read(folder)
    if not found:
        return []
    shown = [
        _notable("Slowest transactions", found.get("slowest") or []),
        _notable("Lost transactions", found.get("lost") or []),
        _notable("Transactions sent again", found.get("retried") or []),
        _calls(found.get("calls") or []),
        _streams(found.get("streams") or []),
        _identifiers(found.get("identifiers") or []),
        _flows(found),
        _conversations(found),
        _timeline(found["steps"]),
    ]
    return [table for table in shown if table.rows]


def notes(folder: Path) -> str:
    """What the capture cannot show and what was wrong with it, in sentences; empty where there is none."""
    return " ".join(_read(folder).get("notes") or [])


def _read(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and "steps" in found else {}


def _flows(found: dict[str, Any]) -> Table:
    rows = [
        [
            f"{row['from']} to {row['to']}",
            row["service"],
            str(row["transactions"]),
            str(row["unanswered"] + row["refused"]),
            str(row["retries"]),
            *(format_value(row[name], "s") for name in ("mean_s", "p50_s", "p99_s", "interarrival_s")),
        ]
        for row in found["flows"][:MOST_ROWS]
    ]
    head = ("Flow", "Service", "Transactions", "Failures", "Retries", "Mean", "Median", "99 %", "Interarrival time")
    return Table(_first("flows", found["flow_count"]), head, rows)


def _notable(title: str, found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [
            f"{row['from']} to {row['to']}",
            row["service"],
            format_value(row["begin"], "s"),
            frames(row),
            format_value(row["time"], "s"),
            row["why"],
        ]
        for row in found[:MOST_ROWS]
    ]
    return Table(title, ("Flow", "Service", "At", "Frames", "Time", "Between"), rows)


def _calls(found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [
            row["from"],
            row["to"],
            row["outcome"],
            str(row["status"] or ""),
            *(format_value(row[name], "s") for name in CALL_TIMES),
        ]
        for row in found[:MOST_ROWS]
    ]
    head = (
        "From",
        "To",
        "Outcome",
        "Status",
        "First response",
        "Post-dial delay",
        "Rings",
        "Final response",
        "Call time",
    )
    return Table(_first("calls", len(found)), head, rows)


def _streams(found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [
            f"{row['from']} to {row['to']}",
            row["member"],
            row["encoding"] or "",
            str(row["packets"]),
            format_value(row["loss"], "1", "loss"),
            str(row["longest_loss_burst"]),
            *(format_value(row[name], "s") for name in ("jitter_s", "jitter_max_s", "rtcp_rtt_s")),
            format_value(row["mos"], "1", "mos"),
        ]
        for row in found[:MOST_ROWS]
    ]
    head = ("Stream", "SSRC", "Encoding", "Packets", "Loss", "Longest burst", "Jitter", "Largest", "RTCP RTT", "MOS")
    return Table(_first("streams of RTP", len(found)), head, rows)


def _identifiers(found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [
            str(row["interface"]),
            row["id"],
            str(row["frames"]),
            str(row["remote_frames"]),
            lengths(row),
            format_value(row["rate"], "1/s"),
            *(format_value(row[name], "s") for name in IDENTIFIER_TIMES),
            format_value(row["utilisation"], "1", "utilisation"),
        ]
        for row in found[:MOST_ROWS]
    ]
    head = (
        "Bus",
        "Identifier",
        "Frames",
        "Remote",
        "Bytes",
        "Rate",
        "Interval",
        "Shortest",
        "Longest",
        "Jitter",
        "Utilisation",
    )
    return Table(_first("identifiers", len(found)), head, rows)


def _conversations(found: dict[str, Any]) -> Table:
    rows = [
        [row["from"], row["to"], str(row["packets"]), format_size(row["l3_bytes"])]
        for row in found["conversations"][:MOST_ROWS]
    ]
    return Table(_first("conversations", len(found["conversations"])), ("From", "To", "Packets", "Bytes"), rows)


def _timeline(steps: Sequence[dict[str, Any]]) -> Table:
    together = max(1, -(-len(steps) // MOST_ROWS))
    rows = []
    for begin in range(0, len(steps), together):
        part = steps[begin : begin + together]
        busy = [step["utilisation"] for step in part if step["utilisation"] is not None]
        slowest = max((step["mean_s"] or 0.0 for step in part), default=0.0)
        rows.append(
            [
                format_value(part[0]["begin_s"], "s"),
                format_value(_mean(part, "packet_rate"), "1/s", "throughput_l3"),
                format_value(sum(busy) / len(busy) if busy else None, "1", "utilisation"),
                format_value(_mean(part, "transaction_rate"), "1/s"),
                str(sum(step["retries"] for step in part)),
                str(sum(step["unanswered"] for step in part)),
                format_value(slowest or None, "s"),
            ]
        )
    head = ("From", "Packets", "Utilisation", "Transactions", "Retries", "Failures", "Largest mean response time")
    return Table("Over time", head, rows)


def _mean(part: Sequence[dict[str, Any]], name: str) -> float:
    return float(sum(step[name] for step in part)) / len(part)


def _first(noun: str, count: int) -> str:
    return f"The first {MOST_ROWS} of {count} {noun}" if count > MOST_ROWS else noun.capitalize()
