"""The sentences that answer a run, a sweep or a search first: the same on a terminal and in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sojourn import catalogue, occurrences, phrases, recoveries, requirements, resources, services, tails
from sojourn.answers import answer
from sojourn.answers.limit import limit as limit_of
from sojourn.answers.limit import requested
from sojourn.point import format_quantile, of_delivered
from sojourn.results import Metric, Point, Results
from sojourn.uncertainty import Kind
from sojourn.units import format_interval, format_value

ALONG = (*services.TIMES, "transaction_time", "mos", "loss", "transaction_rate", "throughput", "utilisation")
"""What a sweep without requirements is about, the first of them that it has."""
MOST_NAMED = 3
"""Up to this many values of a key are named; more are counted."""
Verdicts = Sequence[Mapping[str, Any]]


def of_run(results: Results, verdicts: Verdicts, elapsed_s: float | None = None) -> list[str]:
    """Of a run with requirements the one that decides, and what became of the others; else what was observed.

    Before it that more arrives than is served, if so; behind it recoveries, calls that are not as required, and the
    extreme quantile that was asked for.
    """
    point = results.points[0]
    beyond = phrases.capitalised(resources.overload(point))
    row = requirements.first(verdicts)
    said = [f"{beyond}."] if beyond else []
    on_opinion = row is not None and str(row["text"]).startswith("mos")
    heard = services.calls(point, rated=not on_opinion)
    if row is not None:
        rest = requirements.others(verdicts, row)
        said.append(" ".join(filter(None, (requirements.sentence(row, point, elapsed_s), rest))))
        if row["verdict"] != "met" and heard:
            said.append(heard)
    else:
        said += [heard] if heard else of_time(point) or _lost(point)
    tail = results.raw.get("tail")
    return [line for line in (*said, recoveries.sentence(point), tails.sentence(tail) if tail else "") if line]


def of_time(point: Point) -> list[str]:
    """The time of what is probed in a run in one sentence."""
    time = services.time_of(point)
    if time is None:
        return []
    if time.undelivered:
        return [f"Nothing was delivered: {time.delivered}."]
    return [f"The mean {services.label_of(time)} is {_mean(time)}{of_delivered(time)}; {_tail(time)}."]


def _lost(point: Point) -> list[str]:
    """What became of messages of which no time is sampled, else what was carried."""
    loss, carried = point.get("loss"), point.get("throughput")
    if loss is not None:
        return [f"{_mean(loss)} of the messages are lost." if loss.mean else "No message is lost."]
    return [f"The goodput is {_mean(carried)}."] if carried is not None else []


def _tail(time: Metric) -> str:
    """What is known of the slowest requests: a bound where the 99th percentile has no upper end."""
    known = time.uncertainty("p99")
    if known.kind is Kind.not_reached:
        return f"the 99th percentile is {format_quantile(time, 'p99')}"
    if known.kind is not Kind.open_above:
        return "99 % take no more than " + format_quantile(time, "p99")
    least, observed = (format_value(value, time.unit, time.name) for value in (known.low, known.value))
    return (
        f"the 99th percentile is at least {least}, and too few samples lie beyond the {observed} observed for a bound"
    )


def of_sweep(results: Results, verdicts: Verdicts) -> list[str]:
    """The requirement along the axis and where it is met; without one what the values of the key change."""
    row = requirements.first(verdicts)
    if row is not None:
        rows = [one for one in verdicts if one["text"] == row["text"]]
        rest = [one for one in verdicts if one["text"] != row["text"]]
        return [" ".join(filter(None, (_required(rows, results), _others(rest, row))))]
    name = probed(results)
    if name is None:
        return []
    numeric = [key for key, axis in results.axes.items() if axis.unit is not None]
    if len(results.axes) == 1 and numeric and name in services.TIMES:
        return answer({"kind": "knee", "x": numeric[0], "y": name}, results) or _extremes(results, name)
    return _extremes(results, name)


def probed(results: Results) -> str | None:
    """What a sweep without requirements is about."""
    return next((name for name in ALONG if any(point.get(name) for point in results.points)), None)


def _extremes(results: Results, name: str) -> list[str]:
    """ "The mean response time is from 12.1 ± 0.1 ms at 50 packets/s to 19.8 ± 0.7 ms at 400 packets/s."."""
    found = [(metric.mean, metric, point) for point in results.points if (metric := point.get(name)) is not None]
    known = [row for row in found if row[0] is not None]
    if not known:
        return []
    (least, low, first), (most, high, last) = (choose(known, key=itemgetter(0)) for choose in (min, max))
    label = phrases.within_a_sentence(catalogue.metric_label(name))
    what = f"The {'mean ' if low.is_distribution else ''}{label} is"
    if least == most:
        return [f"{what} {_mean(low)} at every point."]
    ends = [f"{_mean(metric)} {_at(point.raw, results)}" for metric, point in ((low, first), (high, last))]
    return [f"{what} from {ends[0]} to {ends[1]}."]


def _required(rows: Verdicts, results: Results) -> str:
    """What was found at both ends of a sweep, as far as there are values, and where the requirement is met."""
    condition = requirements.Condition.parse(str(rows[0]["text"]))
    known = [(place, row) for place, row in enumerate(rows) if row.get("value") is not None]
    if condition is None or not known:
        return f"The requirement {rows[0]['text']} is {_tally(rows, results)}."
    ends = [known[0], known[-1]]
    said = [requirements.found(row, condition, results.points[row.get("point", place)]) for place, row in ends]
    values = [requirements.value_of(row, condition) for _, row in ends]
    # the same words need no second subject
    other = values[1] if said[0].replace(values[0], values[1]) == said[1] else said[1]
    first, last = (_at(row, results) for _, row in ends)
    between = f" {first}, and {other} {last}" if len(known) > 1 else f" {first}"
    return f"{phrases.capitalised(said[0])}{between}: the requirement of {condition.wanted} is {_tally(rows, results)}."


def _tally(rows: Verdicts, results: Results) -> str:
    """Where a requirement is met: "met at 4 of 5 points, and missed at 50 ms"."""
    words = [str(row["verdict"]) for row in rows]
    said = []
    for word, shown in (("met", "met"), ("undecided", "not decided"), ("missed", "missed")):
        at = [_at(row, results) for row in rows if row["verdict"] == word]
        if len(at) == len(rows) and len(rows) > 1:
            return f"{shown} at all {len(rows)} points"
        if at and (len(at) > MOST_NAMED or (word == "met" and len(set(words)) > 1)):
            said.append(f"{shown} at {len(at)} of {len(rows)} points")
        elif at:
            said.append(f"{shown} {phrases.list_of(at)}")
    return "; ".join(said)


def _others(rows: Verdicts, said: Mapping[str, Any]) -> str:
    """Of the other requirements the worst verdict over all points."""
    worst: dict[str, dict[str, Any]] = {}
    for row in rows:
        worst[str(row["text"])] = dict(requirements.first([worst.get(str(row["text"]), row), row]) or row)
    return requirements.others([said, *worst.values()], said)


def _at(row: Mapping[str, Any], results: Results) -> str:
    """Where a point is: "at 50 ms", "with fifo"."""
    words = any(isinstance(value, str) for value in row["set"].values())
    return f"{'with' if words else 'at'} {_place(row, results)}"


def _place(row: Mapping[str, Any], results: Results) -> str:
    """The settings of a point; of several experiments also which."""
    several = len(results.experiments) > 1
    settings = phrases.settings(dict(row["set"]), results.axes) if row["set"] or not several else ""
    return ", ".join(part for part in (str(row["experiment"]) if several else "", settings) if part)


def of_search(search: Mapping[str, Any]) -> list[str]:
    """The verdict on the value that was asked for, if one was, and the limit."""
    asked = phrases.sentences(requested(dict(search)))[:1] if search.get("asked") else []
    return [*asked, f"{phrases.capitalised(limit_of(dict(search)))}."]


def of_asked(search: Mapping[str, Any]) -> str:
    """The verdict on the value that was asked for, in one short sentence."""
    asked = search["asked"]
    word = {"met": "Yes", "missed": "No"}.get(str(asked["verdict"]), "Not decided")
    found = phrases.list_of([_of_condition(one) for one in asked["conditions"]])
    return f"{word}: with {search['key']} = {asked['value_text']}, {found}."


def _of_condition(one: Mapping[str, Any]) -> str:
    if one["metric"] == "risk":
        return occurrences.of_condition(one)
    field = "" if one["field"] == "value" else f"{one['field']} of "
    label = phrases.within_a_sentence(catalogue.metric_label(one["metric"]))
    why = f" ({one['reason']})" if one.get("reason") and one["value"] is not None else ""
    return f"{field}{label} is {format_value(one['value'], one['unit'], one['metric'])}{why}"


def _mean(metric: Metric) -> str:
    return format_interval(metric.mean, metric.interval, metric.unit, metric.name)
