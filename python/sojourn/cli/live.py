"""What a live job reports, in a line."""

from __future__ import annotations

import dataclasses
import json

from sojourn.cli.options import LiveFormat
from sojourn.live import Report
from sojourn.units import say, say_size

__all__ = ["Report", "line"]


def line(report: Report, form: LiveFormat = LiveFormat.table) -> str:
    """One association's work, in words or as JSON."""
    if form is LiveFormat.json:
        return json.dumps(dataclasses.asdict(report))
    if report.kind == "listening":
        return f"listening at {report.peer}; Ctrl-C ends it"
    if report.kind == "strangers":
        return report.ended
    parts = [_work(report), f"{report.retransmissions} packets sent again"]
    if report.injected_drops:
        parts.append(f"{report.injected_drops} datagrams dropped on purpose")
    parts.append(report.ended if report.well else f"failed: {report.ended}")
    text = f"{report.kind} with {report.peer}: " + ", ".join(parts)
    return f"{text} (SHA-256 {report.sha256})" if report.sha256 and report.well else text


def _work(report: Report) -> str:
    amount = say_size(report.bytes) if report.kind == "transfer" else f"{report.messages} messages"
    rate = f", {say(report.bit_rate, 'bit/s')}" if report.bit_rate and report.kind == "transfer" else ""
    return f"{amount} in {say(report.seconds, 's')}{rate}"
