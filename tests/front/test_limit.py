import pytest

from sojourn.answers.limit import limit

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
