"""The conditions of `[expect]` in the words of a user: what was found, and whether it is what was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sojourn import catalogue, phrases
from sojourn.point import Point, of_delivered
from sojourn.units import format_duration, format_ends, format_interval, format_value, percent, unit_size

CONDITION = re.compile(r"(?P<what>\S+) (?P<relation>[<>]=?|=) (?P<number>[-+.\de]+) ?(?P<unit>\S*)")
FIELD = re.compile(r"\.(?P<field>[^./]*)$")
"""What follows the name of a metric: "response_time.p99"."""
UNSTEADY = "no steady state"
"""How the reason begins why a value of runs is not that of the network."""
AT_MOST = re.compile(r"^0 \((at most [^)]+)\)(.*)$")
"""What is known of a value that was not observed, and its unit."""
SHARES = {"p50": "Half", "p90": "90 %", "p95": "95 %", "p99": "99 %", "p999": "99.9 %"}
"""How much of what was sampled takes no longer than a quantile."""
SAMPLED = {
    "response_time": "responses{on} take at most",
    "transaction_time": "transactions{on} take at most",
    "one_way_delay": "packets{on} arrive within",
    "poll_cycle": "rounds of polls{on} take at most",
    "freshness": "values{on} are not older than",
    "token_rotation": "rotations of the token{on} take at most",
}
"""What is sampled as a time, behind a share of it; other times are named by their label."""
WORDS = {
    "mos": ("the {who} has a MOS of VALUE", ""),
    "loss": ("VALUE of the messages{on} are lost", "no message{on} is lost"),
    "deadline_misses": ("VALUE of the messages{on} miss their deadline", "no message{on} misses its deadline"),
    "play_out_loss": ("VALUE of the {packets} are not played", "all {packets} are played"),
    "unrecovered": ("VALUE of {member} went without a recovery", "every {member} was recovered from"),
}
"""What is said of a value, and of none."""
OUTERMOST = {"min": "shortest", "max": "longest"}
NEAR = 0.01
"""A value this near to its limit, as a share of it, has the digits that make the ends of its interval differ."""
SPARE = 1.1
"""By which what would decide is more than what would, if nothing changed, just reach the limit."""
OPTION = re.compile(r"--replications (?P<replications>\d+)")
MOST_TIMES = 500.0
"""What takes longer by this factor is not proposed."""
RANK = ("missed", "undecided", "met")
"""Of several verdicts the one that is said first."""


@dataclass(frozen=True)
class Condition:
    """A condition in its parts; the limit is in SI units."""

    metric: str
    field: str
    relation: str
    limit: float
    limit_text: str

    @classmethod
    def parse(cls, text: str) -> Condition | None:
        """Reads "response_time.p99 < 250 ms"; None where it does not compare with a number."""
        parts = CONDITION.fullmatch(text)
        if parts is None or (size := unit_size(parts["unit"])) is None:
            return None
        metric, field = named(parts["what"])
        limit_text = f"{parts['number']} {parts['unit']}".rstrip()
        return cls(metric, field, parts["relation"], float(parts["number"]) * size, limit_text)

    @property
    def base(self) -> str:
        """The metric without its member."""
        return self.metric.partition("/")[0]

    @property
    def wanted(self) -> str:
        """What is required, behind "the requirement of": "250 ms", "more than 3.6"."""
        is_time = self.field in SHARES and self.base in SAMPLED
        words = {"<": "" if is_time else "less than ", "<=": "" if is_time else "at most "}
        words |= {">": "more than ", ">=": "at least ", "=": ""}
        return f"{words[self.relation]}{self.limit_text}"


def named(what: str) -> tuple[str, str]:
    """A metric and its field: ("response_time", "p99"); of a name alone the field is "value"."""
    found = FIELD.search(what)
    return (what, "value") if found is None else (what[: found.start()], found["field"])


def first(verdicts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The verdict that answers: the first that is missed, else the first that is undecided, else the first."""
    rows = [row for row in verdicts if row["verdict"] in RANK]
    return min(rows, key=lambda row: RANK.index(row["verdict"]), default=None)


