"""Settings, titles and enumerations in figures, tables and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sojourn.catalogue import Axis
from sojourn.units import format_value, has_ladder, rounded

MOST_DIGITS = 12
"""Of a value of a key."""
ACRONYMS = frozenset({"cpu", "ip", "tcp"})
"""Words of the names of components that are written in capitals."""


def value(found: Any, axis: Axis | None) -> str:
    """The value of a key with its unit: "300 packets/s", "1 byte", "25 %", "acknowledged"."""
    if isinstance(found, bool):
        return str(found).lower()
    if not isinstance(found, int | float):
        return str(found)
    if axis is None:
        return rounded(found, 6)
    if has_ladder(axis.unit):
        return format_value(float(found), axis.unit, digits=axis.digits)
    if axis.shown_unit == "%":
        return f"{rounded(100 * found, max(4, axis.digits))} %"
    unit = "byte" if axis.shown_unit == "bytes" and found == 1 else axis.shown_unit
    return f"{rounded(found, max(6, axis.digits))} {unit}".rstrip()


def distinguished(axis: Axis, values: Iterable[Any]) -> Axis:
    """The axis with as many digits as make its values differ as shown: 1.822 s and 1.815 s, not 1.82 s twice."""
    different = {repr(one): one for one in values}.values()
    for digits in range(axis.digits, MOST_DIGITS):
        found = replace(axis, digits=digits)
        if len({value(one, found) for one in different}) == len(different):
            return found
    return replace(axis, digits=MOST_DIGITS)


def setting(key: str, found: Any, axis: Axis | None) -> str:
    """A key and its value: "offered load 300 packets/s", "bulk transfers = 3"; a word stands alone."""
    return found if isinstance(found, str) else named_setting(key, found, axis)


def named_setting(key: str, found: Any, axis: Axis | None) -> str:
    """A key and its value, words too: "configuration cpu"."""
    label = within_a_sentence(axis.label) if axis is not None else key
    plain = axis is not None and not (axis.shown_unit or has_ladder(axis.unit)) and not isinstance(found, str)
    return f"{label}{' = ' if plain else ' '}{value(found, axis)}"


def settings(point_set: Mapping[str, Any], axes: Mapping[str, Axis]) -> str:
    """All settings of a point, or "as written" where none varies."""
    return ", ".join(setting(key, found, axes.get(key)) for key, found in point_set.items()) or "as written"


def with_unit(label: str, unit: str) -> str:
    """An axis title: "Response time (ms)"."""
    return f"{label} ({unit})" if unit else label


def key_title(axis: Axis | None) -> str:
    """The axis title of a key with its unit; empty without a key."""
    return with_unit(axis.label, axis.shown_unit) if axis is not None else ""


def natural(name: str) -> list[tuple[bool, int, str]]:
    """The order of names with numbers: sensor-2 before sensor-10."""
    parts = re.findall(r"\d+|\D+", name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def within_a_sentence(title: str) -> str:
    """A title inside a sentence: with a lower-case first letter, unless its first word is an acronym or a name."""
    first = title.split(" ", 1)[0]  # IP, 1280, Max_Master
    is_name = "_" in first or any(letter.isupper() for letter in first[1:])
    acronym = len(title) > 1 and not title[1].isalpha()
    return title if acronym or is_name else title[:1].lower() + title[1:]


def component(name: str) -> str:
    """A component of the delay budget inside a sentence: "token wait", "IP network"."""
    words = name.replace("_", "-").split("-")
    return " ".join(word.upper() if word in ACRONYMS else word for word in words)


def capitalised(text: str) -> str:
    """A text with an upper-case first letter, unless it begins with a name as code has it: `response_time.p99`."""
    first = text.split(" ", 1)[0]
    return text if any(sign in first for sign in "_./") else text[:1].upper() + text[1:]


def list_of(items: list[str]) -> str:
    """An enumeration: "A, B and C"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def range_of(low: str, high: str) -> str:
    """Two ends as one range: "17 ms to 19 ms", or the one value that both are."""
    return low if low == high else f"{low} to {high}"


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its full stop."""
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text)
