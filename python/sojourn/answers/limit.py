"""The answer of a search in sentences: would the value asked about do, and how far could one go?"""

from __future__ import annotations

from typing import Any

from sojourn import labels
from sojourn.units import say

_SHARES = {"p50": "half", "p90": "90 %", "p99": "99 %", "p999": "99.9 %"}


def answered(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """(question, answer), most important first: of the value asked about if one was, then of the limit."""
    found = f"{_upper(limit(answer))}."
    if answer.get("asked") is None:
        return [("Found", found)]
    question = str(answer.get("question") or f"Would {answer['key']} = {answer['asked']['value_text']} do?")
    return [(question, asked(answer)), ("How far it holds", found)]


def asked(answer: dict[str, Any]) -> str:
    """Whether the value asked about meets the conditions, beside how it is today and up to where they hold."""
    value, today = answer["asked"], answer.get("written")
    instead = f" instead of {today['value_text']}" if today else ""
    said = [f"{_verdict(value)}: with {answer['key']} = {value['value_text']}{instead}, {_conditions(value)}."]
    if _runs_differ(value):
        said.append(f"The runs differ: {_runs(value)} meet what is asked.")
    if today and today["value"] != value["value"]:
        said.append(f"With {today['value_text']}, as it is now, {_conditions(today)}.")
    if answer["outcome"] == "found" and answer["direction"]:
        reach = "up to" if answer["direction"] == "largest" else "from"
        said.append(f"What is asked holds {reach} {answer['value_text']}.")
    return " ".join(said)


def limit(answer: dict[str, Any]) -> str:
    """How far a key can go while the conditions hold, and what is known of how sharp that limit is."""
    key, text = answer["key"], answer["text"]
    fixed = {
        "always": f"{text} holds over the whole range of {key}",
        "never": f"{text} holds nowhere in the range of {key}",
        "undecided": f"{text} is undecided over the range of {key}: more --replications would tell",
    }
    if answer["outcome"] in fixed:
        return fixed[answer["outcome"]]
    return f"the {answer['direction']} {key} with {text} is {answer['value_text']}{_sharpness(answer)}"


def _sharpness(answer: dict[str, Any]) -> str:
    """What is known of a limit: in how many runs it holds where runs differ, else the values the intervals decide."""
    found, beyond = answer.get("found"), answer.get("beyond")
    if found and beyond and (_runs_differ(found) or _runs_differ(beyond)):
        there = f", where {_runs(found)} meet it; with {beyond['value_text']}, {_runs(beyond)} do"
        return f"{there}. Where runs differ a limit is a matter of chance: more --replications may find it earlier"
    ends = answer.get("interval_text")
    return f"; by 95 % intervals it lies between {ends[0]} and {ends[1]}" if ends else ""


def _verdict(value: dict[str, Any]) -> str:
    if value["verdict"] != "undecided":
        return "Yes" if value["verdict"] == "met" else "No"
    holds = all(condition["holds"] for condition in value["conditions"])
    likely = "Probably" if holds else "Probably not"
    return f"{likely}, but the interval reaches over the limit and more --replications would tell"


def _runs_differ(value: dict[str, Any]) -> bool:
    """Whether some runs of a value meet the conditions and others do not."""
    runs = value.get("runs") or {"met": 0, "of": 0}
    return bool(0 < runs["met"] < runs["of"])


def _runs(value: dict[str, Any]) -> str:
    runs = value["runs"]
    return f"{runs['met']} of {runs['of']} runs"


def _conditions(value: dict[str, Any]) -> str:
    return labels.list_of([_condition(condition) for condition in value["conditions"]])


def _condition(condition: dict[str, Any]) -> str:
    """One condition: "99 % of the response times are within 203 ms (201 ms to 206 ms; asked: < 250 ms)"."""
    metric, unit = str(condition["metric"]), str(condition["unit"])
    name, _, member = metric.partition("/")
    label = labels.metric_label(name).lower()
    ends, asked_for = condition.get("interval") or [0.0, 0.0], condition["text"].split(" ", 1)[1]
    # an equality is judged by what was counted
    known = ends[0] < ends[1] and not asked_for.startswith("=")
    spread = f"{say(ends[0], unit, metric)} to {say(ends[1], unit, metric)}; " if known else ""
    number = f"{say(condition['value'], unit, metric)} ({spread}asked: {asked_for})"
    of = f" of {member}" if member else ""
    if unit == "s" and condition["field"] in _SHARES:
        return f"{_SHARES[condition['field']]} of the {label}s{of} are within {number}"
    field = "" if condition["field"] == "value" else f"{condition['field']} of "
    return f"{field}{label}{of}: {number}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
