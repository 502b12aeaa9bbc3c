import pytest

from sojourn.answers.limit import answered, limit

FOUND = {"key": "background.rate", "text": "response_time.p99 < 200 ms", "outcome": "found", "direction": "largest"}


def test_a_limit_is_said_with_the_values_it_surely_lies_between() -> None:
    answer = FOUND | {"value_text": "308 /s", "interval_text": ["305 /s", "312 /s"]}
    assert limit(answer) == (
        "the largest background.rate with response_time.p99 < 200 ms is 308 /s; "
        "it surely lies between 305 /s and 312 /s"
    )


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("always", "over the whole range"), ("never", "nowhere"), ("undecided", "more --replications")],
)
def test_a_search_without_a_limit_says_why(outcome: str, said: str) -> None:
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


def test_a_question_is_answered_with_what_is_asked_what_is_now_and_how_far_it_holds() -> None:
    (question, text), (_, found) = answered(ASKED | {"asked": tried(70, "met", 0.205, 0)})
    assert question == "Can it take 20 more?"
    assert text == (
        "Yes: with station.device.count = 70 instead of 50, 99 % of the response times are within 205 ms "
        "(200 ms to 210 ms; asked: < 250 ms) and tests without delivery: 0 (asked: = 0). "
        "With 50, as it is now, 99 % of the response times are within 202 ms "
        "(197 ms to 207 ms; asked: < 250 ms) and tests without delivery: 0 (asked: = 0). "
        "What is asked holds up to 72."
    )
    assert found.startswith("The largest station.device.count")


@pytest.mark.parametrize(
    ("verdict", "p99", "said"),
    [("missed", 0.3, "No: "), ("undecided", 0.249, "Probably, but"), ("undecided", 0.251, "Probably not, but")],
)
def test_an_answer_is_as_sure_as_its_intervals(verdict: str, p99: float, said: str) -> None:
    (_, text), _ = answered(ASKED | {"asked": tried(80, verdict, p99, 0)})
    assert text.startswith(said)


def test_without_a_value_asked_about_the_limit_is_the_answer() -> None:
    ((heading, text),) = answered(FOUND | {"value_text": "308 /s", "interval_text": None})
    assert (heading, text.startswith("The largest")) == ("Found", True)
