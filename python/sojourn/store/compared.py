"""Two runs, metric by metric."""

from __future__ import annotations

import math
from typing import Any

from sojourn.units import format_interval


def compared(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each metric that both runs have at a point, members of metrics left out."""
    others = {_key(point): point for point in second["points"]}
    rows = []
    for point in first["points"]:
        other = others.get(_key(point))
        for name, a in point["metrics"].items() if other is not None else ():
            b = other["metrics"].get(name) if other is not None else None
            if b is None or "/" in name or "value" not in a or "value" not in b:
                continue
            row = {"point": ", ".join(str(part) for part in _key(point) if part), "metric": name, "unit": a["unit"]}
            fields = ("value", "value_low", "value_high")
            row |= {f"first_{field}": a.get(field) for field in fields}
            row |= {f"second_{field}": b.get(field) for field in fields}
            rows.append(row | dict(zip(("change", "change_low", "change_high"), _change(a, b), strict=True)))
    return rows


def cells(row: dict[str, Any]) -> list[str]:
    """A row for people: point, metric, both values and the change with its interval."""

    def shown(name: str) -> str:
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        ends = None if low is None and high is None else (low, high)
        return format_interval(row[name], ends, row["unit"], row["metric"])

    return [row["point"], row["metric"], shown("first_value"), shown("second_value"), shown("change")]


def _key(point: dict[str, Any]) -> tuple[str, str]:
    return point["experiment"], ", ".join(f"{key} = {value}" for key, value in sorted(point["settings"].items()))


def _change(a: dict[str, Any], b: dict[str, Any]) -> tuple[float, float | None, float | None]:
    """The difference of two values; its interval where both have one, as of independent runs."""
    difference = b["value"] - a["value"]
    if not all(f"value_{end}" in metric for metric in (a, b) for end in ("low", "high")):
        return difference, None, None
    half = math.hypot(*((metric["value_high"] - metric["value_low"]) / 2 for metric in (a, b)))
    return difference, difference - half, difference + half
