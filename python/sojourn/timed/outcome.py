"""What became of a response-time test, in one line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any

from sojourn import requirements
from sojourn.timed import pauses
from sojourn.timed.decision import MET, MISSED, UNDECIDED, Found
from sojourn.timed.sampler import Series
from sojourn.units import format_duration, format_ends, format_value, percent

MOST_PAUSED = 0.1
"""Share of the calls beside pauses above which nothing is decided."""


@dataclass(frozen=True)
class Outcome:
    """The verdict of a series, and its line."""

    verdict: str
    line: str
    rows: list[dict[str, Any]]
    """The verdicts of its requirements, as those of `[expect]`."""
    found: list[Found]


def outcome(series: Series, reason: str = "") -> Outcome:
    """The outcome of a series that has ended; a `reason` for which its limits cannot be compared leaves it open."""
    paused = _paused(series)
    lost = paused / max(1, len(series.calls))
    if lost > MOST_PAUSED:
        reason = f"this host paused within {percent(lost)} of the calls"
    found = [_overloaded(one, series) for one in series.decision.found]
    rows = [_row(one, series, reason) for one in found]
    ranked = [str(row["verdict"]) for row in rows]
    verdict = next(word for word in (MISSED, UNDECIDED, MET) if word in ranked)
    said = [row for row in rows if row["verdict"] == verdict] if verdict != MET else rows
    line = " ".join(_sentence(row) for row in said)
    return Outcome(verdict, f"{line} {_how(series, paused)}", rows, found)


def in_numbers(found: Found) -> str:
    """ "p99 24.1 (22.8 to 26.0) ms"."""
    if not isfinite(found.high_s):
        return f"{found.limit.field} {format_value(found.value_s, 's')}, without an upper end"
    return f"{found.limit.field} {format_ends(found.value_s, (found.low_s, found.high_s), 's')}"


def _row(found: Found, series: Series, reason: str) -> dict[str, Any]:
    high = None if found.high_s == inf else found.high_s
    row: dict[str, Any] = {
        "text": f"response_time.{found.limit.field} < {found.limit.text}",
        "verdict": UNDECIDED if reason or not isfinite(found.limit.middle_s) else found.verdict,
        "value": found.value_s if isfinite(found.value_s) else None,
        "interval": [found.low_s, high],
        "unit": "s",
        "limit_s": found.limit.middle_s,
    }
    if reason := reason or found.reason:
        row["reason"] = reason
    elif row["verdict"] == UNDECIDED and (more := _needs(row, found, series)):
        row["needs"] = more
    return row


def _overloaded(found: Found, series: Series) -> Found:
    """In an open loop that asks for more than the service can do, every time exceeds the last: there is no steady
    state to wait for, and half of the calls in a row beyond the limit miss it."""
    late = [taken for *_, taken in series.calls[len(series.calls) // 2 :]]
    if series.rate is None or found.verdict != UNDECIDED or not late or min(late) <= found.limit.high_s:
        return found
    return replace(found, verdict=MISSED, reason="calls are due faster than they end")


def _sentence(row: dict[str, Any]) -> str:
    """As for any requirement; one of a baseline has its limit in numbers."""
    if "baseline" not in row["text"]:
        return requirements.sentence(row)
    head, _, text = str(row["text"]).partition(" < ")
    if not isfinite(row["limit_s"]):
        return f"{head} is not compared: {row.get('reason', 'there is no baseline')}."
    number = format_value(row["limit_s"], "s")
    said = requirements.sentence(row | {"text": f"{head} < {number}"})
    return said.replace(f"the requirement of {number}", f"the requirement of {text} ({number})")


def _needs(row: dict[str, Any], found: Found, series: Series) -> str:
    """ "about 1400 more calls (14 s) would decide it"."""
    if found.high_s == inf:
        times = requirements.SPARE * found.least / max(1.0, found.effective)
    else:
        in_numbers = row | {"text": f"response_time.{found.limit.field} < {found.limit.middle_s:.9f} s"}
        times = requirements.times_as_long(in_numbers) or 0.0
    if times <= 1:
        return "the limit is within the interval, and so close that more calls may not decide it"
    calls = _two_digits(len(series.calls) * (times - 1))
    return f"about {calls} more calls ({format_duration(series.within_s * (times - 1))}) would decide it"


def _how(series: Series, paused: int) -> str:
    took = format_duration(series.ended - series.began)
    loop = f"open loop at {series.rate:g} /s" if series.rate is not None else "closed loop"
    parts = [f"{len(series.calls)} calls in {took}, {loop}"]
    if series.decision.dropped:
        parts.append(f"the first {series.decision.dropped} left out as warm-up")
    if paused:
        lasted = pauses.lasted(series.watch) if series.watch else 0.0
        parts.append(f"{paused} left out for pauses of this host ({lasted * 1e3:.0f} ms in all)")
    return f"({'; '.join(parts)})"


def _paused(series: Series) -> int:
    return len(series.calls) - len(series.times())


def _two_digits(number: float) -> int:
    return int(float(f"{number:.1e}"))