def sentence(row: Mapping[str, Any], point: Point | None = None, elapsed_s: float | None = None) -> str:
    """The answer to a condition at one point, with a full stop.

    "99 % of responses on alarm take at most 24.1 (23.4 to 25.0) ms: the requirement of 100 ms is met."

    `elapsed_s` is how long its replications took, where that is known: what is undecided says how much longer it takes.
    """
    condition = Condition.parse(str(row["text"]))
    if condition is None or row.get("value") is None:
        why = f": {row['reason']}" if row.get("reason") else ""
        return f"The requirement {row['text']} is {row['verdict']}{why}."
    end = _verdict(row, condition, point, elapsed_s)
    reason = f"; {row['reason']}" if row.get("reason") else ""
    if reason.startswith(f"; {UNSTEADY}"):
        # why, is said before
        reason = " in these runs, but there is no steady state"
    next_one = f"; {after}" if (after := next_measurement(row)) else ""
    return f"{phrases.capitalised(found(row, condition, point))}{reason}: {end}{next_one}."


def found(row: Mapping[str, Any], condition: Condition, point: Point | None = None) -> str:
    """What was found, as a clause: "99 % of responses on alarm take at most 24.1 (23.4 to 25.0) ms"."""
    if condition.field in SHARES:
        return _quantile(row, condition, point)
    if condition.field in OUTERMOST:
        label = phrases.within_a_sentence(catalogue.metric_label(condition.base))
        seen = format_value(row["value"], row.get("unit"), condition.metric)
        return f"the {OUTERMOST[condition.field]} {label}{_on(condition, point)} was {seen}"
    return _central(row, condition, point)


def next_measurement(row: Mapping[str, Any]) -> str:
    """How likely the next measurement meets a condition: "response_time.p99 of the next measurement is below ..."."""
    known, condition = row.get("next_measurement"), Condition.parse(str(row["text"]))
    if known is None or condition is None:
        return ""
    low, high = known["ci95"]
    words = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": "exactly"}
    inside = f"{condition.metric}{f'.{condition.field}' if condition.field != 'value' else ''}"
    return (
        f"{inside} of the next measurement is {words[condition.relation]} {condition.limit_text} with a probability of "
        f"{percent(known['probability'])} ({percent(low)} to {percent(high)})"
    )


def others(verdicts: Sequence[Mapping[str, Any]], said: Mapping[str, Any]) -> str:
    """What became of the other requirements: "The other 2 requirements are met."; empty without others."""
    rest = [str(row["verdict"]) for row in verdicts if row is not said]
    if not rest:
        return ""
    rest = [word.replace("undecided", "not decided") for word in rest]
    words = [word for word in ("missed", "not decided", "met") if word in rest]
    counted = [f"{rest.count(word)} {'is' if rest.count(word) == 1 else 'are'} {word}" for word in words]
    if len(counted) > 1:
        return f"Of the other {len(rest)} requirements {phrases.list_of(counted)}."
    return (
        f"The other {len(rest)} requirements are {rest[0]}."
        if len(rest) > 1
        else f"The other requirement is {rest[0]}."
    )


def times_as_long(row: Mapping[str, Any]) -> float | None:
    """How many times the replications would decide it, if the value stays; None where its interval leaves it open."""
    condition, value, interval = Condition.parse(str(row["text"])), row.get("value"), row.get("interval")
    if condition is None or value is None or not interval or interval[1] is None or condition.field in OUTERMOST:
        return None
    distance = abs(condition.limit - value)
    half = interval[1] - value if condition.limit > value else value - (interval[0] or 0.0)
    if not distance or half <= 0:
        return None
    # the upper end of nothing seen falls with the trials, the half-width of a mean with their square root
    ratio = half / distance
    times = SPARE * (ratio if value == 0 else ratio**2)
    return times if 1 < times <= MOST_TIMES else None


def _verdict(row: Mapping[str, Any], condition: Condition, point: Point | None, elapsed_s: float | None) -> str:
    what = f"the requirement of {condition.wanted} is"
    if row["verdict"] != "undecided":
        return f"{what} {row['verdict']}"
    return "; ".join([f"{what} not decided", *_decides(row, point, elapsed_s)])


