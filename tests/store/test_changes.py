"""Change points: found where a level changes, and nowhere else."""

import math
import random

import pytest

from sojourn.store.changes import changes
from sojourn.store.retention import DAY_US, HOUR_US
from sojourn.store.series import Series, Value, limits

BEGIN_US = 1_767_225_600_000_000


def hours(levels_s: list[float], *, seed: int, daily: float = 0.3, correlation: float = 0.6) -> Series:
    """Hourly values around levels: a daily pattern, correlated noise of 5 %, and rare outliers."""
    draw, noise, values = random.Random(seed), 0.0, []
    for number, level in enumerate(levels_s):
        noise = correlation * noise + draw.gauss(0, 0.05) * math.sqrt(1 - correlation**2)
        pattern = daily * max(0.0, math.sin(2 * math.pi * (number % 24 - 6) / 24))
        outlier = draw.choice([2.0, 4.0]) if draw.random() < 0.01 else 1.0
        values.append(Value(BEGIN_US + number * HOUR_US, level * math.exp(noise + pattern) * outlier))
    return Series("gw", "response_time.p99", "s", HOUR_US, values)


def test_a_change_of_eight_percent_is_found_at_its_day_with_an_interval_that_holds_it():
    """One of eight noisy series may show a second, false one, near the 1 % that the score allows of many tries."""
    every = [changes(hours([0.0100] * 37 * 24 + [0.0108] * 23 * 24, seed=seed)) for seed in range(8)]

    alone = [found[0] for found in every if len(found) == 1]
    assert len(alone) >= 7
    for found in alone:
        difference, low, high = found.difference
        assert abs(found.at_us - (BEGIN_US + 37 * DAY_US)) <= DAY_US / 2
        assert difference == pytest.approx(0.08, abs=0.015) and low < 0.08 < high


def test_a_series_without_a_change_rarely_has_one():
    found = [changes(hours([0.01] * 60 * 24, seed=seed)) for seed in range(100, 120)]

    assert sum(map(len, found)) <= 1


def test_two_changes_are_two_and_the_levels_are_those_between():
    first, second = changes(hours([0.01] * 480 + [0.02] * 480 + [0.012] * 480, seed=3))

    assert (first.before, first.after) == (pytest.approx(0.0112, rel=0.1), pytest.approx(0.0224, rel=0.1))
    assert second.difference[0] == pytest.approx(-0.4, abs=0.05)


def test_a_few_runs_show_a_change_and_too_few_show_none():
    values = [
        Value(BEGIN_US + n * DAY_US, v) for n, v in enumerate([10, 10.2, 9.9, 10.1, 10, 15, 15.2, 14.9, 15.1, 15])
    ]
    series = Series("site", "response_time", "s", None, values)

    (found,) = changes(series)

    assert found.at_us == values[5].begin_us
    assert changes(Series("site", "response_time", "s", None, values[:5])) == []
    assert changes(Series("site", "response_time", "s", None, [Value(n, 1.0) for n in range(20)])) == []


def test_shares_that_are_zero_are_compared_as_they_are():
    values = [Value(BEGIN_US + n * HOUR_US, 0.0 if n < 50 else 0.02 + 0.001 * (n % 3)) for n in range(100)]

    (found,) = changes(Series("gw", "loss", "1", HOUR_US, values))

    assert not found.relative
    assert found.difference[0] == pytest.approx(0.021, abs=0.001)


def test_conditions_of_a_metric_have_their_value_in_si_units():
    texts = ["response_time.p99 < 20 ms", "loss < 1 %", "response_time < 3 s", "failures = 0"]

    assert limits(texts, "response_time.p99") == {"response_time.p99 < 20 ms": 0.02}
    assert limits(texts, "loss") == {"loss < 1 %": 0.01}
    assert limits(texts, "response_time.mean") == {"response_time < 3 s": 3.0}
