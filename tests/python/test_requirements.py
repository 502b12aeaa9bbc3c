"""A requirement is answered in the words of a user, and what is undecided says how long it takes to decide it."""

from typing import Any

import pytest

from sojourn import requirements
from sojourn.point import Point
from sojourn.requirements import Condition

ALARM = {"response_time": {"unit": "s", "mean": 0.02, "p50": 0.02}}
ALARM["response_time/alarm"] = ALARM["response_time"]


def point(metrics: dict[str, Any], replications: int = 10) -> Point:
    return Point({"experiment": "site", "set": {}, "replications": replications, "metrics": metrics})


def row(
    text: str, value: float | None, interval: list[float | None] | None, verdict: str, **more: Any
) -> dict[str, Any]:
    return {"text": text, "value": value, "interval": interval, "verdict": verdict, **more}


def test_a_percentile_that_is_met_is_one_sentence_with_the_flow_its_interval_and_the_limit() -> None:
    met = row("response_time.p99 < 100 ms", 0.0241, [0.0234, 0.02503], "met", unit="s")
    assert requirements.sentence(met, point(ALARM)) == (
        "99 % of responses on alarm take at most 24.1 (23.4 to 25.0) ms: the requirement of 100 ms is met."
    )


@pytest.mark.parametrize(
    ("metric", "begin"),
    [
        ("freshness", "99 % of values are not older than"),
        ("token_rotation", "99 % of rotations of the token take at most"),
    ],
)
def test_what_is_sampled_has_its_own_words(metric: str, begin: str) -> None:
    met = row(f"{metric}.p99 < 10 s", 5.16, [5.14, 5.18], "met", unit="s")
    assert requirements.sentence(met).startswith(f"{begin} 5.16 (5.14 to 5.18) s")


def test_a_value_that_has_to_be_exceeded_says_more_than() -> None:
    missed = row("mos > 3.6", 3.1, [3.0, 3.2], "missed", unit="1")
    assert requirements.sentence(missed) == (
        "The poorest listener has a MOS of 3.10 ± 0.10: the requirement of more than 3.6 is missed."
    )


def test_a_value_beside_its_limit_has_the_digits_that_show_on_which_side_it_is() -> None:
    near = row("response_time.mean < 20.4385 ms", 0.020441, [0.020439, 0.020443], "missed", unit="s")
    assert requirements.sentence(near) == (
        "The mean response time is 20.441 (20.439 to 20.443) ms: the requirement of less than 20.4385 ms is missed."
    )


def test_where_nothing_failed_the_bound_of_what_was_observed_stands_behind_it() -> None:
    needs = "no failures in 1.7 h: fewer than 43 a day at 95 %; to claim less than one a day needs 72 h"
    counted = {"failures": {"unit": "1", "value": 0.0, "by_replication": {"value": [0.0, 0.0]}}}
    none = row("failures = 0", 0.0, [0.0, 3.689], "met", unit="1", needs=needs)
    assert requirements.sentence(none, point(counted)) == (
        "There were no failures in 1.7 h (fewer than 43 a day at 95 %): the requirement of 0 is met."
    )
    lost = row("loss < 1 %", 0.0, [0.0, 0.002], "met", unit="1")
    assert (
        requirements.sentence(lost) == "No message is lost (at most 0.200 %): the requirement of less than 1 % is met."
    )


def test_what_has_no_value_says_why() -> None:
    missed = row("response_time.p99 < 100 ms", None, None, "missed", reason="2.1 % of the messages failed")
    assert requirements.sentence(missed) == (
        "The requirement response_time.p99 < 100 ms is missed: 2.1 % of the messages failed."
    )


def test_the_half_width_falls_with_the_root_of_the_number_of_runs() -> None:
    # 20 ± 4 against 22: twice as far as the limit, so four times the runs, and a tenth to spare
    open_ = row("response_time.mean < 22 ms", 0.020, [0.016, 0.024], "undecided", unit="s")
    assert requirements.times_as_long(open_) == pytest.approx(1.1 * 4)
    # the upper end of nothing seen falls with the runs themselves: 3 % against 1 %
    none = row("loss < 1 %", 0.0, [0.0, 0.03], "undecided", unit="1")
    assert requirements.times_as_long(none) == pytest.approx(1.1 * 3)


@pytest.mark.parametrize("interval", [None, [0.016, None]])
def test_without_an_interval_no_time_is_claimed(interval: list[float | None] | None) -> None:
    open_ = row("response_time.mean < 22 ms", 0.020, interval, "undecided", unit="s")
    assert requirements.times_as_long(open_) is None
    assert "more would" not in requirements.sentence(open_, point(ALARM), elapsed_s=10.0)


def test_a_value_of_runs_without_a_steady_state_is_not_said_to_be_that_of_the_network() -> None:
    why = "no steady state: more arrives at server (105 customers/s) than it serves (100 customers/s)"
    missed = row("response_time.mean < 3 s", 2.0, None, "missed", unit="s", reason=why)
    assert requirements.sentence(missed) == (
        "The mean response time is 2 s in these runs, but there is no steady state: "
        "the requirement of less than 3 s is missed."
    )


def test_what_is_undecided_says_how_much_longer_it_takes() -> None:
    open_ = row("response_time.mean < 22 ms", 0.020, [0.016, 0.024], "undecided", unit="s")
    # ten seconds for 10 runs, 50 runs wanted: forty more
    wanted = open_ | {"needs": "if the value stays, `--replications 50` would decide"}
    assert requirements.sentence(wanted, point(ALARM), elapsed_s=10.0).endswith(
        ": the requirement of less than 22 ms is not decided; about 40 s more would decide it (`--replications 50`)."
    )
    assert requirements.sentence(wanted, point(ALARM)).endswith(
        "is not decided; if the value stays, `--replications 50` would decide."
    ), "no time is known of what was read from the cache"


def test_of_several_requirements_a_missed_one_is_said_first() -> None:
    rows = [row("loss < 1 %", 0.0, None, "met"), row("mos > 4", 3.0, None, "missed"), row("mos > 2", 3.0, None, "met")]
    said = requirements.first(rows)
    assert said is rows[1]
    assert requirements.others(rows, said) == "The other 2 requirements are met."


def test_a_condition_is_read_with_its_member_its_field_and_its_limit_in_si_units() -> None:
    found = Condition.parse("response_time/alarm-2.p95 <= 250 ms")
    assert found == Condition("response_time/alarm-2", "p95", "<=", 0.25, "250 ms")
    assert Condition.parse("medium/floor-2 collapsed") is None
