"""The lines of a monitor in words: windows, outages, alerts, and what happened to the host or an address."""

from __future__ import annotations

from typing import Any

from sojourn.units import format_value, percent_lost

WHOLE_S = 10
"""From here on a step of the clock is shown in whole seconds."""


def sentence(line: dict[str, Any]) -> str:
    """A line in words."""
    return f"{line['time']} {_sentence(line)}"


def _sentence(line: dict[str, Any]) -> str:
    words = WORDS.get(line["type"], _of_note)(line)
    pair = " > ".join(filter(None, [line.get("from"), line.get("target")]))
    return f"{pair}: {words}" if pair else words


def _of_monitor(line: dict[str, Any]) -> str:
    metrics = f", OpenMetrics at {line['metrics']}" if line["metrics"] else ""
    targets = len(line["targets"])
    if line.get("mesh"):
        return f"{line['event']} of a mesh of {targets} agents, {targets * (targets - 1)} pairs{metrics}"
    return f"{line['event']} of monitoring {targets} {'target' if targets == 1 else 'targets'}{metrics}"


def _of_window(line: dict[str, Any]) -> str:
    p50, p99, lost = numbers(line)
    raised = [condition["text"] for condition in line["conditions"] if condition["raised"]]
    more = [
        f", {line['late']} late" if line.get("late") else "",
        f", {line['not_sent']} not sent" if line.get("not_sent") else "",
        ", this host was paused" if line.get("host_paused") else "",
        " in an outage" if line["in_outage"] else "",
        f", alert: {'; '.join(raised)}" if raised else "",
        *(f", {finding['text']}" for finding in line.get("path", ())),
    ]
    return f"p50 {p50}, p99 {p99}, lost {lost} of {line['sent']}{''.join(more)}"


def _of_outage(line: dict[str, Any]) -> str:
    cause = f" ({line['cause']})" if line["cause"] else ""
    if line["event"] == "begin":
        return f"outage since {line['begin']}{cause}"
    return f"outage ended after {format_value(line['duration_s'], 's')}{cause}"


def _of_host(line: dict[str, Any]) -> str:
    length = line["duration_s"]
    if line["event"] == "paused":
        return f"this host was paused for {format_value(length, 's')}"
    return f"wall clock set by {length:+.{0 if abs(length) >= WHOLE_S else 1}f} s"


def _of_address(line: dict[str, Any]) -> str:
    return f"address changed from {line['old']} to {line['new']}"


def _of_alert(line: dict[str, Any]) -> str:
    return f"alert {line['event']}: {line['condition']}"


def _of_note(line: dict[str, Any]) -> str:
    return str(line["text"])


WORDS = {
    "monitor": _of_monitor,
    "window": _of_window,
    "outage": _of_outage,
    "host": _of_host,
    "address": _of_address,
    "alert": _of_alert,
}
"""What says a line in words, by its type; a note has its text."""


def numbers(window: dict[str, Any] | None) -> tuple[str, str, str]:
    """Median, 99 % quantile and share of losses of a window."""
    if window is None or not window["sent"]:
        return "–", "–", "–"
    response = window["metrics"].get("response_time") or {}
    p50, p99 = (format_value(response[name], "s") if response.get(name) is not None else "–" for name in ("p50", "p99"))
    answered = window["answered"] + window.get("late", 0)
    lost = window["metrics"].get("loss", {}).get("value", 1 - answered / window["sent"])
    return p50, p99, "–" if lost is None else percent_lost(lost, digits=1)
