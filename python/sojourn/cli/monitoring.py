"""A running monitor: a table of its targets in place on a terminal, lines of text where there is none, or of JSON.

On the terminal that shows messages the table is drawn only if data go there as well: piped, they are lines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from sojourn.cli import output
from sojourn.matrix import MET, MISSED, OUTAGE, PLAIN, Cell, Matrix
from sojourn.monitored import numbers, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Group
    from rich.live import Live
    from rich.table import Table

Targets = dict[tuple[str, str], dict[str, Any]]
"""What is known of each target, by the agent that measures it, empty of a monitor, and its name."""
STYLES = {MET: "green", MISSED: "yellow", OUTAGE: "bold red"}
WIDEST = 1000
"""Characters of a line of a matrix that goes to no terminal."""
RECENT = 5
"""Events below the table."""


class Monitoring:
    """Shows each line of a monitor."""

    def __init__(self, *, machine: bool = False, stream: TextIO | None = None) -> None:
        """Lines of JSON for a machine; else a table on standard error, if that and the output are terminals."""
        self._machine = machine
        self._stream = stream if stream is not None else sys.stderr
        self._is_table = self._stream.isatty() and (stream is not None or sys.stdout.isatty())
        self._targets: Targets = {}
        self._mesh: list[str] = []
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
            if self._mesh and line["type"] == "monitor" and line["event"] == "end":
                output.data(as_text(matrix(self._mesh, self._targets)))

    def _take(self, line: dict[str, Any]) -> None:
        if line["type"] == "monitor" and line["event"] == "begin":
            names = [name for name, _ in line["targets"]]
            self._mesh = names if line.get("mesh") else []
            known = [(a, b) for a in names for b in names if a != b] if self._mesh else [("", name) for name in names]
            self._targets = {one: {"state": "opening", "alerts": {}} for one in known}
        elif (target := self._targets.get((line.get("from", ""), line.get("target") or ""))) is not None:
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
        shown = matrix(self._mesh, self._targets) if self._mesh else table(self._targets)
        self._live.update(Group(shown, *recent), refresh=True)

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


def matrix(names: Sequence[str], targets: Targets) -> Group:
    """What each agent measures of each other: rows measure, columns are measured and numbered as the rows are."""
    from rich.console import Group  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    found = Matrix(names, {pair: cell for pair, target in targets.items() if (cell := _cell(target)) is not None})
    texts = found.shown()
    title = f"from row to column: median and 99 % of the response time in {found.scale.unit}, loss; × outage, ! missed"
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("")
    for number, _ in enumerate(names, 1):
        shown.add_column(str(number), justify="right", no_wrap=True)
    for number, measuring in enumerate(names, 1):
        cells = [_compact(texts.get((measuring, measured)), measuring == measured) for measured in names]
        styles = [STYLES.get((texts.get((measuring, measured)) or {}).get("state", ""), "") for measured in names]
        shown.add_row(Text(f"{number} {measuring}"), *map(Text, cells, styles))
    return Group(shown, Text(title, style="dim"))


def _compact(texts: dict[str, str] | None, is_self: bool) -> str:
    if texts is None:
        return "" if is_self else "–"
    return " ".join(filter(None, [texts["low"], texts["high"], texts["mark"] + texts["lost"]]))


def _cell(target: dict[str, Any]) -> Cell | None:
    """The last window of a pair."""
    window = target.get("window")
    if window is None:
        return None
    response = window["metrics"].get("response_time") or {}
    lost = (window["metrics"].get("loss") or {}).get("value") if window["sent"] else None
    missed = [one["text"] for one in window["conditions"] if one["raised"] or one["verdict"] == "missed"]
    state = OUTAGE if target["state"] == "outage" else MISSED if missed else MET if window["conditions"] else PLAIN
    return Cell(response.get("p50"), response.get("p99"), lost, state, "; ".join(missed))


def as_text(shown: Group) -> str:
    """A matrix as plain text, however wide."""
    from io import StringIO  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415

    console = Console(file=StringIO(), width=WIDEST, color_system=None)
    console.print(shown)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def table(targets: Targets) -> Table:
    """A row for each target, of its last window."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("target", no_wrap=True)
    for name in ("p50", "p99", "lost"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("state", no_wrap=True)
    for (_, name), target in targets.items():
        state = _words(target)
        style = "green" if state == "up" else "dim" if state == "opening" else "bold red"
        # no markup: brackets are those of an IPv6 address
        shown.add_row(Text(name), *numbers(target.get("window")), Text(state, style=style))
    return shown


def _words(target: dict[str, Any]) -> str:
    raised = [text for text, is_raised in target["alerts"].items() if is_raised]
    return ", ".join([str(target["state"]), *(f"alert: {text}" for text in raised)])
