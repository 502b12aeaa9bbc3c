"""The `[expect]` conditions and their verdicts as sentences."""

from __future__ import annotations

import re
from typing import Any

from sojourn import catalogue, phrases, requirements
from sojourn.catalogue import Axis
from sojourn.units import format_interval

FIELD = re.compile(r"\.[^./]*$")
"""What follows the name of a metric: "response_time.p99"."""
MOST_NAMED = 3
"""Up to this many points are named; more are counted."""


def expected(verdicts: list[dict[str, Any]], axes: dict[str, Axis]) -> list[str]:
    """One line per expectation: "failures = 0: met at 6 of 10 points; missed at 400 packets/s offered, ...".

    Of one point also the value, "missed with 3.77 ± 0.14", or why there is none, and what it would take to claim more.
    """
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in verdicts:
        grouped.setdefault(str(row["text"]), []).append(row)
    return [f"{text}: {_verdict(rows, axes)}" for text, rows in grouped.items()]


def summary(verdicts: list[dict[str, Any]]) -> str:
    """One sentence on all expectations: "1 of 2 requirements is met; undecided: response_time.p99 < 250 ms."."""
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for row in verdicts:
        rows_of.setdefault(str(row["text"]), []).append(row)
    if not rows_of:
        return ""
    grouped = {f"{text}{_named(rows)}": {str(row["verdict"]) for row in rows} for text, rows in rows_of.items()}
    others = {
        "missed": [text for text, words in grouped.items() if "missed" in words],
        "undecided": [text for text, words in grouped.items() if "undecided" in words and "missed" not in words],
    }
    met = len(grouped) - sum(map(len, others.values()))
    several = " at every point" if len(verdicts) > len(grouped) else ""
    if met == len(grouped):
        start = f"The requirement {next(iter(grouped))} is" if met == 1 else f"All {met} requirements are"
        return f"{start} met{several}."
    named = [f"{word}: {', '.join(texts)}" for word, texts in others.items() if texts]
    said = (
        f"{met} of {len(grouped)} requirements {'is' if met == 1 else 'are'} met{several}; "
        if len(grouped) > 1
        else "Requirement "
    )
    return f"{said}{'; '.join(named)}."


def _named(rows: list[dict[str, Any]]) -> str:
    """What follows a requirement: of one point the value, and why it does not do; of several at how many it fails."""
    if len(rows) == 1:
        reason = rows[0].get("reason") if rows[0]["verdict"] != "met" else None
        short = f" ({str(reason).split(':', 1)[0]})" if reason else ""
        return f"{_value(rows[0])}{short}"
    worst = next((word for word in ("missed", "undecided") if any(row["verdict"] == word for row in rows)), None)
    return f" at {sum(row['verdict'] == worst for row in rows)} of {len(rows)} points" if worst else ""


def _verdict(rows: list[dict[str, Any]], axes: dict[str, Axis]) -> str:
    if len(rows) == 1:
        row = rows[0]
        # what is missed takes no more replications
        named = ("reason",) if row["verdict"] == "missed" else ("reason", "needs")
        more = [str(row[name]) for name in named if row.get(name)]
        next_one = requirements.next_measurement(row)
        return "; ".join([f"{row['verdict']}{_value(row)}", *more, *([next_one] if next_one else [])])
    said = []
    several = len({row["experiment"] for row in rows}) > 1
    for word in ("met", "undecided", "missed"):
        at = [_place(row, axes, several=several) for row in rows if row["verdict"] == word]
        if at and (word == "met" or len(at) > MOST_NAMED):
            said.append(f"{word} at {len(at)} of {len(rows)} points")
        elif at:
            said.append(f"{word} at {'; '.join(at)}")
    return "; ".join(said)


def _value(row: dict[str, Any]) -> str:
    """What was found, with its interval: " with 3.77 ± 0.14"; empty where there is no value."""
    if row.get("value") is None:
        return ""
    name = FIELD.sub("", str(row["text"]).split(" ", 1)[0])
    return f" with {format_interval(row['value'], row.get('interval'), catalogue.metric(name).get('unit'), name)}"


def _place(row: dict[str, Any], axes: dict[str, Axis], *, several: bool) -> str:
    """The settings of a point, behind its experiment where there are several."""
    settings = [phrases.settings(dict(row["set"]), axes)] if row["set"] or not several else []
    return ", ".join([*([str(row["experiment"])] if several else []), *settings])
