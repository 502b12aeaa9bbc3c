"""A running monitor: a table of its targets in place on a terminal, lines of text where there is none, or of JSON.

On the terminal that shows messages the table is drawn only if data go there as well: piped, they are lines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from sojourn.cli import output
from sojourn.units import format_value, percent_lost

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

RECENT = 5
"""Events below the table."""


class Monitoring:
    """Shows each line of a monitor."""

    def __init__(self, *, machine: bool = False, stream: TextIO | None = None) -> None:
        """Lines of JSON for a machine; else a table on standard error, if that and the output are terminals."""
        self._machine = machine
        self._stream = stream if stream is not None else sys.stderr
        self._is_table = self._stream.isatty() and (stream is not None or sys.stdout.isatty())
        self._targets: dict[str, dict[str, Any]] = {}
        self._recent: list[str] = []
        self._live: Live | None = None

    def line(self, line: dict[str, Any], text: str) -> None:
        """Takes the next line, parsed and as written."""
        if self._machine:
            output.data(text)
            return
        self._take(line)
        if self._is_table:
            self._draw(line)
        else:
            output.data(sentence(line))

    def _take(self, line: dict[str, Any]) -> None:
        if line["type"] == "monitor" and line["event"] == "begin":
            self._targets = {name: {"state": "opening", "alerts": {}} for name, _ in line["targets"]}
        elif (target := self._targets.get(line.get("target") or "")) is not None:
            if line["type"] == "outage":
                target["state"] = "outage" if line["event"] == "begin" else "up"
            elif line["type"] == "alert":
                target["alerts"][line["condition"]] = line["event"] == "raised"
            elif line["type"] == "window":
                target["window"] = line
                if target["state"] == "opening" and line["answered"]:
                    target["state"] = "up"

    def _draw(self, line: dict[str, Any]) -> None:
        from rich.console import Console, Group  # noqa: PLC0415
        from rich.live import Live  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        if line["type"] != "window":
            self._recent = [*self._recent, sentence(line)][-RECENT:]
        if self._live is None:
            self._live = Live(console=Console(file=self._stream), auto_refresh=False, redirect_stdout=False)
            self._live.start()
        recent = [Text(words, style="dim", no_wrap=True, overflow="ellipsis") for words in self._recent]
        self._live.update(Group(table(self._targets), *recent), refresh=True)

    def close(self) -> None:
        """Leaves the last table."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __enter__(self) -> Monitoring:
        """The display itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends what is shown, whatever happened."""
        self.close()


def table(targets: dict[str, dict[str, Any]]) -> Table:
    """A row for each target, of its last window."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("target", no_wrap=True)
    for name in ("p50", "p99", "lost"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("state", no_wrap=True)
    for name, target in targets.items():
        state = _words(target)
        style = "green" if state == "up" else "dim" if state == "opening" else "bold red"
        # no markup: brackets are those of an IPv6 address
        shown.add_row(Text(name), *_numbers(target.get("window")), Text(state, style=style))
    return shown


def sentence(line: dict[str, Any]) -> str:
    """A line in words."""
    return f"{line['time']} {_sentence(line)}"


def _sentence(line: dict[str, Any]) -> str:
    target = line.get("target")
    if line["type"] == "monitor":
        metrics = f", OpenMetrics at {line['metrics']}" if line["metrics"] else ""
        targets = len(line["targets"])
        return f"{line['event']} of monitoring {targets} {'target' if targets == 1 else 'targets'}{metrics}"
    if line["type"] == "window":
        p50, p99, lost = _numbers(line)
        raised = [condition["text"] for condition in line["conditions"] if condition["raised"]]
        state = " in an outage" if line["in_outage"] else ""
        alerts = f", alert: {'; '.join(raised)}" if raised else ""
        return f"{target}: p50 {p50}, p99 {p99}, lost {lost} of {line['sent']}{state}{alerts}"
    if line["type"] == "outage":
        cause = f" ({line['cause']})" if line["cause"] else ""
        if line["event"] == "begin":
            return f"{target}: outage since {line['begin']}{cause}"
        return f"{target}: outage ended after {format_value(line['duration_s'], 's')}{cause}"
    if line["type"] == "alert":
        return f"{target}: alert {line['event']}: {line['condition']}"
    return f"{target}: {line['text']}" if target else str(line["text"])


def _numbers(window: dict[str, Any] | None) -> tuple[str, str, str]:
    """Median, 99 % quantile and share of losses of a window."""
    if window is None or not window["sent"]:
        return "–", "–", "–"
    response = window["metrics"].get("response_time") or {}
    p50, p99 = (format_value(response[name], "s") if response.get(name) is not None else "–" for name in ("p50", "p99"))
    lost = 1 - window["answered"] / window["sent"]
    return p50, p99, percent_lost(lost, digits=1)


def _words(target: dict[str, Any]) -> str:
    raised = [text for text, is_raised in target["alerts"].items() if is_raised]
    return ", ".join([str(target["state"]), *(f"alert: {text}" for text in raised)])
