"""The figure of a monitor's windows: lines of their quantiles, bands where the target was away, as paths of SVG."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from sojourn.units import scale

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 600, 140, 78, 20, 8
"""Of a figure, and of its margins, in its own units."""


def course(windows: list[dict[str, Any]]) -> dict[str, Any]:
    """Lines of median and 99 % quantile over time, bands where the target was in an outage."""
    times = [(_seconds(window["begin"]) + _seconds(window["end"])) / 2 for window in windows]
    begin, end = times[0], max(times[-1], times[0] + 1)
    known = {name: [_quantile(window, name) for window in windows] for name in ("p50", "p99")}
    values = [value for line in known.values() for value in line if value is not None]
    largest = max(values, default=0.0)
    fitting = scale("s", largest, "response_time")

    def x(at: float) -> float:
        return round(LEFT + (at - begin) / (end - begin) * (WIDTH - LEFT - ABOVE), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BELOW - value / (largest or 1.0) * (HEIGHT - BELOW - ABOVE), 1)

    away = [window["in_outage"] or not window["answered"] for window in windows]
    outages = [(x(one), x(other) - x(one)) for one, other in _spans(times, away)]
    paths = {
        name: _path([None if v is None else (x(at), y(v)) for at, v in zip(times, line, strict=True)])
        for name, line in known.items()
    }
    ends = [f"{datetime.fromtimestamp(at, UTC):%H:%M:%S}" for at in (begin, end)]
    top = f"{fitting.number(largest):.3g} {fitting.unit}" if values else "–"
    return {"paths": paths, "outages": outages, "top": top, "ends": ends}


def _spans(times: list[float], away: list[bool]) -> list[tuple[float, float]]:
    """The times in which a target was away, each to the middle between its windows and those beside them."""
    found: list[tuple[float, float]] = []
    edges = [times[0], *((one + other) / 2 for one, other in pairwise(times)), times[-1]]
    for (begin, end), is_away in zip(pairwise(edges), away, strict=True):
        if is_away and found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        elif is_away:
            found.append((begin, end))
    return found


def _path(points: list[tuple[float, float] | None]) -> str:
    """The path of a line with gaps."""
    parts, is_open = [], False
    for point in points:
        if point is not None:
            parts.append(f"{'L' if is_open else 'M'}{point[0]} {point[1]}")
        is_open = point is not None
    return "".join(parts)


def _quantile(window: dict[str, Any], name: str) -> float | None:
    value = (window["metrics"].get("response_time") or {}).get(name)
    return value if isinstance(value, int | float) else None


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
