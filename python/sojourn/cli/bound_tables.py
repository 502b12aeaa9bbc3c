"""Worst-case bounds as text: a table of bounds and simulated values, then theorems, reasons and assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sojourn.cli.output import filled, table
from sojourn.units import format_value, percent, rounded

HEAD = ("flow", "hop", "bound", "largest", "p99.9", "tightness")
MEASURED = "measured"
ORDER = ("identifier", "flow", "sender", "now", "worst case", "deadline")
MOST_ORDERED = 12
"""Messages of an order of identifiers that are shown; results.json has all of them."""


def in_words(
    rows: Sequence[Mapping[str, Any]], assumptions: Sequence[str], priorities: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The rows of results.json's `bounds`, what they rest on, and an order of priorities that meets all deadlines."""
    measured = any(row["measured_max"] is not None for row in rows)
    head = (*HEAD, MEASURED) if measured else HEAD
    parts = [table([_cells(row)[: len(head)] for row in rows], head, keys=2)] if rows else []
    parts += [_listed("no bound:", _reasons(rows)), _listed("theorems:", _theorems(rows))]
    parts += [_listed("assumed:", assumptions), _ordered(priorities)]
    return "\n\n".join(part for part in parts if part)


def _cells(row: Mapping[str, Any]) -> list[str]:
    unit = row["unit"]
    known = row["delay"] if row["buffer"] is None else row["buffer"]
    shown = [known, row["simulated_max"], row["p999"], row["measured_max"]]
    bound, largest, p999, measured = (_value(value, unit, shown) for value in shown)
    tightness = percent(row["tightness"]) if row["tightness"] is not None else "–"
    return [row["flow"], row["hop"], "none" if known is None else bound, largest, p999, tightness, measured]


def _value(value: float | None, unit: str, beside: Sequence[float | None]) -> str:
    if value is None:
        return "–"
    if unit == "s":
        return format_value(value, "s", beside=beside)
    return f"{rounded(value, 6)} {unit.removesuffix('s') if value == 1 else unit}"


def _ordered(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first messages of an order of priorities, by the identifiers that they would have."""
    if not rows:
        return ""
    several = len({row["medium"] for row in rows}) > 1
    shown = rows[:MOST_ORDERED]
    beside = [row[name] for row in shown for name in ("delay", "deadline")]
    cells = [
        [
            *([row["medium"]] if several else []),
            row["assigned"] or "–",
            row["flow"],
            row["station"],
            row["identifier"],
            format_value(row["delay"], "s", beside=beside),
            format_value(row["deadline"], "s", beside=beside),
        ]
        for row in shown
    ]
    head = (*(["bus"] if several else []), *ORDER)
    more = [f"{len(rows) - len(shown)} more with --format json"] if len(rows) > len(shown) else []
    title = "an order of identifiers that meets every deadline, the highest priority first:"
    return "\n".join([title, table(cells, head, keys=4 + several), *more])


def _reasons(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why rows have no bound, each reason once with the rows that it is for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["why"]:
            found.setdefault(row["why"], []).append(f"{row['flow']}, {row['hop']}")
    return [f"{_named(names)}: {reason}" for reason, names in found.items()]


def _theorems(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(f"{row['theorem']} ({row['source']})" for row in rows if row["theorem"]))


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(filled(line, "  ") for line in lines)]) if lines else ""
