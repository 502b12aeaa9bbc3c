import pytest

from sojourn.answers.limit import answered, limit

FOUND = {
    "key": "background.rate",
    "unit": "1/s",
    "text": "response_time.p99 < 200 ms",
    "outcome": "found",
    "direction": "largest",
    "replications": 10,
}


def with_runs(value_text: str, met: int) -> dict[str, object]:
    return {"value_text": value_text, "runs": {"met": met, "of": 10}}


def test_a_limit_is_given_with_its_confidence_interval() -> None:
    answer = FOUND | {"value_text": "308 /s", "interval_text": ["305 /s", "312 /s"]}
    assert limit(answer) == (
        "the largest background.rate with response_time.p99 < 200 ms is 308 /s "
        "(95 % confidence interval 305 /s to 312 /s)"
    )


def test_what_is_only_known_to_lie_below_what_is_served_has_no_value_of_its_own() -> None:
    capacity = {"value_text": "100 /s", "resource": "server", "serves": 100.0, "serves_unit": "customers/s"}
    answer = FOUND | {"value_text": "100 /s", "interval_text": ["93.8 /s", "100 /s"], "capacity": capacity}
    assert limit(answer).startswith(
        "the largest background.rate with response_time.p99 < 200 ms is between 93.8 /s and 100 /s (95 % confidence); "
        "beyond 100 /s more arrives at server than it serves (100 customers/s)"
    )
    asked = {"value_text": "105 /s", "value": 105.0, "verdict": "missed", "conditions": []} | with_runs("105 /s", 0)
    said = dict(answered(answer | {"asked": asked, "question": "Can it?"}))["Can it?"]
    assert "The conditions hold up to a value between 93.8 /s and 100 /s (95 % confidence)." in said


def test_a_wide_interval_comes_with_what_more_replications_would_give() -> None:
    answer = FOUND | {"value_text": "60 /s", "interval_text": ["10 /s", "105 /s"]}
    said = limit(answer | {"narrower": {"replications": 160, "width": 24.0}})
    assert said.endswith("; `--replications 160` would narrow the interval to about 24 /s")


def test_an_open_end_is_not_given_a_value() -> None:
    answer = FOUND | {"outcome": "undecided", "value_text": "60 /s"}
    said = limit(answer | {"interval_text": ["10 /s", None]})
    assert "is at least 10 /s with 95 % confidence; an upper end is not decidable with 10 replications" in said
    assert "60" not in said
    said = limit(answer | {"interval_text": [None, None], "replications": 1})
    assert "may lie anywhere in the range or beyond it: one replication has no confidence interval" in said


def test_where_no_failure_was_observed_the_limit_has_an_upper_end_and_failures_a_bound() -> None:
    unseen = {
        "value_text": "61",
        "observed": "no failures in 1.7 h",
        "bound": "fewer than 43 a day at 95 %",
        "more": "to claim less than one a day needs 72 h: `--replications 432`",
    }
    answer = FOUND | {"outcome": "undecided", "value_text": "61", "interval_text": [None, "61"], "unseen": unseen}
    assert limit(answer) == (
        "the largest background.rate with response_time.p99 < 200 ms is at most 61; up to 61 there were no failures in "
        "1.7 h, that is fewer than 43 a day at 95 % (to claim less than one a day needs 72 h: `--replications 432`)"
    )


def test_replications_in_two_groups_are_counted() -> None:
    groups = {"lower": [0.017, 0.019], "upper": [0.138, 0.138], "in_upper": 2, "of": 10, "share": [0.025, 0.556]}
    condition = {"metric": "response_time", "field": "p99", "unit": "s", "groups": groups}
    answer = FOUND | {"value_text": "26 /s", "interval_text": ["10 /s", "105 /s"]}
    said = limit(answer | {"found": with_runs("26 /s", 8) | {"conditions": [condition]}})
    assert "p99 of response time is 138 ms in 2 of 10 and 17 ms to 19 ms in the others" in said
    assert "of the share: 2 % to 56 %" in said


@pytest.mark.parametrize(("outcome", "said"), [("always", "over the whole range"), ("never", "does not hold anywhere")])
def test_a_search_without_a_limit_gives_the_reason(outcome: str, said: str) -> None:
    assert said in limit(FOUND | {"outcome": outcome, "value_text": None, "direction": None})


def tried(value: float, verdict: str, p99: float, failures: int) -> dict[str, object]:
    time = {"text": "response_time.p99 < 250 ms", "metric": "response_time", "field": "p99", "unit": "s", "limit": 0.25}
    lost = {"text": "failures = 0", "metric": "failures", "field": "value", "unit": "1", "limit": 0}
    return {
        "value": value,
        "value_text": f"{value:g}",
        "verdict": verdict,
        "conditions": [
            time | {"value": p99, "interval": [p99 - 0.005, p99 + 0.005], "holds": p99 < 0.25},
            lost | {"value": failures, "interval": [0.0, 3.0], "holds": failures == 0},
        ],
    }


