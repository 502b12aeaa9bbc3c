"""The uncertainty of a value: an interval, one without an upper end, a quantile that is not reached, or nothing.

One rule for figures, tables and sentences; `web/uncertainty.js` is the same for pages. `tests/uncertainty.json` has
cases that both are tested with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What is known of the ends of an interval."""

    closed = "closed"
    """Both ends."""
    open_above = "open above"
    """The lower end: the samples bear "at least" only."""
    not_reached = "not reached"
    """A quantile beyond every time, because more than its share of the messages failed."""
    none = "none"
    """Nothing: a single replication, or a field that has no interval."""


@dataclass(frozen=True)
class Uncertainty:
    """A value, the ends of its 95 % confidence interval in SI units, and what kind of interval that is."""

    kind: Kind
    value: float | None
    low: float | None = None
    high: float | None = None


def uncertainty(raw: Mapping[str, Any], field: str) -> Uncertainty:
    """Of a field of a metric as results hold it: "mean" (of a scalar its value), or a quantile as "p99".

    A lower end that is not known is 0, which neither a time nor a rate nor a count is below.
    """
    central = field in ("mean", "value")
    value = _number(raw.get(("mean" if "mean" in raw else "value") if central else field))
    ends = raw.get("ci95" if central else f"{field}_ci95")
    low, high = (_number(end) for end in ends or (None, None))
    if field in (raw.get("not_reached") or ()):
        return Uncertainty(Kind.not_reached, None, low)
    return of_ends(value, low, high)


def of_ends(value: float | None, low: float | None, high: float | None) -> Uncertainty:
    """Of a value and the ends of its interval."""
    if value is None or (low is None and high is None):
        return Uncertainty(Kind.none, value)
    if high is None:
        return Uncertainty(Kind.open_above, value, low)
    return Uncertainty(Kind.closed, value, low or 0.0, high)


def _number(found: Any) -> float | None:
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else None
