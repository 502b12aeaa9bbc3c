"""The response times of a capture over time, the slowest and the lost transactions marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sojourn.capture_rows import frames
from sojourn.extras import has
from sojourn.figures import files, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import logarithmic_axis
from sojourn.units import Scale, scale

if TYPE_CHECKING:
    from pathlib import Path

NAME = "slowest"
ROOM = 1.5
"""Extension of the axis beyond the longest time, where lost transactions are marked."""
KINDS = {"slowest": "circle", "sent again": "triangle-up", "lost": "cross"}


def write(tables: dict[str, Any], folder: Path) -> Path | None:
    """Draws the tables of an analysed capture to a folder; nothing without a transaction that was answered."""
    chart = draw(tables)
    if chart is None:
        return None
    file = folder / f"{NAME}{'.svg' if has('vl_convert') else '.html'}"
    files.write(chart.to_dict(), file)
    return file


def draw(tables: dict[str, Any]) -> vl.Chart | None:
    """A line of means, and a mark for each transaction that is listed."""
    means = [(step["begin_s"], step["mean_s"]) for step in tables["steps"] if step["mean_s"]]
    listed = {"slowest": tables.get("slowest") or [], "sent again": tables.get("retried") or []}
    times = [mean for _, mean in means] + [row["time"] for rows in listed.values() for row in rows if row["time"]]
    if not times:
        return None
    shown = scale("s", sorted(times)[len(times) // 2])
    ends = (min(times) / ROOM / shown.factor, max(times) * ROOM / shown.factor)
    y = vl.Field(
        "y:Q",
        scale=vl.Scale(type="log", domain=list(ends), nice=False),
        **logarithmic_axis("Response time", shown, ends),
    )
    domain = vl.Scale(domain=[0, max(tables["seconds"], 1e-9)], nice=False)
    x = vl.Field("x:Q", title="Time (s)", scale=domain)
    rows = [_row(kind, row, row["time"], shown) for kind, found in listed.items() for row in found if row["time"]]
    rows += [_row("lost", row, max(times) * ROOM, shown) for row in tables.get("lost") or []]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    shape = vl.Field(
        "kind:N",
        title=None,
        scale=vl.Scale(domain=kinds, range=[KINDS[kind] for kind in kinds]),
        legend=vl.Legend(symbolFillColor=theme.INK),
    )
    said: list[vl.Part] = [
        vl.Field(name, title=title)
        for name, title in (("flow:N", "Flow"), ("frames:N", "Frames"), ("why:N", "Between"))
    ]
    line = vl.Chart([{"x": time, "y": mean / shown.factor} for time, mean in means])
    layers = [line.mark("line", color=theme.MUTED, strokeWidth=1).encode(x=x, y=y)] if means else []
    marks = vl.Chart(rows).mark("point", filled=True, color=theme.INK, size=50)
    layers.append(marks.encode(x=x, y=y, shape=shape, tooltip=said))
    caption = (
        "The line is the mean of the transactions that began in each step of time; lost ones are at the upper edge."
    )
    chart = vl.layer(*layers).properties(width=theme.WIDTH, height=theme.HEIGHT)
    return theme.dressed(chart, "Slowest transactions", caption)


def _row(kind: str, row: dict[str, Any], time: float, shown: Scale) -> dict[str, Any]:
    flow = f"{row['from']} to {row['to']}, {row['service']}"
    return {
        "kind": kind,
        "x": row["begin"],
        "y": time / shown.factor,
        "flow": flow,
        "frames": frames(row),
        "why": row["why"],
    }
