"""Values in SI units as text: 0.0151 s as "15.1 ms", 35000 bit/s as "35 kbit/s".

The rules are those of `crates/metrics/src/display.rs`: what Rust says of a number agrees with what a report shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sojourn.bindings import extension

_LADDERS = ("s", "bit/s", "Hz")
_WRITTEN = {"us": 1e-6, "min": 60.0}
"""Units of time in which a study may write a value and none is shown."""
_LONG = {"h": 3600.0, "day": 86400.0}
_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "KiB": 1024.0, "MiB": 1048576.0, "GiB": 1073741824.0}
_LENGTHS = {"m": 1.0, "km": 1e3}
_PLAIN = {"": 1.0, "/s": 1.0, "1/s": 1.0, "%": 0.01, "ppm": 1e-6}


@dataclass(frozen=True)
class Scale:
    """A display unit: `shown = value / factor`."""

    factor: float
    unit: str

    def number(self, value: float | None) -> float | None:
        """The value in the display unit."""
        return None if value is None else value / self.factor


def scale(unit: str | None, largest: float, metric: str = "") -> Scale:
    """The display unit that keeps `largest` (in SI) between 1 and 1000, if possible.

    The registry declares the unit of some metrics: a fraction in percent or ppm, a rate in packets/s.
    """
    return Scale(*extension().shown_scale(unit or "", largest, metric))


def has_ladder(unit: str | None) -> bool:
    """Whether values of the unit take SI prefixes: 0.0151 s as 15.1 ms."""
    return unit in _LADDERS


def ladder(unit: str) -> tuple[tuple[float, str], ...]:
    """The multiples of a unit that takes prefixes, as (size, name), the largest first."""
    return tuple(extension().ladder(unit))


def format_value(
    value: float | None, unit: str | None, metric: str = "", beside: Iterable[float | None] = (), digits: int = 3
) -> str:
    """One value with its unit, three significant digits: "15.1 ms"; a dash for None.

    Zero takes the unit of the first nonzero value in `beside`: "0 µs" beside "12 µs".
    """
    like = 0.0 if value else next(filter(None, beside), 0.0)
    return str(extension().format_value(value, unit or "", metric, like, digits))


def seconds(text: str) -> float:
    """A time as a study writes it, in seconds: "15 ms"."""
    number, _, unit = text.partition(" ")
    return float(number) * ({name: size for size, name in ladder("s")} | _WRITTEN)[unit]


def unit_size(unit: str) -> float | None:
    """The size of a unit in SI units, as 0.001 of "ms" or 0.01 of "%"; None for an unknown one."""
    return (_PLAIN | _WRITTEN | {name: size for one in _LADDERS for size, name in ladder(one)}).get(unit)


def dimension_of(unit: str) -> tuple[float, str] | None:
    """The size of a unit in the SI unit of its dimension, and that unit: (1e6, "bit/s") of "Mbit/s"; None for none."""
    return dimensions().get(unit)


def dimensions() -> dict[str, tuple[float, str]]:
    """Every unit of a time, a rate, a size, a length or a number, as `dimension_of` has it."""
    times = {name: size for size, name in ladder("s")} | _WRITTEN | _LONG
    rates = {name: size for size, name in ladder("bit/s")}
    sizes = ((times, "s"), (rates, "bit/s"), (_SIZES, "B"), (_LENGTHS, "m"), ({"": 1.0}, ""))
    return {unit: (size, si) for known, si in reversed(sizes) for unit, size in known.items()}


def format_size(size: float) -> str:
    """A number of bytes: "64 B", "3.2 MiB"."""
    return str(extension().format_size(size))


def format_duration(seconds: float) -> str:
    """About how long something takes, in two digits or whole: "0.4 s", "54 s", "3 min", "1.7 h", "12 days"."""
    return str(extension().format_duration(seconds))


def format_interval(
    value: float | None, interval: Sequence[float | None] | None, unit: str | None, metric: str = ""
) -> str:
    """A value with its interval, to one or two significant digits of its half-width: "15.1 ± 0.5 ms".

    An interval that is not symmetric is given by its ends: "3 (0.6 to 8.8)"; of a count of zero by its upper end:
    "0 (at most 3.7)". One that is narrower than the digits of the value is left out: "± 0" would claim certainty.
    """
    ends = None if interval is None else (interval[0] or 0.0, interval[1])
    return str(extension().format_interval(value, ends, unit or "", metric))


def format_ends(value: float, ends: tuple[float, float], unit: str | None, metric: str = "", like: float = 0.0) -> str:
    """A value with both ends of its interval: "140 (66 to 213) ms"; a value that is not a number stays out.

    It is in the unit that suits `like`, if that is given, with as many digits as make its ends differ, up to five; ends
    that are equal even then are left out.
    """
    return str(extension().format_ends(value, ends, unit or "", metric, like))


def span(value: float | None, interval: Sequence[float | None] | None, unit: str) -> str:
    """An interval in the unit of its value, without it: "± 0.2", "66–213", "from 66"; empty without one, or if it is
    narrower than the digits of the value."""
    if value is None or interval is None:
        return ""
    return str(extension().format_span(value, (interval[0] or 0.0, interval[1]), unit))


def significant(value: float, digits: int = 3) -> str:
    """A number with this many significant digits, without exponent from 0.0001 to a million; integers stay whole."""
    return str(extension().significant(value, digits))


def rounded(value: float, digits: int) -> str:
    """An estimate in some significant digits, whole numbers too, without trailing zeros: "1200", "0.13"."""
    return str(extension().rounded(value, digits))


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers in three significant digits, or as many as it takes to see which is more: "100.2" and "100"."""
    first, second = extension().apart(one, other)
    return first, second


def percent(share: float, *, digits: int = 0, sign: bool = False) -> str:
    """A share in percent: "52 %", "+3.1 %"."""
    return str(extension().percent(share, digits, sign))


def percent_lost(share: float, *, digits: int) -> str:
    """A share of losses in percent: "0.2 %". One that is neither none nor all is not rounded to either: "< 0.1 %"."""
    return str(extension().percent_lost(share, digits))


def duration(seconds: float) -> str:
    """A length of time: "10 min", "2 h", "30 s"."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and (seconds / size * 10).is_integer():
            return f"{rounded(seconds / size, 6)} {unit}"
    return format_value(seconds, "s")
