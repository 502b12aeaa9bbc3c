import pytest

from sojourn.answers.expected import expected, summary
from sojourn.catalogue import Axis
from sojourn.cli.summary import _key_to_try
from sojourn.units import format_value

AXES = {"background.rate": Axis.of("lontalk", "background.rate", "1/s")}


def verdict(word: str, rate: float) -> dict[str, object]:
    return {"text": "failures = 0", "experiment": "site", "set": {"background.rate": rate}, "verdict": word}


def test_one_point_has_its_verdict() -> None:
    assert expected([verdict("met", 100.0)], AXES) == ["failures = 0: met"]


def test_many_points_share_a_line_that_names_where_it_does_not_hold() -> None:
    rows = [verdict("met", 100.0), verdict("met", 200.0), verdict("undecided", 300.0), verdict("missed", 400.0)]
    assert expected(rows, AXES) == [
        "failures = 0: met at 2 of 4 points; "
        "undecided at offered load 300 packets/s; missed at offered load 400 packets/s"
    ]


def test_the_phases_of_a_measurement_are_named_where_it_does_not_hold() -> None:
    rows = [verdict("met", 1.0) | {"experiment": phase, "set": {}} for phase in ("idle", "recovery")]
    rows.append(verdict("missed", 1.0) | {"experiment": "loaded", "set": {}})
    assert expected(rows, AXES) == ["failures = 0: met at 2 of 3 points; missed at loaded"]


@pytest.mark.parametrize(
    ("scenario", "key"),
    [
        ('[background]\nrate = "300 /s"\n', "background.rate"),
        ('[[station]]\nname = "sensor"\ncount = 40\n', "station.sensor.count"),
        ('[[station]]\nname = "server"\n', "KEY"),
    ],
)
def test_the_next_step_names_a_key_that_the_scenario_has(scenario: str, key: str) -> None:
    assert _key_to_try(scenario)[0] == key


def test_frequencies_are_shown_in_megahertz() -> None:
    assert format_value(5e6, "Hz") == "5 MHz"


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ({}, ""),
        ({"failures = 0": ["met"]}, "The requirement failures = 0 is met."),
        ({"failures = 0": ["missed"]}, "Requirement missed: failures = 0."),
        ({"failures = 0": ["met"], "loss = 0": ["met", "met"]}, "All 2 requirements are met at every point."),
        (
            {"failures = 0": ["met"], "loss = 0": ["met", "undecided"]},
            "1 of 2 requirements is met at every point; undecided: loss = 0 at 1 of 2 points.",
        ),
        (
            {"a": ["missed", "undecided"], "b": ["undecided"], "c": ["missed"]},
            "0 of 3 requirements are met at every point; missed: a at 1 of 2 points, c; undecided: b.",
        ),
    ],
)
def test_a_requirement_counts_as_met_only_where_it_is_met_at_every_point(verdicts, sentence) -> None:
    rows = [{"text": text, "verdict": verdict} for text, words in verdicts.items() for verdict in words]

    assert summary(rows) == sentence


def test_one_point_has_its_value_and_interval_in_its_verdict_and_in_the_sentence_of_all() -> None:
    row = {
        "text": "mos > 4",
        "experiment": "office",
        "set": {},
        "verdict": "missed",
        "value": 3.77,
        "interval": [3.63, 3.91],
    }
    late = row | {
        "text": "response_time.p99 < 100 ms",
        "value": 0.14,
        "interval": [0.066, None],
        "verdict": "undecided",
    }

    assert expected([row, late], {}) == [
        "mos > 4: missed with 3.77 ± 0.14",
        "response_time.p99 < 100 ms: undecided with 140 (at least 66) ms",
    ]
    assert summary([row]) == "Requirement missed: mos > 4 with 3.77 ± 0.14."
    assert summary([row, row | {"set": {"a": 1}}]) == "Requirement missed: mos > 4 at 2 of 2 points."


def test_what_is_missed_says_why_and_not_what_it_takes_to_claim_more() -> None:
    why = "no steady state: more arrives at server (1 customers/s) than it serves (0.667 customers/s)"
    row = {"text": "failures = 0", "experiment": "desk", "set": {}, "value": 0.0, "interval": [0.0, 3.69]}
    row |= {"reason": why, "needs": "no failures in 50 min: `--replications 18`"}

    assert expected([row | {"verdict": "missed"}], {}) == [f"failures = 0: missed with 0 (at most 3.69); {why}"]
    assert expected([row | {"verdict": "undecided"}], {})[0].endswith("`--replications 18`")
    assert summary([row | {"verdict": "missed"}]).endswith("failures = 0 with 0 (at most 3.69) (no steady state).")
