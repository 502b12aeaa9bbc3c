"""Values in SI units as text: 0.0151 s as "15.1 ms", 35000 bit/s as "35.0 kbit/s"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sojourn import catalogue

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps"))
_BITS = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))
_HERTZ = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))
_LADDERS = {"s": _SECONDS, "bit/s": _BITS, "Hz": _HERTZ}
_RATIOS = {"%": 0.01, "ppm": 1e-6}
SYMMETRIC = 0.05
"""An interval whose middle is off its value by less than this share of its width is written with ±."""


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
    size = abs(largest)
    if unit in _LADDERS:
        return _fitting(_LADDERS[unit], size)
    declared = catalogue.metric(metric).get("shown_unit") if metric else None
    if unit == "1" and declared in _RATIOS:
        return Scale(_RATIOS[declared], declared)
    if unit == "1/s":
        return Scale(1.0, declared or "/s")
    return Scale(1.0, "" if unit in (None, "1") else str(unit))


def has_ladder(unit: str | None) -> bool:
    """Whether values of the unit take SI prefixes: 0.0151 s as 15.1 ms."""
    return unit in _LADDERS


def ladder(unit: str) -> tuple[tuple[float, str], ...]:
    """The multiples of a unit that takes prefixes, as (size, name), the largest first."""
    return _LADDERS[unit]


def format_value(
    value: float | None, unit: str | None, metric: str = "", beside: Iterable[float | None] = (), digits: int = 3
) -> str:
    """One value with its unit, three significant digits: "15.1 ms"; a dash for None.

    Zero takes the unit of the first nonzero value in `beside`: "0 µs" beside "12 µs".
    """
    if value is None or not math.isfinite(value):
        return "–"
    chosen = scale(unit, value or next(filter(None, beside), 0.0), metric)
    text = significant(value / chosen.factor, digits)
    return f"{text} {chosen.unit}".rstrip()


def seconds(text: str) -> float:
    """A time as a study writes it, in seconds: "15 ms"."""
    number, _, unit = text.partition(" ")
    return float(number) * {name: size for size, name in (*_SECONDS, (1e-6, "us"), (60.0, "min"))}[unit]


def unit_size(unit: str) -> float | None:
    """The size of a unit in SI units, as 0.001 of "ms" or 0.01 of "%"; None for an unknown one."""
    sizes = {"": 1.0, "/s": 1.0, "1/s": 1.0, "min": 60.0, "us": 1e-6, **_RATIOS}
    sizes |= {name: size for steps in _LADDERS.values() for size, name in steps}
    return sizes.get(unit)


def format_size(size: float) -> str:
    """A number of bytes: "64 B", "3.2 MiB"."""
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} B"


def format_interval(
    value: float | None, interval: Sequence[float | None] | None, unit: str | None, metric: str = ""
) -> str:
    """A value with its interval, to one or two significant digits of its half-width: "15.1 ± 0.5 ms".

    An interval that is not symmetric is given by its ends: "3 (0.6 to 8.8)"; of a count of zero by its upper end:
    "0 (at most 3.7)". One that is narrower than the digits of the value is left out: "± 0" would claim certainty.
    """
    if value is None or interval is None:
        return _minus(format_value(value, unit, metric))
    low, high = interval[0] or 0.0, interval[1]
    if high is None or abs(low + high - 2 * value) > SYMMETRIC * (high - low) + 1e-9 * abs(value):
        return format_ends(value, (low, math.inf if high is None else high), unit, metric)
    # a difference of 0.9 ± 6.4 ms is one of milliseconds
    chosen = scale(unit, max(abs(value), (high - low) / 2), metric)
    half = (high - low) / 2 / chosen.factor
    if half <= abs(value) / chosen.factor * 1e-4:
        return f"{_minus(significant(value / chosen.factor))} {chosen.unit}".rstrip()
    digits = min(6, _decimals(half))
    return f"{_minus(f'{value / chosen.factor:.{digits}f}')} ± {half:.{digits}f} {chosen.unit}".rstrip()


def format_ends(value: float, ends: tuple[float, float], unit: str | None, metric: str = "", like: float = 0.0) -> str:
    """A value with both ends of its interval: "140 (66 to 213) ms"; a value that is not a number stays out.

    It is in the unit that suits `like`, if that is given, with as many digits as make its ends differ, up to five; ends
    that are equal even then are left out.
    """
    finite = [abs(end) for end in (*ends, value) if math.isfinite(end)]
    chosen = scale(unit, like or (value if value and math.isfinite(value) else max(finite, default=0.0)), metric)
    low, high, value_shown = _distinct(ends[0] / chosen.factor, ends[1] / chosen.factor, value / chosen.factor)
    if low == high == value_shown:
        return f"{value_shown} {chosen.unit}".rstrip()
    if not low or not high:
        span = f"at least {low}" if low else f"at most {high}"
    else:
        span = f"at most {high}" if ends[0] == value == 0 else f"{low} to {high}"
    if not math.isfinite(value):
        return f"{span} {chosen.unit}".rstrip()
    return f"{value_shown} ({span}) {chosen.unit}".rstrip()


def _distinct(low: float, high: float, value: float) -> tuple[str, ...]:
    """Both ends and the value with as many digits as make the ends differ; an open end is empty."""
    shown: tuple[str, ...] = ()
    for digits in (3, 4, 5):
        shown = tuple(_minus(significant(one, digits)) if math.isfinite(one) else "" for one in (low, high, value))
        if shown[0] != shown[1]:
            return shown
    return tuple(_minus(significant(one)) if math.isfinite(one) else "" for one in (low, high, value))


def span(value: float | None, interval: Sequence[float | None] | None, unit: str) -> str:
    """An interval in the unit of its value, without it: "± 0.2", "66–213", "from 66"; empty without one, or if it is
    narrower than the digits of the value."""
    if value is None or interval is None:
        return ""
    factor, (low, high) = scale(unit, value).factor, interval
    least = (low or 0.0) / factor
    if high is None:
        return f"from {significant(least)}"
    half = (high / factor - least) / 2
    if abs(least + half - value / factor) <= SYMMETRIC * half + 1e-9 * abs(value / factor):
        return f"± {half:.{min(6, _decimals(half))}f}" if half > value / factor * 1e-4 else ""
    return f"{significant(least)}–{significant(high / factor)}"


def significant(value: float, digits: int = 3) -> str:
    """A number with this many significant digits, without exponent from 0.0001 to a million; integers stay whole."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{value:.0f}"
    rounded = float(f"{value:.{digits - 1}e}")  # 0.9997 has the magnitude of 1.00
    magnitude = math.floor(math.log10(abs(rounded)))
    if magnitude < -4 or magnitude >= 6:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - magnitude)}f}"


