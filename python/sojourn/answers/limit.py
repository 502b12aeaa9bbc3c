"""The answer of a search in sentences: would the value asked about do, and how far could one go?"""

from __future__ import annotations

from typing import Any

from sojourn import words
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
    if today and today["value"] != value["value"]:
        said.append(f"With {today['value_text']}, as it is now, {_conditions(today)}.")
    if answer["outcome"] == "found" and answer["direction"]:
        reach = "up to" if answer["direction"] == "largest" else "from"
        said.append(f"What is asked holds {reach} {answer['value_text']}.")
    return " ".join(said)


def limit(answer: dict[str, Any]) -> str:
    """How far a key can go while the conditions hold, and between which values that surely lies."""
    key, text = answer["key"], answer["text"]
    fixed = {
        "always": f"{text} holds over the whole range of {key}",
        "never": f"{text} holds nowhere in the range of {key}",
        "undecided": f"{text} is undecided over the range of {key}: more --replications would tell",
    }
    if answer["outcome"] in fixed:
        return fixed[answer["outcome"]]
    ends = answer.get("interval_text")
    between = f"; it surely lies between {ends[0]} and {ends[1]}" if ends else ""
    return f"the {answer['direction']} {key} with {text} is {answer['value_text']}{between}"


def _verdict(value: dict[str, Any]) -> str:
    if value["verdict"] != "undecided":
        return "Yes" if value["verdict"] == "met" else "No"
    holds = all(condition["holds"] for condition in value["conditions"])
    likely = "Probably" if holds else "Probably not"
    return f"{likely}, but the interval reaches over the limit and more --replications would tell"


def _conditions(value: dict[str, Any]) -> str:
    return words.list_of([_condition(condition) for condition in value["conditions"]])


def _condition(condition: dict[str, Any]) -> str:
    """One condition: "99 % of the response times are within 203 ms (201 ms to 206 ms; asked: < 250 ms)"."""
    metric, unit = str(condition["metric"]), str(condition["unit"])
    name, _, member = metric.partition("/")
    label = words.metric_label(name).lower()
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
