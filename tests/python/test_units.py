import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.units import (
    format_duration,
    format_ends,
    format_interval,
    format_size,
    format_value,
    percent,
    percent_lost,
    rounded,
    significant,
    span,
)

CASES = json.loads((Path(__file__).parents[1] / "numbers.json").read_text(encoding="utf-8"))
"""What is shown how, for Rust, Python and pages."""


def ends_of(case: dict[str, Any]) -> str:
    low, high = (math.inf if end is None else end for end in case["ends"])
    value = math.nan if case["value"] is None else case["value"]
    return format_ends(value, (low, high), case["unit"], case.get("metric", ""), case.get("like", 0.0))


SHOWN: dict[str, Callable[[dict[str, Any]], str]] = {
    "value": lambda case: format_value(
        case["value"], case["unit"], case.get("metric", ""), [case.get("beside")], case.get("digits", 3)
    ),
    "interval": lambda case: format_interval(case["value"], case["interval"], case["unit"], case.get("metric", "")),
    "ends": ends_of,
    "span": lambda case: span(case["value"], [case["low"], case["high"]], case["unit"]),
    "significant": lambda case: significant(
        math.inf if case["value"] is None else case["value"], case.get("digits", 3)
    ),
    "rounded": lambda case: rounded(case["value"], case["digits"]),
    "percent": lambda case: percent(case["value"], digits=case["decimals"], sign=case.get("signed", False)),
    "percent lost": lambda case: percent_lost(case["value"], digits=case["decimals"]),
    "size": lambda case: format_size(case["value"]),
    "duration": lambda case: format_duration(case["value"]),
}


@pytest.mark.parametrize("case", CASES, ids=[f"{case['of']} {case['text']}" for case in CASES])
def test_numbers_are_written_as_the_table_has_them(case: dict[str, Any]) -> None:
    assert SHOWN[case["of"]](case) == case["text"]


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15), st.integers(2, 6))
def test_digits_are_rounded_as_python_rounds_them(value: float, digits: int) -> None:
    assert float(rounded(value, digits)) == float(f"{value:.{digits - 1}e}")
    shown = f"{value:.{digits - 1}e}"
    # below a million no digit before the decimal point is rounded away
    whole = float(value).is_integer() or int(shown.split("e")[1]) >= digits
    assert float(significant(value, digits)) == float(f"{value:.0f}" if whole and abs(float(shown)) < 1e6 else shown)


@pytest.mark.parametrize(
    ("value", "unit", "metric", "said"),
    [
        (0.0151, "s", "response_time", "15.1 ms"),
        (0.9997, "s", "response_time", "1.00 s"),
        (600.0, "s", "", "600 s"),
        (35000.0, "bit/s", "throughput", "35 kbit/s"),
        (326.4, "1/s", "transaction_rate", "326 transactions/s"),
        (0.0934, "1", "collision_rate", "9.34 %"),
        (12.0, "1", "retries", "12"),
        (0.0, "s", "response_time", "0 ms"),
        (None, "s", "response_time", "–"),
        (float("nan"), "s", "response_time", "–"),
    ],
)
def test_a_value_is_formatted_in_a_fitting_unit(value: float | None, unit: str, metric: str, said: str) -> None:
    assert format_value(value, unit, metric) == said


@pytest.mark.parametrize(
    ("beside", "said"),
    [([0.0, 12e-6], "0 µs"), ([None, 3.0, 12e-6], "0 s"), ([0.0, None], "0 ms")],
)
def test_zero_takes_the_unit_of_adjacent_values(beside: list[float | None], said: str) -> None:
    assert format_value(0.0, "s", "response_time", beside) == said


@pytest.mark.parametrize(
    ("value", "interval", "said"),
    [
        (0.0151, [0.0148, 0.0154], "15.10 ± 0.30 ms"),
        (0.0151, [0.01498, 0.01522], "15.10 ± 0.12 ms"),
        (0.177, [0.167, 0.187], "177 ± 10 ms"),
        (0.177, [0.1725, 0.1815], "177 ± 5 ms"),
        (-0.000857, [-0.007221, 0.005507], "−1 ± 6 ms"),
        (0.0151, None, "15.1 ms"),
        (0.0151, [0.0151, 0.0151], "15.1 ms"),
    ],
)
def test_an_interval_determines_the_digits_shown(value: float, interval: list[float] | None, said: str) -> None:
    assert format_interval(value, interval, "s") == said


@pytest.mark.parametrize(
    ("value", "ends", "said"),
    [
        (0.14, (0.066, 0.213), "140 (66 to 213) ms"),
        (0.0204, (0.02039, 0.02041), "20.40 (20.39 to 20.41) ms"),
        (0.0204, (0.0204, 0.0204), "20.4 ms"),
        (0.0, (0.0, 0.003), "0 (at most 3) ms"),
        (0.77, (0.2, float("inf")), "770 (at least 200) ms"),
    ],
)
def test_the_ends_of_an_interval_have_digits_enough_to_differ(
    value: float, ends: tuple[float, float], said: str
) -> None:
    assert format_ends(value, ends, "s") == said


def test_a_share_of_losses_is_neither_rounded_to_none_nor_to_all() -> None:
    shares = {0.0: "0.0 %", 1e-5: "< 0.1 %", 0.0004: "< 0.1 %", 0.0006: "0.1 %", 0.25: "25.0 %"}
    shares |= {0.9994: "99.9 %", 0.9999: "> 99.9 %", 1.0: "100.0 %"}

    assert {share: percent_lost(share, digits=1) for share in shares} == shares


def test_shares_are_shown_in_percent_with_a_minus_sign() -> None:
    assert percent(-0.526, sign=True) == "−53 %"
    assert percent(0.031, digits=1, sign=True) == "+3.1 %"


@given(st.floats(min_value=1e-4, max_value=9e5))
def test_three_significant_digits_lose_less_than_half_a_percent(value: float) -> None:
    assert float(significant(value)) == pytest.approx(value, rel=0.0051)


def test_clock_skew_is_shown_in_ppm() -> None:
    assert format_value(-1.42e-4, "1", "clock_skew") == "-142 ppm"
    assert format_value(3.26e-8, "1", "clock_skew") == "0.0326 ppm"
