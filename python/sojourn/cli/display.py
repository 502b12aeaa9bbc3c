"""A running measurement on a terminal: time series, percentiles per phase, load, and time left."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from sojourn.cli.progress import span
from sojourn.units import format_value, percent_lost

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

INTERVAL_S = 0.25
BLOCKS = "▁▂▃▄▅▆▇█"
LOST = "×"
MIN_RANGE = 4.0
"""Minimum ratio of the time series' logarithmic scale: smaller variations look flat."""
MAX_COLUMNS = 120
MARGIN = 11
"""Columns left and right of the time series."""
WIDE = 76
"""Terminal width from which everything is shown."""
ROOMY = 84
"""Terminal width from which columns stand two apart."""
QUANTILES = ("min", "p50", "p90", "p95", "p99", "max")
COLOURS = {"idle": "cyan", "loaded": "magenta", "recovery": "green"}


class Display:
    """Shows the state of a measurement four times a second if the stream is a terminal; erased at the end.

    The watcher's thread prepares the state from the measuring thread's records: displaying it costs the measurement
    CPU time only.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        """Writes to standard error by default."""
        self._stream = stream if stream is not None else sys.stderr
        self._live: Live | None = None
        self._shown_at = -INTERVAL_S

    def __call__(self, standing: dict[str, Any]) -> None:
        """Shows a state, unless the last one is too recent."""
        now = time.monotonic()
        if not self._stream.isatty() or now - self._shown_at < INTERVAL_S:
            return
        self._shown_at = now
        live = self._live or self._begin()
        live.update(view(standing, live.console.width), refresh=True)

    def _begin(self) -> Live:
        from rich.console import Console  # noqa: PLC0415
        from rich.live import Live  # noqa: PLC0415

        console: Console = Console(file=self._stream)
        self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._live.start()
        return self._live

    def close(self) -> None:
        """Erases the display."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def view(standing: dict[str, Any], width: int) -> RenderableType:
    """The display for a terminal of this width."""
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    return Group(
        _head(standing), Text(), *_time_series(standing, width), Text(), _phases(standing, width), _foot(standing)
    )


def summary(standing: dict[str, Any]) -> dict[str, Any]:
    """The state for machine-readable output: everything but the time series."""
    return {key: value for key, value in standing.items() if key not in ("course", "slot_s")}


def _head(standing: dict[str, Any]) -> Text:
    from rich.text import Text  # noqa: PLC0415

    left = standing["left_s"]
    text = Text(no_wrap=True)
    text.append(standing["phase"], style=f"bold {_colour(standing['phase'])}")
    text.append(f"  {span(standing['elapsed_s'])}")
    if left is not None:
        text.append(f" of {span(standing['elapsed_s'] + left)}, {span(left)} left")
    text.append(f", {standing['sent']} requests sent")
    return text


def _time_series(standing: dict[str, Any], width: int) -> list[Text]:
    """The median response time over time as bars on a logarithmic scale, with minimum and maximum."""
    from rich.text import Text  # noqa: PLC0415

    columns = max(10, min(width - 2 * MARGIN, MAX_COLUMNS))
    slots = _columns(standing, columns)
    heights = [slot["p50_s"] for slot in slots if slot["p50_s"]]
    if not heights:
        return [Text("no response so far")]
    low, high = min(heights), max(heights)
    line = Text(format_value(low, "s").rjust(MARGIN - 1) + " ", no_wrap=True)
    for slot in slots:
        if slot["p50_s"]:
            line.append(_block(slot["p50_s"], low, high), style=_colour(slot["phase"]))
        elif slot["lost"]:
            line.append(LOST, style="bold red")
        else:
            line.append(" " if slot["phase"] else "·", style="dim")
    line.append(f" {format_value(high, 's')}")
    losses = Text(" " * MARGIN, no_wrap=True)
    for slot in slots:
        losses.append(LOST if slot["lost"] and slot["p50_s"] else " ", style="bold red")
    return [Text("median response time, logarithmic; × marks loss", style="dim"), line, losses]


def _columns(standing: dict[str, Any], columns: int) -> list[dict[str, Any]]:
    """The time series in at most `columns` columns: each has the largest median and all losses of its slots. If the
    end is known, the remaining time has columns, too."""
    course, slot_s, left_s = standing["course"], standing["slot_s"], standing["left_s"]
    begins_s = 0.0 if left_s is not None else max(0.0, standing["elapsed_s"] - slot_s * len(course))
    whole = len(course) + (0 if left_s is None else math.floor(left_s / slot_s))
    columns = min(columns, whole)
    found: list[dict[str, Any]] = [{"p50_s": None, "lost": 0, "phase": None} for _ in range(columns)]
    for index, slot in enumerate(course):
        column = found[index * columns // whole]
        column["p50_s"] = max((p50_s for p50_s in (column["p50_s"], slot["p50_s"]) if p50_s is not None), default=None)
        column["lost"] += slot["lost"]
        column["phase"] = _phase_at(standing, begins_s + (index + 0.5) * slot_s)
    return found


def _phase_at(standing: dict[str, Any], at_s: float) -> str:
    begun = [phase["name"] for phase in standing["phases"] if phase["begins_s"] <= at_s]
    return str(begun[-1]) if begun else ""


def _block(value: float, low: float, high: float) -> str:
    height = math.log(value / low) / math.log(max(high / low, MIN_RANGE))
    return BLOCKS[min(len(BLOCKS) - 1, int(height * len(BLOCKS)))]


def _phases(standing: dict[str, Any], width: int) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 2 if width >= ROOMY else 1, 0, 0), header_style="dim")
    table.add_column("phase", no_wrap=True)
    shown = QUANTILES if width >= WIDE else QUANTILES[1:]
    for name in ("responses", "lost", *shown):
        table.add_column(name, justify="right", no_wrap=True)
    for phase in standing["phases"]:
        if phase["begins_s"] > standing["elapsed_s"]:
            continue
        total = phase["answered"] + phase["lost"]
        lost = percent_lost(phase["lost"] / total, digits=1) if total else "–"
        response = phase["response"] or {}
        times = [format_value(response.get(name), "s") for name in shown]
        running = phase["name"] == standing["phase"]
        style = f"bold {_colour(phase['name'])}" if running else _colour(phase["name"])
        losses = Text(lost, style="bold red" if phase["lost"] else "")
        table.add_row(Text(phase["name"], style=style), str(phase["answered"]), losses, *times)
    return table


def _foot(standing: dict[str, Any]) -> Text:
    from rich.text import Text  # noqa: PLC0415

    parts = []
    if standing["load_bit_rate"] > 0:
        parts.append(f"load {format_value(standing['load_bit_rate'], 'bit/s')}")
    if standing["noise_floor_s"] is not None:
        parts.append(f"noise floor of this host {format_value(standing['noise_floor_s'], 's')}")
    return Text(", ".join(parts), style="dim")


def _colour(phase: str) -> str:
    return COLOURS.get(phase, "cyan")
