"""The answer of a search in sentences: the verdict on the requested value, and the limit."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, occurrences, phrases
from sojourn.units import format_value, percent, rounded

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
    if today is not None and today["value"] == value["value"]:
        today = None
    instead = f" instead of {today['value_text']}" if today else ""
    said = [f"{_verdict(value)}: with {answer['key']} = {value['value_text']}{instead}, {_conditions(value)}."]
    if _runs_differ(value):
        said.append(f"Replications differ: {_runs(value)} meet the conditions.")
    if today:
        said.append(f"At present, with {today['value_text']}, {_conditions(today)}.")
    if answer["outcome"] == "found" and answer["direction"]:
        somewhere = "a value " if _ends_at_capacity(answer) else ""
        said.append(f"The conditions hold {_reach(answer)} {somewhere}{_estimate(answer)}.")
    return " ".join(said)


def limit(answer: dict[str, Any]) -> str:
    """The limit of a key up to which the conditions hold, and its 95 % confidence interval."""
    key, text = answer["key"], answer["text"]
    fixed = {
        "always": f"the condition {text} holds over the whole range of {key}",
        "never": f"the condition {text} does not hold anywhere in the range of {key}",
    }
    if answer["outcome"] in fixed:
        return fixed[answer["outcome"]] + _unseen(answer)
    the_limit = f"the {answer['direction']} {key} with {text}"
    if answer["outcome"] == "undecided":
        said = f"{_undecided(the_limit, answer)}{_capacity(answer)}{_unseen(answer)}"
        return f"{said}{_narrower(answer)}{_groups(answer)}"
    return f"{the_limit} is {_estimate(answer)}{_capacity(answer)}{_narrower(answer)}{_groups(answer)}"


def _estimate(answer: dict[str, Any]) -> str:
    """The estimate with its interval: "308 /s (95 % confidence interval 305 /s to 312 /s)"."""
    low, high = answer["interval_text"]
    if low == high:
        return f"{answer['value_text']} (with 95 % confidence)"
    if _ends_at_capacity(answer):
        return f"between {low} and {high} (95 % confidence)"
    return f"{answer['value_text']} (95 % confidence interval {low} to {high})"


def _ends_at_capacity(answer: dict[str, Any]) -> bool:
    """Whether all that is known of the limit is that it lies below what can be served."""
    capacity, (low, high) = answer.get("capacity"), answer["interval_text"]
    return capacity is not None and low != high and capacity["value_text"] == answer["value_text"]


def _undecided(the_limit: str, answer: dict[str, Any]) -> str:
    """The part of the interval that the replications decide."""
    low, high = answer["interval_text"]
    count = answer["replications"]
    samples = "one replication has no confidence interval" if count == 1 else f"not decidable with {count} replications"
    if occurrences.is_about(answer):
        samples = "not decided by the intervals of the rates"
    if low is None and high is None:
        return f"{the_limit} may lie anywhere in the range or beyond it: {samples}"
    known, open_end = (f"at least {low}", "an upper") if high is None else (f"at most {high}", "a lower")
    if answer.get("unseen"):
        return f"{the_limit} is {known}"
    return f"{the_limit} is {known} with 95 % confidence; {open_end} end is {samples}"


def _capacity(answer: dict[str, Any]) -> str:
    """Beyond which value more arrives than is served: "; beyond 100 /s more arrives at server than it serves"."""
    capacity = answer.get("capacity")
    if not capacity:
        return ""
    serves = "" if capacity["serves_unit"] == "1" else f" ({rounded(capacity['serves'], 4)} {capacity['serves_unit']})"
    side = "below" if answer["direction"] == "smallest" else "beyond"
    return f"; {side} {capacity['value_text']} more arrives at {capacity['resource']} than it serves{serves}"


def _unseen(answer: dict[str, Any]) -> str:
    """The bound of an event that no replication observed where the conditions are met."""
    unseen = answer.get("unseen")
    if not unseen:
        return ""
    where = f"{_reach(answer)} {unseen['value_text']}" if answer["direction"] else f"at {unseen['value_text']}"
    return f"; {where} there were {unseen['observed']}, that is {unseen['bound']} ({unseen['more']})"


def _reach(answer: dict[str, Any]) -> str:
    return "up to" if answer["direction"] == "largest" else "from"


def _narrower(answer: dict[str, Any]) -> str:
    """What more replications would give; near what is served, what longer runs would."""
    if answer.get("capacity") and answer["interval_text"][0] != answer["interval_text"][1]:
        return "; longer runs would narrow the interval: a queue near saturation remembers for long"
    more = answer.get("narrower")
    if not more:
        return ""
    width = format_value(more["width"], answer["unit"])
    return f"; `--replications {more['replications']}` would narrow the interval to about {width}"


def _groups(answer: dict[str, Any]) -> str:
    """How the replications of the estimate fall into two groups, where they do."""
    conditions = (answer.get("found") or {}).get("conditions", [])
    found = next((condition for condition in conditions if condition.get("groups")), None)
    if found is None:
        return ""
    groups = found["groups"]
    lower, upper = (
        phrases.range_of(*(_formatted(found, end) for end in groups[group])) for group in ("lower", "upper")
    )
    return (
        f". With {answer['value_text']} the replications fall into two groups: {_name(found)} is {upper} in "
        f"{groups['in_upper']} of {groups['of']} and {lower} in the others (95 % confidence interval of the share: "
        f"{phrases.range_of(*(percent(end) for end in groups['share']))})"
    )


def _verdict(value: dict[str, Any]) -> str:
    count = (value.get("runs") or {}).get("of")
    few = {None: "more replications are needed", 1: "one replication is too few"}
    undecided = f"Not decided, {few.get(count, f'{count} replications are too few')}"
    return {"met": "Yes", "missed": "No"}.get(value["verdict"], undecided)


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
    if condition["metric"] == "risk":
        return occurrences.of_condition(condition)
    required = condition["text"].split(" ", 1)[1]
    value = condition["value"]
    why = condition.get("reason")
    number = why if value is None else _formatted(condition, value)
    if value is not None and why:
        required += f"; {why}"
    # an equality is decided by the count alone
    spread = "" if required.startswith("=") else _spread(condition)
    if unseen := condition.get("unseen"):
        required += f"; {unseen['observed']}: {unseen['bound']}"
    number = f"{number or 'not observed'} ({spread}required: {required})"
    label = catalogue.metric_label(str(condition["metric"]).partition("/")[0])
    plural = condition["field"] == "value" and label.endswith("s") and not label.endswith("ss")
    return f"{_name(condition)} {'are' if plural else 'is'} {number}"


def _spread(condition: dict[str, Any]) -> str:
    """The interval of a condition's value; its upper end may be open."""
    low, high = condition.get("interval") or (0.0, 0.0)
    if low == high:
        return ""
    upper = "or more" if high is None else f"to {_formatted(condition, high)}"
    return f"95 % CI {_formatted(condition, low)} {upper}; "


def _formatted(condition: dict[str, Any], value: float) -> str:
    return format_value(value, str(condition["unit"]), str(condition["metric"]))


def _name(condition: dict[str, Any]) -> str:
    """What a condition is about: "p99 of response time of alarm-2"."""
    name, _, member = str(condition["metric"]).partition("/")
    label = phrases.within_a_sentence(catalogue.metric_label(name))
    of = f" of {member}" if member else ""
    field = "" if condition["field"] == "value" else f"{_FIELDS.get(condition['field'], condition['field'])} of "
    return f"{field}{label}{of}"
