"""The numbers of a point that a page shows beside those that it simulates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sojourn import services
from sojourn.point import Point

VERDICT = ("text", "verdict", "value", "unit")
FIELDS = (
    *("unit", "count", "sent", "value", "mean", "ci95"),
    *("p50", "p50_ci95", "p95", "p95_ci95", "p99", "p99_ci95", "not_reached"),
)


def stored(point: Point, verdicts: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """The numbers of a point that the page shows beside its own."""
    raw = point.raw["metrics"]
    budget = (f"delay_budget/{component}" for component in point.components)
    metrics = {name: {"mean": raw[name].get("mean")} for name in budget}
    kept_whole = (name for name in (*services.TIMES, *services.CALLS) if name in raw)
    metrics |= {name: {field: raw[name].get(field) for field in FIELDS if field in raw[name]} for name in kept_whole}
    said = [{"unit": "1"} | {name: one[name] for name in VERDICT if name in one} for one in verdicts]
    kept = {name: point.raw[name] for name in ("set", "status", "replications")}
    return {**kept, "metrics": metrics, "verdicts": said}
