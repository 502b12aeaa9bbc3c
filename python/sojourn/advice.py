"""The answer of `advise` in sentences: which change is best, how sure that is, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sojourn import phrases
from sojourn.units import format_interval, format_value, percent, rounded

Alternative = dict[str, Any]
NEAREST = 3
"""Alternatives that are named where none is selected."""
MOST_NAMED = 5
MOST_ROWS = 12
"""Rows of a first screen."""


def sentences(advice: dict[str, Any]) -> list[str]:
    """The answer, then what it stands on, each a sentence."""
    said = [*_selected(advice), *_second(advice), *_equal(advice), *_frontier(advice)]
    if advice["outcome"] == "none":
        said = _none(advice)
    if advice["outcome"] == "undecided":
        said = _undecided(advice)
    return [*said, *_misses(advice), runs(advice)]


def in_order(advice: dict[str, Any]) -> list[Alternative]:
    """The alternatives: the selected one, then by their values, the best first; those without a value last."""
    sign = 1 if advice["better"] == "lower" else -1

    def key(one: Alternative) -> tuple[bool, bool, float]:
        return one["status"] != "selected", one["value"] is None, sign * (one["value"] or 0.0)

    return sorted(advice["alternatives"], key=key)


def runs(advice: dict[str, Any]) -> str:
    """How many runs it took, and what all alternatives with as many would have taken."""
    count, equal = int(advice["replications"]), int(advice["equal_allocation"])
    share = f", {percent(count / equal, digits=0)} of what as many for each would take" if equal > count else ""
    return f"{count} runs of {len(advice['alternatives'])} alternatives{share}."


def objective(advice: dict[str, Any]) -> str:
    """What is compared, as conditions write it: `response_time.p99`, `mos`."""
    return str(advice["objective"]).removesuffix(".value")


def value(one: Alternative, advice: dict[str, Any]) -> str:
    """The objective of an alternative, with its 95 % interval."""
    if one["value"] is None:
        return "–"
    metric = str(advice["objective"]).rpartition(".")[0]
    return format_interval(one["value"], one["ci95"], advice["unit"], metric)


def table(advice: dict[str, Any], most: int | None = None) -> tuple[list[list[str]], list[str]]:
    """The rows of the alternatives, the best first, and the head."""
    has_cost = any(one["cost"] is not None for one in advice["alternatives"])
    head = ["alternative", *(["cost"] if has_cost else []), objective(advice), "beside it", "runs", "outcome"]
    rows = []
    for one in in_order(advice)[:most]:
        cost = [f"{one['cost']:g}"] if has_cost else []
        cells = [value(one, advice), beside(one), str(one["replications"]), state(one)]
        rows.append([str(one["name"]), *cost, *cells])
    return rows, head


def difference(one: Alternative, advice: dict[str, Any]) -> str:
    """How much worse than the selected one it is: "9 % slower (4 % to 15 %)"; empty where that is not known."""
    if one["difference"] is None or not advice["alternatives"]:
        return ""
    word = _worse(advice) if one["difference"] >= 0 else _better(advice)
    sign = 1 if one["difference"] >= 0 else -1
    share = sign * one["difference"]
    text = f"{_percent(share)} % {word}"
    if one["difference_ci95"] is not None:
        low, high = sorted(sign * end for end in one["difference_ci95"])
        text += f" ({_percent(low)} to {_percent(high)} %)"
    return text


def beside(one: Alternative) -> str:
    """The difference from the selected one, above 0 where it is worse: "+56 % (49 to 64)"."""
    if one["difference"] is None:
        return ""
    sign = "+" if one["difference"] >= 0 else ""
    ends = "" if one["difference_ci95"] is None else " ({} to {})".format(*map(_percent, one["difference_ci95"]))
    return f"{sign}{_percent(one['difference'])} %{ends}"


def outcome(one: Alternative, advice: dict[str, Any]) -> str:
    """What became of an alternative, in a few words."""
    by = one["eliminated_by"]
    out = f"out after {one['replications']} runs"
    words = {
        "selected": "selected",
        "worse": f"{out}, by {name(advice, by)}" if by is not None else "worse",
        "equal": "equal within the indifference",
        "misses": f"{out}: misses {one.get('reason')}",
        "dearer": "costs more, and is better",
        "unstable": "no steady state",
        "open": "not decided",
        "failed": "could not be computed",
    }
    return words[str(one["status"])]


def state(one: Alternative) -> str:
    """The same in a word or two."""
    short = {"worse": "out", "misses": "misses", "dearer": "costs more", "unstable": "no steady state"}
    return short.get(str(one["status"]), str(one["status"]))


def name(advice: dict[str, Any], place: int | None) -> str:
    """The name of an alternative by its place."""
    return "" if place is None else str(advice["alternatives"][place]["name"])


def selected(advice: dict[str, Any]) -> Alternative | None:
    """The selected alternative; None without one."""
    place = advice["selected"]
    return None if place is None else dict(advice["alternatives"][place])


def indifference(advice: dict[str, Any]) -> str:
    """The smallest difference that counts, as a value: "1.2 ms"."""
    metric = str(advice["objective"]).rpartition(".")[0]
    return format_value(advice["indifference"], advice["unit"], metric)


def _selected(advice: dict[str, Any]) -> list[str]:
    best = selected(advice)
    if best is None:
        return []
    shown = f"{objective(advice)} {value(best, advice)}, with at least {percent(advice['confidence'])} confidence"
    if advice["conditions"]:
        met = phrases.list_of(advice["conditions"])
        how = "cheapest" if best["cost"] is not None else "best"
        cost = f", at a cost of {best['cost']:g}" if best["cost"] is not None else ""
        return [f"The {how} that meets {met} is {_named(best)}{cost}: {shown}."]
    if not best["options"]:
        return [f"No change is better than the scenario as it is: {shown}."]
    return [f"The best is {best['name']}: {shown}."]


def _named(one: Alternative) -> str:
    return str(one["name"]) if one["options"] else "the scenario as it is"


def _second(advice: dict[str, Any]) -> list[str]:
    """The alternative that comes next, and how much worse it is."""
    others = [
        one for one in advice["alternatives"] if one["status"] in ("worse", "equal") and one["difference"] is not None
    ]
    if selected(advice) is None or not others:
        return []
    second = min(others, key=lambda one: abs(one["difference"]))
    if second["status"] == "equal":
        return []
    return [f"Second: {_named(second)}, which is {difference(second, advice)}."]


def _equal(advice: dict[str, Any]) -> list[str]:
    names = [_named(one) for one in advice["alternatives"] if one["status"] == "equal"]
    return [f"Equal to it within {indifference(advice)}: {_few(names)}."] if names else []


def _frontier(advice: dict[str, Any]) -> list[str]:
    dearer = [one for one in advice["alternatives"] if one["status"] == "dearer" and one["cost"] is not None]
    texts = [f"{one['name']} (cost {one['cost']:g}, {value(one, advice)})" for one in dearer]
    return [f"Dearer, and better: {', '.join(texts)}."] if texts else []


def _misses(advice: dict[str, Any]) -> list[str]:
    names = [_named(one) for one in advice["alternatives"] if one["status"] == "misses"]
    return [f"Out by a condition: {_few(names)}."] if names and advice["outcome"] != "none" else []


def _few(names: list[str]) -> str:
    """Names, or how many there are and the first of them."""
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} alternatives, {names[0]} among them"


def _none(advice: dict[str, Any]) -> list[str]:
    """That no alternative meets the conditions, and which come nearest."""
    if not advice["conditions"]:
        return ["No alternative could be compared."]
    sign = 1 if advice["better"] == "lower" else -1
    known = sorted(
        (one for one in advice["alternatives"] if one["value"] is not None), key=lambda one: sign * one["value"]
    )
    nearest = [f"{one['name']} ({objective(advice)} {value(one, advice)})" for one in known[:NEAREST]]
    said = [f"No alternative meets {phrases.list_of(advice['conditions'])}."]
    return [*said, f"Nearest: {', '.join(nearest)}."] if nearest else said


def _undecided(advice: dict[str, Any]) -> list[str]:
    """What is left, and the best of those that are known to meet the conditions."""
    left = [one for one in advice["alternatives"] if one["status"] == "open"]
    texts = [f"{one['name']} ({value(one, advice)})" for one in left]
    known = [one for one in left if one["met"] and one["cost"] is not None]
    verb = "is" if len(left) == 1 else "are"
    said = [f"Not decided within the budget: {_few(texts)} {verb} left."]
    leading = [one for one in in_order(advice) if one["status"] == "open" and one["value"] is not None]
    if len(leading) > 1:
        said.append(f"So far {_named(leading[0])} is best.")
    if known and len(known) < len(left):
        cheapest = min(known, key=lambda one: float(one["cost"]))
        said.append(
            f"The cheapest known to meet the conditions is {_named(cheapest)}, at a cost of {cheapest['cost']:g}."
        )
    return [*said, "A larger --budget, or a larger --indifference, would decide."]


def _percent(share: float) -> str:
    """A share in percent, to two digits: "9.1", "50"."""
    return rounded(100 * share, 2)


def _worse(advice: dict[str, Any]) -> str:
    return _words(advice)[0]


def _better(advice: dict[str, Any]) -> str:
    return _words(advice)[1]


def _words(advice: dict[str, Any]) -> Sequence[str]:
    """What a worse and a better value is called."""
    if advice["better"] == "higher":
        return ("lower", "higher")
    return ("slower", "faster") if advice["unit"] == "s" else ("higher", "lower")
