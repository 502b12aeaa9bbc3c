"""A capture that is read from a pipe: a table of its flows in place on a terminal, lines of text elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from sojourn.units import format_value

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from sojourn.jobs import Progress

LINE_INTERVAL_S = 10.0
"""Time between two lines where there is no terminal."""


class Capturing:
    """Shows what was found so far: the flows with the most requests, and what was read."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Writes to standard error by default; `clock` returns seconds."""
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._shown: dict[str, Any] | None = None
        self._wrote_at = clock()
        self._live: Live | None = None

    def __call__(self, progress: Progress) -> None:
        """Shows a state that is new."""
        state = progress.capture
        if state is None or state == self._shown:
            return
        self._shown = state
        if self._stream.isatty():
            self._draw(state)
        elif self._clock() - self._wrote_at >= LINE_INTERVAL_S:
            self._wrote_at = self._clock()
            self._stream.write(f"{sentence(state)}\n")
            self._stream.flush()

    def _draw(self, state: dict[str, Any]) -> None:
        from rich.console import Console, Group  # noqa: PLC0415
        from rich.live import Live  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        if self._live is None:
            console = Console(file=self._stream)
            self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
        foot = Text(sentence(state), style="dim", no_wrap=True, overflow="ellipsis")
        self._live.update(Group(table(state), foot), refresh=True)

    def close(self) -> None:
        """Erases the table."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __enter__(self) -> Capturing:
        """The view itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the view, whatever happened."""
        self.close()


def table(state: dict[str, Any]) -> Table:
    """A row for each of the flows with the most requests."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("flow", no_wrap=True, overflow="ellipsis", ratio=1)
    shown.add_column("service", no_wrap=True)
    for name in ("requests", "p50", "p99", "retries", "failures"):
        shown.add_column(name, justify="right", no_wrap=True)
    for flow in state["flows"]:
        times = (format_value(flow[name], "s") for name in ("p50_s", "p99_s"))
        failures = Text(str(flow["failures"]), style="bold red" if flow["failures"] else "")
        # no markup: brackets are those of an IPv6 address
        ends = Text(f"{flow['from']} to {flow['to']}")
        shown.add_row(ends, flow["service"], str(flow["requests"]), *times, str(flow["retries"]), failures)
    return shown


def sentence(state: dict[str, Any]) -> str:
    """The state in words: "1204 packets in 61 s, 19.7 packets/s, 380 requests of 12 flows, 2 malformed"."""
    rate = format_value(state["packet_rate"], "packets/s")
    parts = [f"{state['packets']} packets in {format_value(state['seconds'], 's')}", rate]
    flows = "1 flow" if state["flow_count"] == 1 else f"{state['flow_count']} flows"
    parts.append(f"{state['transactions']} requests of {flows}")
    more = state["flow_count"] - len(state["flows"])
    parts += [f"{more} flows not shown"] if more > 0 else []
    parts += [f"{state[name]} {name}" for name in ("malformed", "evicted") if state[name]]
    return ", ".join(parts)
