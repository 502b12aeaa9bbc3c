"""What a test requires, read: `p99="< 20 ms"`, or of a stored baseline, `p99="< baseline + 10 %"`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sojourn.errors import UserError
from sojourn.point import QUANTILES
from sojourn.requirements import Condition
from sojourn.timed.decision import Limit
from sojourn.units import dimension_of

OF_BASELINE = re.compile(r"< ?baseline(?: ?\+ ?(?P<percent>\d+(?:\.\d+)?) ?%)?")
QUANTITY = re.compile(r"(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?) ?(?P<unit>\S+)")

Baseline = Mapping[str, tuple[float, float]]
"""The interval of each quantile in a stored baseline, in seconds."""


def limits(conditions: Mapping[str, str], baseline: Baseline | None) -> list[Limit]:
    """The limit of each quantile; `UserError` with what was expected. Without a baseline a limit of it is infinite."""
    if not conditions:
        raise UserError('response_time needs a requirement, such as p99="< 20 ms"')
    return [_limit(field, text, baseline) for field, text in conditions.items()]


def _limit(field: str, text: str, baseline: Baseline | None) -> Limit:
    if field not in QUANTILES:
        raise UserError(f"response_time has no {field!r}; there are {', '.join(QUANTILES)}")
    if (relative := OF_BASELINE.fullmatch(str(text).strip())) is not None:
        low, high = (baseline or {}).get(field, (float("inf"), float("inf")))
        factor = 1 + float(relative["percent"] or 0) / 100
        return Limit(field, QUANTILES[field], low * factor, high * factor, text.strip().removeprefix("<").strip())
    condition = Condition.parse(f"response_time.{field} {str(text).strip()}")
    if condition is None or condition.relation not in ("<", "<=") or not condition.limit > 0:
        raise UserError(f'{field} is {text!r}, and should be as "< 20 ms" or "< baseline + 10 %"')
    if dimension_of(condition.limit_text.partition(" ")[2]) is None or _unit(condition.limit_text) != "s":
        raise UserError(f"{field} is {text!r}, and its limit should be a time, such as 20 ms")
    return Limit(field, QUANTILES[field], condition.limit, condition.limit, condition.limit_text)


def _unit(text: str) -> str:
    found = dimension_of(text.partition(" ")[2])
    return found[1] if found else ""


def seconds(name: str, text: str) -> float:
    """A time, `10 s`; `UserError` for any other."""
    parts = QUANTITY.fullmatch(str(text).strip())
    size = dimension_of(parts["unit"]) if parts else None
    if parts is None or size is None or size[1] != "s" or not float(parts["number"]):
        raise UserError(f"{name} is {text!r}, and should be a time, such as 10 s")
    return float(parts["number"]) * size[0]


def per_second(name: str, text: str) -> float:
    """A rate, `100 /s` or `30 /min`; `UserError` for any other."""
    number, _, unit = str(text).partition("/")
    try:
        found = float(number) / seconds(name, f"1 {unit.strip()}")
    except (ValueError, UserError):
        found = 0.0
    if not found > 0:
        raise UserError(f"{name} is {text!r}, and should be a rate, such as 100 /s")
    return found
