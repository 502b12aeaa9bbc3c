"""The rate of a rare event, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from sojourn.units import percent, significant


class Period(StrEnum):
    """Times that rates are given per."""

    second = "second"
    minute = "minute"
    hour = "hour"
    day = "day"
    week = "week"
    month = "month"
    year = "year"


SECONDS = {
    Period.second: 1.0,
    Period.minute: 60.0,
    Period.hour: 3600.0,
    Period.day: 86_400.0,
    Period.week: 604_800.0,
    Period.month: 2_592_000.0,
    Period.year: 31_536_000.0,
}
"""A month has 30 days, a year 365."""
SPANS = (("years", 31_536_000.0), ("days", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))


def of_risk(risk: Mapping[str, Any], per: Period | None = None) -> str:
    """The answer of `sojourn risk`: rate, mean time, probability, and what it took."""
    lines = [str(risk["condition"]), *(f"  {line}" for line in (*_answer(risk, per), *_effort(risk)))]
    return "\n".join([*lines, *_levels(risk["levels"])])


def first_of_risk(risk: Mapping[str, Any], per: Period | None = None) -> list[str]:
    """The answer of `sojourn risk` in a sentence, and what it took."""
    low, high = risk["ci95"]
    answers, efforts = _answer(risk, per), _effort(risk)
    if risk["rate"] is None:
        fewer = rate(high, per or fitting(high))
        return [f"{risk['condition']} did not occur: fewer than {fewer} (95 %).", *answers[1:], *efforts]
    period = per or fitting(risk["rate"])
    often = f"{significant(risk['rate'] * SECONDS[period])} times {_per(period)}"
    longest = f"to {duration(1 / low)}" if low > 0 else "or more"
    first = f"{duration(risk['mean_time'])} ({duration(1 / high)} {longest})"
    said = f"{risk['condition']} occurs {often} (95 % CI {_ends(low, high, period)}), the first time after {first}."
    return [said, *answers[2:], *efforts]


def duration(seconds: float) -> str:
    """A time in the largest unit of which it is one at least: "16.3 h"."""
    if not math.isfinite(seconds):
        return "for ever"
    name, size = next(((name, size) for name, size in SPANS if seconds >= size), SPANS[-1])
    return f"{significant(seconds / size)} {name}"


def rate(per_second: float, per: Period) -> str:
    """A rate in a period: "0.4 a year"."""
    return f"{significant(per_second * SECONDS[per])} {_per(per)}"


def fitting(per_second: float) -> Period:
    """The shortest period in which it occurs once on average, a year at most."""
    return next((period for period, seconds in SECONDS.items() if per_second * seconds >= 1.0), Period.year)


def of_condition(condition: Mapping[str, Any]) -> str:
    """A condition of a search on a rate: "failures > 0 occurs 0.4 a year (95 % CI 0.3 to 0.6; required: < 1 /year)"."""
    event, _, required = str(condition["text"]).partition("(")[2].partition(")")
    low, high = condition["interval"]
    if condition["value"] is None:
        fewer = "" if high is None else f"fewer than {rate(high, fitting(high))}; "
        return f"{event.strip()} did not occur ({fewer}required: {required.strip()})"
    period = fitting(condition["value"])
    ends = _ends(low, high, period)
    return f"{event.strip()} occurs {rate(condition['value'], period)} (95 % CI {ends}; required: {required.strip()})"


def of_trials(answer: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """What a search on a rate tried, as head and rows: a value of the key, the rate with its interval, the verdict.

    The rates are per the period that the limit is about.
    """
    event, _, required = str(answer["text"]).partition("(")[2].partition(")")
    rows = []
    for trial in answer["trials"]:
        (condition,) = trial["conditions"]
        low, high = condition["interval"]
        period = fitting(condition["limit"])
        size = SECONDS[period]
        if condition["value"] is None:
            said = "did not occur" if high is None else f"fewer than {rate(high, period)}"
        else:
            said = f"{significant(condition['value'] * size)} ({_ends(low, high, period)}) {_per(period)}"
        rows.append([str(trial["value_text"]), said, str(trial["verdict"])])
    return [str(answer["key"]), f"risk of {event.strip()}", required.strip()], rows


def _per(period: Period) -> str:
    return f"{'an' if period is Period.hour else 'a'} {period.value}"


def so_far(per_second: float | None, interval: Sequence[float | None]) -> str:
    """A rate that is still being estimated: "0.4 a year (0.1 to 1.5)"."""
    low, high = interval
    if per_second is None:
        return "did not occur" if high is None else f"fewer than {rate(high, fitting(high))}"
    period = fitting(per_second)
    return f"{rate(per_second, period)} ({_ends(low or 0.0, high, period)})"


def is_about(answer: Mapping[str, Any] | None) -> bool:
    """Whether a search is about how often something occurs: its points then have no results to show."""
    return str((answer or {}).get("text") or "").startswith("risk(")


def _ends(low: float, high: float | None, period: Period) -> str:
    upper = "or more" if high is None else f"to {significant(high * SECONDS[period])}"
    return f"{significant(low * SECONDS[period])} {upper}"


def _answer(risk: Mapping[str, Any], per: Period | None) -> list[str]:
    low, high = risk["ci95"]
    if risk["rate"] is None:
        period = per or fitting(high)
        return [f"rate: did not occur: fewer than {rate(high, period)} (95 %)"]
    period = per or fitting(risk["rate"])
    size = SECONDS[period]
    interval = f"{significant(low * size)} to {significant(high * size)}"
    lines = [f"rate: {rate(risk['rate'], period)} (95 % CI {interval})"]
    longest = duration(1 / low) if low > 0 else "any time"
    lines.append(f"mean time to the first: {duration(risk['mean_time'])} (95 % CI {duration(1 / high)} to {longest})")
    if risk["probability"] is not None:
        ends = " to ".join(_share(end) for end in risk["probability_ci95"] or ())
        lines.append(f"probability within {duration(risk['within'])}: {_share(risk['probability'])} (95 % CI {ends})")
    if risk["share_of_time"] is not None:
        ends = " to ".join(_share(end) for end in risk["share_ci95"])
        lines.append(f"share of the time: {_share(risk['share_of_time'])} (95 % CI {ends})")
    return lines


def _share(value: float) -> str:
    """A probability: 0.02, 1.5e-09."""
    return significant(value, 2)


def _effort(risk: Mapping[str, Any]) -> list[str]:
    method = f"splitting by {risk['importance']} at {len(risk['levels']) - 1} levels (RESTART)"
    how = method if risk["method"] == "splitting" else "runs without splitting"
    seen = f"{risk['replications']} replications, {risk['replications_with_occurrence']} of them with an occurrence"
    lines = [f"method: {how}; {seen}"]
    simulated = f"simulated: {duration(risk['simulated_time'])}"
    if risk["pilot_time"] > 0:
        simulated += f", and {duration(risk['pilot_time'])} of pilots"
    if risk["equivalent_time"] is not None and risk["method"] == "splitting":
        factor = risk["equivalent_time"] / (risk["simulated_time"] + risk["pilot_time"])
        simulated += f"; without splitting {duration(risk['equivalent_time'])}, {significant(factor, 2)} times as much"
        if factor < 1:
            simulated += ": splitting saves nothing here, with the pilots that place its levels"
    return [*lines, simulated]


def _levels(levels: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(levels) < 2:
        return []
    head = ("from", "copies", "reached", "time in it", "effort", "occurred")
    rows = [
        (
            str(level["from"]),
            str(level["copies"]),
            str(level["entered"]) if index else "",
            _share(level["share"]),
            percent(level["effort"]),
            str(level["occurrences"]),
        )
        for index, level in enumerate(levels)
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return [
        "",
        *("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)),
    ]
