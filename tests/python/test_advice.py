"""The sentences of advice say what the numbers say."""

import pytest

from sojourn import advice

ONE = {
    "name": "as it is",
    "options": [],
    "cost": None,
    "value": 0.030,
    "ci95": [0.028, 0.032],
    "met": None,
    "replications": 10,
    "status": "worse",
    "eliminated_by": 1,
    "difference": 0.5,
    "difference_ci95": [0.4, 0.6],
}
BEST = ONE | {"name": "priority", "options": ["priority"], "value": 0.020, "ci95": [0.019, 0.021]}
BEST |= {"status": "selected", "eliminated_by": None, "difference": None, "difference_ci95": None, "replications": 30}


@pytest.fixture
def found():
    def build(*alternatives, **more):
        selected = next((at for at, one in enumerate(alternatives) if one["status"] == "selected"), None)
        counts = [one["replications"] for one in alternatives]
        head = {
            "objective": "response_time.p99",
            "unit": "s",
            "better": "lower",
            "conditions": [],
            "indifference": 0.001,
        }
        head |= {"confidence": 0.95, "outcome": "selected" if selected is not None else "none", "selected": selected}
        head |= {"replications": sum(counts), "equal_allocation": max(counts) * len(counts)}
        return head | {"alternatives": list(alternatives)} | more

    return build


def test_the_answer_names_the_best_how_sure_it_is_and_what_comes_next(found) -> None:
    said = advice.sentences(found(ONE, BEST))
    assert said == [
        "The best is priority: response_time.p99 20.0 ± 1.0 ms, with at least 95 % confidence.",
        "Second: the scenario as it is, which is 50 % slower (40 to 60 %).",
        "40 runs of 2 alternatives, 67 % of what as many for each would take.",
    ]


def test_the_cheapest_that_meets_the_conditions_is_said_with_its_cost_and_the_better_ones_that_cost_more(found) -> None:
    cheap = BEST | {"name": "timer", "cost": 2.0, "met": True}
    dear = BEST | {"name": "priority", "cost": 9.0, "value": 0.015, "ci95": None, "status": "dearer", "met": True}
    said = advice.sentences(found(ONE | {"status": "misses"}, cheap, dear, conditions=["response_time.p99 < 25 ms"]))
    assert said[0] == (
        "The cheapest that meets response_time.p99 < 25 ms is timer, at a cost of 2: response_time.p99 20.0 ± 1.0 ms, "
        "with at least 95 % confidence."
    )
    assert said[1] == "Dearer, and better: priority (cost 9, 15 ms)."
    assert said[2] == "Out by a condition: the scenario as it is."


def test_no_change_is_named_where_none_is_better(found) -> None:
    as_it_is = BEST | {"name": "as it is", "options": []}
    equal = ONE | {"name": "timer", "options": ["timer"], "status": "equal"}
    said = advice.sentences(found(as_it_is, equal))
    assert said[0].startswith("No change is better than the scenario as it is: response_time.p99 20.0 ± 1.0 ms")
    assert said[1] == "Equal to it within 1 ms: timer."


def test_where_none_meets_the_conditions_the_nearest_are_named(found) -> None:
    out = ONE | {"status": "misses", "difference": None, "difference_ci95": None, "eliminated_by": None}
    said = advice.sentences(
        found(out, out | {"name": "timer", "value": 0.021, "ci95": None}, conditions=["response_time.p99 < 9 ms"])
    )
    assert said[:2] == [
        "No alternative meets response_time.p99 < 9 ms.",
        "Nearest: timer (response_time.p99 21 ms), as it is (response_time.p99 30.0 ± 2.0 ms).",
    ]


def test_what_the_budget_left_open_is_not_called_an_answer(found) -> None:
    left = BEST | {"status": "open"}
    said = advice.sentences(found(left, ONE, outcome="undecided"))
    assert said[0] == "Not decided within the budget: priority (20.0 ± 1.0 ms) is left."
    assert not any("best" in sentence for sentence in said)