ASKED = FOUND | {
    "key": "station.device.count",
    "question": "Can it take 20 more?",
    "value_text": "72",
    "interval_text": ["71", "78"],
    "written": tried(50, "met", 0.202, 0),
}


def test_a_question_is_answered_with_the_requested_value_the_current_one_and_the_limit() -> None:
    (question, text), (_, found) = answered(ASKED | {"asked": tried(70, "met", 0.205, 0)})
    assert question == "Can it take 20 more?"
    assert text == (
        "Yes: with station.device.count = 70 instead of 50, p99 of response time is 205 ms "
        "(95 % CI 200 ms to 210 ms; required: < 250 ms) and undelivered messages are 0 (required: = 0). "
        "At present, with 50, p99 of response time is 202 ms "
        "(95 % CI 197 ms to 207 ms; required: < 250 ms) and undelivered messages are 0 (required: = 0). "
        "The conditions hold up to 72 (95 % confidence interval 71 to 78)."
    )
    assert found.startswith("The largest station.device.count")


@pytest.mark.parametrize(
    ("verdict", "p99", "said"),
    [
        ("missed", 0.3, "No: "),
        ("undecided", 0.249, "Not decided, 10 replications are too few: "),
        ("undecided", 0.251, "Not decided, 10 replications are too few: "),
    ],
)
def test_an_answer_is_as_certain_as_its_confidence_intervals(verdict: str, p99: float, said: str) -> None:
    (_, text), _ = answered(ASKED | {"asked": tried(80, verdict, p99, 0) | {"runs": {"met": 10, "of": 10}}})
    assert text.startswith(said)


def test_an_answer_reports_when_only_some_replications_meet_the_conditions() -> None:
    asked = tried(70, "missed", 0.7, 10) | with_runs("70", 7)
    (_, text), _ = answered(ASKED | {"asked": asked})
    assert "Replications differ: 7 of 10 replications meet the conditions." in text


def test_without_a_requested_value_the_limit_is_the_answer() -> None:
    ((heading, text),) = answered(FOUND | {"value_text": "308 /s", "interval_text": ["305 /s", "312 /s"]})
    assert (heading, text.startswith("The largest")) == ("Limit", True)


def test_a_condition_whose_percentile_is_not_reached_gives_the_reason() -> None:
    asked = tried(70, "missed", 0.2, 0)
    asked["conditions"][0] |= {"value": None, "interval": [0.18, None], "reason": "not reached (2 % failed)"}  # type: ignore[index]
    (_, text), _ = answered(ASKED | {"asked": asked})
    assert "p99 of response time is not reached (2 % failed) (95 % CI 180 ms or more; required: < 250 ms)" in text


def test_a_value_asked_for_that_is_the_present_one_is_not_compared_with_itself() -> None:
    (_, text), _ = answered(ASKED | {"asked": tried(50, "met", 0.202, 0)})
    assert "instead of" not in text
    assert "At present" not in text


def rare(value: float | None, interval: list[float]) -> dict[str, object]:
    text = "risk(medium/floor-2 collapsed) < 1 /year"
    return {"text": text, "metric": "risk", "field": "rate", "unit": "1/s", "value": value, "interval": interval}


def asked_of(condition: dict[str, object]) -> str:
    asked = {"value_text": "54", "verdict": "met", "conditions": [condition]}
    answer = FOUND | {"key": "count", "text": condition["text"], "value_text": "50", "interval_text": ["49", "51"]}
    return answered(answer | {"question": None, "asked": asked})[0][1]


def test_a_condition_on_a_rare_event_is_given_as_a_rate_in_a_period_that_fits() -> None:
    said = asked_of(rare(5e-7, [4e-7, 7e-7]))
    assert "medium/floor-2 collapsed occurs 1.30 a month (95 % CI 1.04 to 1.81; required: < 1 /year)" in said


def test_a_rare_event_that_did_not_occur_has_its_bound() -> None:
    said = asked_of(rare(None, [0.0, 2e-5]))
    assert "medium/floor-2 collapsed did not occur (fewer than 1.73 a day; required: < 1 /year)" in said


def test_what_the_intervals_of_rates_do_not_decide_is_not_put_down_to_replications() -> None:
    answer = FOUND | {"text": rare(None, [0, 1])["text"], "outcome": "undecided", "value_text": "50"}
    said = limit(answer | {"interval_text": ["49", None]})
    assert "an upper end is not decided by the intervals of the rates" in said
