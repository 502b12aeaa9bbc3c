import pytest

from sojourn.answers.limit import answered, limit

FOUND = {"key": "background.rate", "text": "response_time.p99 < 200 ms", "outcome": "found", "direction": "largest"}


def with_runs(value_text: str, met: int) -> dict[str, object]:
    return {"value_text": value_text, "runs": {"met": met, "of": 10}}


@pytest.mark.parametrize("beyond", [None, with_runs("309 /s", 0)])
def test_a_limit_is_given_with_its_confidence_interval(beyond: dict[str, object] | None) -> None:
    answer = FOUND | {"value_text": "308 /s", "interval_text": ["305 /s", "312 /s"]}
    assert limit(answer | {"found": with_runs("308 /s", 10), "beyond": beyond}) == (
        "the largest background.rate with response_time.p99 < 200 ms is 308 /s "
        "(95 % confidence interval 305 /s to 312 /s)"
    )


def test_a_limit_where_replications_differ_is_given_with_how_many_meet_it() -> None:
    answer = FOUND | {"value_text": "66", "interval_text": ["66", "67"]}
    said = limit(answer | {"found": with_runs("66", 10), "beyond": with_runs("67", 9)})
    assert "is 66, met by 10 of 10 replications; 67 is met by 9 of 10 replications" in said
    assert "the limit is random" in said
    assert "interval" not in said


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("always", "over the whole range"), ("never", "does not hold anywhere"), ("undecided", "more --replications")],
)
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
        "(95 % CI 200 ms to 210 ms; required: < 250 ms) and undelivered messages is 0 (required: = 0). "
        "At present, with 50, p99 of response time is 202 ms "
        "(95 % CI 197 ms to 207 ms; required: < 250 ms) and undelivered messages is 0 (required: = 0). "
        "The conditions hold up to 72."
    )
    assert found.startswith("The largest station.device.count")


@pytest.mark.parametrize(
    ("verdict", "p99", "said"),
    [("missed", 0.3, "No: "), ("undecided", 0.249, "Probably, but"), ("undecided", 0.251, "Probably not, but")],
)
def test_an_answer_is_as_certain_as_its_confidence_intervals(verdict: str, p99: float, said: str) -> None:
    (_, text), _ = answered(ASKED | {"asked": tried(80, verdict, p99, 0)})
    assert text.startswith(said)


def test_an_answer_reports_when_only_some_replications_meet_the_conditions() -> None:
    asked = tried(70, "missed", 0.7, 10) | with_runs("70", 7)
    (_, text), _ = answered(ASKED | {"asked": asked})
    assert "Replications differ: 7 of 10 replications meet the conditions." in text


def test_without_a_requested_value_the_limit_is_the_answer() -> None:
    ((heading, text),) = answered(FOUND | {"value_text": "308 /s", "interval_text": None})
    assert (heading, text.startswith("The largest")) == ("Limit", True)