def _decides(row: Mapping[str, Any], point: Point | None, elapsed_s: float | None) -> list[str]:
    """ "about 40 s more would decide it (`--replications 48`)"; where no time is known the option alone."""
    needs = str(row.get("needs") or "")
    option = OPTION.search(needs)
    times = times_as_long(row)
    if option is not None and point is not None:
        times = int(option["replications"]) / int(point.raw["replications"])
    if times is None or elapsed_s is None:
        return [needs] if needs else []
    more_s = elapsed_s * (times - 1)
    longer = f"about {format_duration(more_s)} more" if more_s >= 1 else "less than 1 s more"
    how = f" (`{option[0]}`)" if option else ""
    if times_as_long(row) is not None:
        return [f"{longer} would decide it{how}"]
    why, _, _ = needs.partition(": ")
    return [why, f"{longer} would give one{how}"]


def _quantile(row: Mapping[str, Any], condition: Condition, point: Point | None) -> str:
    share, on = SHARES[condition.field], _on(condition, point)
    sampled = SAMPLED.get(condition.base)
    label = phrases.within_a_sentence(catalogue.metric_label(condition.base))
    begin = f"{share} of {sampled.format(on=on)}" if sampled else f"{share} of all values of {label}{on} are at most"
    return f"{begin} {value_of(row, condition)}"


def value_of(row: Mapping[str, Any], condition: Condition) -> str:
    """The value alone: "24.1 (23.4 to 25.0) ms"; of a quantile that samples do not bound what was observed."""
    low, high = row.get("interval") or (None, None)
    if condition.field in SHARES and low is not None and high is None:
        least, seen = (format_value(end, row.get("unit"), condition.metric) for end in (low, row["value"]))
        return f"{seen} as far as was observed, at least {least}"
    return _value(row, condition)


def _central(row: Mapping[str, Any], condition: Condition, point: Point | None) -> str:
    value, on = _value(row, condition), _on(condition, point)
    none = row["value"] == 0
    bound = AT_MOST.sub(r" (\1\2)", value) if none and AT_MOST.search(value) else ""
    if condition.base in WORDS:
        member = condition.metric.partition("/")[2]
        some, nothing = WORDS[condition.base]
        who = f"call {member}" if member else "poorest listener"
        packets = f"packets{on}" if member else "packets of calls"
        words = (nothing if none and nothing else some).format(who=who, packets=packets, member=member, on=on)
        return words.replace("VALUE", value) + (bound if none and nothing else "")
    label = phrases.within_a_sentence(catalogue.metric_label(condition.base))
    metric = point.get(condition.metric) if point is not None else None
    if metric is not None and metric.is_count:
        return f"there were {_none_seen(row, label, on)}" if none else f"there were {value} {label}{on}"
    if condition.field not in ("mean", "value"):
        return f"the {condition.field} of the {label}{on} is {value}"
    mean = "mean " if condition.field == "mean" else ""
    return f"the {mean}{label}{on} is {value}{of_delivered(metric) if metric is not None and mean else ''}"


def _none_seen(row: Mapping[str, Any], label: str, on: str) -> str:
    """ "no failures in 1.7 h (fewer than 43 a day at 95 %)", as the engine bounds what was not observed."""
    observed, _, rest = str(row.get("needs") or "").partition(": ")
    bound = rest.partition(";")[0]
    what, _, length = observed.partition(" in ")
    return f"{what}{on} in {length} ({bound})" if observed.startswith("no ") and bound else f"no {label}{on}"


def _on(condition: Condition, point: Point | None) -> str:
    """Which flow or member it is about: " on alarm"; that of the only probed flow where the metric is of all."""
    base, _, member = condition.metric.partition("/")
    of_flows = base in SAMPLED or base in ("loss", "failures", "play_out_loss")
    if not member and point is not None and of_flows and base != "play_out_loss":
        flows = [name for name in point.members(base) if "/" not in name]
        member = flows[0] if len(flows) == 1 else ""
    return f" {'on' if of_flows else 'of'} {member}" if member else ""


def _value(row: Mapping[str, Any], condition: Condition) -> str:
    unit, interval = row.get("unit") or catalogue.metric(condition.metric).get("unit"), row.get("interval")
    is_near = abs(row["value"] - condition.limit) < NEAR * abs(condition.limit)
    if (condition.field in SHARES or is_near) and interval and interval[1] is not None:
        return format_ends(row["value"], (interval[0] or 0.0, interval[1]), unit, condition.metric)
    return format_interval(row["value"], interval, unit, condition.metric)
