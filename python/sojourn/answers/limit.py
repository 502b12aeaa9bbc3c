"""The answer of a search in sentences: the verdict on the requested value, and the limit."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, phrases
from sojourn.units import format_value

_FIELDS = {"p50": "median", "p999": "p99.9"}


def answered(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """(question, answer), most important first: on the requested value if there is one, then on the limit."""
    found = f"{phrases.capitalised(limit(answer))}."
    if answer.get("asked") is None:
        return [("Limit", found)]
    question = str(answer.get("question") or f"Is {answer['key']} = {answer['asked']['value_text']} within the limit?")
    return [(question, requested(answer)), ("Limit", found)]


def requested(answer: dict[str, Any]) -> str:
    """Whether the requested value meets the conditions, compared with the current value and the limit."""
    value, today = answer["asked"], answer.get("written")
    instead = f" instead of {today['value_text']}" if today else ""
    said = [f"{_verdict(value)}: with {answer['key']} = {value['value_text']}{instead}, {_conditions(value)}."]
    if _runs_differ(value):
        said.append(f"Replications differ: {_runs(value)} meet the conditions.")
    if today and today["value"] != value["value"]:
        said.append(f"At present, with {today['value_text']}, {_conditions(today)}.")
    if answer["outcome"] == "found" and answer["direction"]:
        reach = "up to" if answer["direction"] == "largest" else "from"
        said.append(f"The conditions hold {reach} {answer['value_text']}.")
    return " ".join(said)


def limit(answer: dict[str, Any]) -> str:
    """The limit of a key up to which the conditions hold, and its uncertainty."""
    key, text = answer["key"], answer["text"]
    fixed = {
        "always": f"{text} holds over the whole range of {key}",
        "never": f"{text} does not hold anywhere in the range of {key}",
        "undecided": f"{text} is undecided over the range of {key}: run more --replications",
    }
    if answer["outcome"] in fixed:
        return fixed[answer["outcome"]]
    return f"the {answer['direction']} {key} with {text} is {answer['value_text']}{_sharpness(answer)}"


def _sharpness(answer: dict[str, Any]) -> str:
    """The uncertainty of a limit: how many replications meet it where they differ, else its confidence interval."""
    found, beyond = answer.get("found"), answer.get("beyond")
    if found and beyond and (_runs_differ(found) or _runs_differ(beyond)):
        there = f", met by {_runs(found)}; {beyond['value_text']} is met by {_runs(beyond)}"
        return f"{there}. Where replications differ the limit is random: more --replications may lower it"
    ends = answer.get("interval_text")
    return f" (95 % confidence interval {ends[0]} to {ends[1]})" if ends else ""


def _verdict(value: dict[str, Any]) -> str:
    if value["verdict"] != "undecided":
        return "Yes" if value["verdict"] == "met" else "No"
    holds = all(condition["holds"] for condition in value["conditions"])
    likely = "Probably" if holds else "Probably not"
    return f"{likely}, but the confidence interval includes the limit: run more --replications"


def _runs_differ(value: dict[str, Any]) -> bool:
    """Whether some replications meet the conditions and others do not."""
    runs = value.get("runs") or {"met": 0, "of": 0}
    return bool(0 < runs["met"] < runs["of"])


def _runs(value: dict[str, Any]) -> str:
    runs = value["runs"]
    return f"{runs['met']} of {runs['of']} replications"


def _conditions(value: dict[str, Any]) -> str:
    return phrases.list_of([_condition(condition) for condition in value["conditions"]])


def _condition(condition: dict[str, Any]) -> str:
    """One condition: "p99 of response time is 203 ms (95 % CI 201 ms to 206 ms; required: < 250 ms)"."""
    metric, unit = str(condition["metric"]), str(condition["unit"])
    name, _, member = metric.partition("/")
    label = phrases.within_a_sentence(catalogue.metric_label(name))
    ends, required = condition.get("interval") or [0.0, 0.0], condition["text"].split(" ", 1)[1]
    # an equality is decided by the count alone
    known = ends[0] < ends[1] and not required.startswith("=")
    spread = (
        f"95 % CI {format_value(ends[0], unit, metric)} to {format_value(ends[1], unit, metric)}; " if known else ""
    )
    number = f"{format_value(condition['value'], unit, metric)} ({spread}required: {required})"
    of = f" of {member}" if member else ""
    field = "" if condition["field"] == "value" else f"{_FIELDS.get(condition['field'], condition['field'])} of "
    return f"{field}{label}{of} is {number}"