def percent(share: float, *, digits: int = 0, sign: bool = False) -> str:
    """A share in percent: "52 %", "+3.1 %"."""
    number = f"{100 * share:+.{digits}f}" if sign else f"{100 * share:.{digits}f}"
    return f"{_minus(number)} %"


def percent_lost(share: float, *, digits: int) -> str:
    """A share of losses in percent: "0.2 %". One that is neither none nor all is not rounded to either: "< 0.1 %"."""
    least = 10.0**-digits
    if 0 < 100 * share < least / 2:
        return f"< {least:.{digits}f} %"
    if 100 - least / 2 <= 100 * share < 100:
        return f"> {100 - least:.{digits}f} %"
    return percent(share, digits=digits)


def _decimals(half: float) -> int:
    """Decimals that show one significant digit of a half-width, or two if the first is small."""
    magnitude = math.floor(math.log10(half))
    starts_small = half / math.pow(10, magnitude) < 3.95
    return max(0, starts_small - magnitude)


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _fitting(units: tuple[tuple[float, str], ...], size: float) -> Scale:
    if size == 0:
        return Scale(*units[1] if units is _SECONDS else units[-1])
    for factor, name in units:
        if size >= factor * 0.9995:  # 0.9996 s is shown as 1.00 s
            return Scale(factor, name)
    return Scale(*units[-1])
