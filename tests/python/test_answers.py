from importlib import import_module

import pytest

from sojourn.answers import answer
from sojourn.answers.threshold import smallest
from sojourn.catalogue import answer_kinds
from sojourn.comparison import paired
from sojourn.errors import UnknownName
from sojourn.reference import Published


@pytest.fixture(autouse=True)
def student(monkeypatch: pytest.MonkeyPatch) -> None:
    """Student's quantile for one degree of freedom, so that these tests need no compiled part."""
    monkeypatch.setattr(paired, "call", lambda _name, _probability, _freedom: 12.706)


def test_the_best_rate_is_given_for_every_service(idle) -> None:
    raw = {"kind": "best", "experiments": ["A"], "y": "transaction_rate", "by": "probe.service"}
    (sentence,) = answer(raw, idle)
    assert sentence == (
        "Highest transaction rate: 326 ± 13 transactions/s unacknowledged (A, message data 1 byte) and "
        "69 ± 13 transactions/s acknowledged (A, message data 1 byte)."
    )


def test_the_best_time_is_the_shortest(idle) -> None:
    (sentence,) = answer({"kind": "best", "experiments": ["A"], "y": "response_time", "by": "probe.service"}, idle)
    assert sentence.startswith("Lowest mean response time: 3.07")


def test_a_knee_reports_the_flat_range_the_doubling_and_the_end(loaded) -> None:
    results = loaded({"D": {100.0: [15, 15], 200.0: [18, 18], 300.0: [40, 40], 400.0: [150, 150]}})
    (sentence,) = answer({"kind": "knee", "x": "background.rate"}, results)
    assert sentence == (
        "The mean response time is 15 to 18 ms up to 200 packets/s, more than double its first value from "
        "300 packets/s, and 150 ms at 400 packets/s (p99 300 ms)."
    )


def test_a_curve_without_a_knee_is_given_over_its_whole_range(loaded) -> None:
    results = loaded({"D": {100.0: [15, 15], 200.0: [13, 13], 300.0: [14, 14]}})
    (sentence,) = answer({"kind": "knee", "x": "background.rate"}, results)
    assert sentence == (
        "The mean response time is 13 to 15 ms at all 3 values of offered load, 100 packets/s to 300 packets/s; "
        "at the last it is 14 ms (p99 28 ms)."
    )


def test_a_time_that_falls_along_the_key_is_said_to_fall(loaded) -> None:
    results = loaded({"D": {100.0: [90, 90], 200.0: [20, 20], 300.0: [14, 14]}})
    (sentence,) = answer({"kind": "knee", "x": "background.rate"}, results)
    assert sentence == "The mean response time falls from 90 ms at 100 packets/s to 14 ms at 300 packets/s (p99 28 ms)."


def test_a_knee_is_more_than_double_only_above_twice_the_first_value(loaded) -> None:
    results = loaded({"D": {100.0: [10, 10], 200.0: [16, 16], 300.0: [19, 19]}})
    (sentence,) = answer({"kind": "knee", "x": "background.rate"}, results)
    assert "double" not in sentence
    results = loaded({"D": {100.0: [10, 10], 200.0: [19, 19], 300.0: [21, 21]}})
    (sentence,) = answer({"kind": "knee", "x": "background.rate"}, results)
    assert "more than double its first value from 300 packets/s" in sentence


def test_saturation_reports_the_offered_load_that_carries_nearly_the_largest_throughput(loaded) -> None:
    results = loaded({"D": {100.0: [15], 400.0: [90], 300.0: [20], 500.0: [190]}})
    (sentence,) = answer({"kind": "saturation", "x": "background.rate", "y": "throughput_l3"}, results)
    assert sentence == (
        "D saturates at 360 packets/s; it carries 98 % of that from an offered load of 400 packets/s, "
        "and 360 packets/s at 500 packets/s."
    )


def test_a_maximum_at_the_largest_load_is_not_saturation(loaded) -> None:
    results = loaded({"D": {100.0: [15], 200.0: [16]}})
    (sentence,) = answer({"kind": "saturation", "x": "background.rate", "y": "throughput_l3"}, results)
    assert sentence == "D carries 200 packets/s at the largest offered load, 200 packets/s: not saturated."


def test_an_effect_is_paired_and_its_verdicts_are_counted(loaded) -> None:
    results = loaded({"D": {100.0: [20, 22], 200.0: [40, 60]}, "E": {100.0: [20, 22], 200.0: [20, 40]}})
    raw = {"kind": "effect", "experiments": ["D", "E"], "x": "background.rate", "y": "response_time"}
    sentences = answer(raw, results, {"E": "Priority"})
    assert sentences == [
        "With E (priority) the mean response time at 200 packets/s is 40 % lower than in D (difference −20.0 ms).",
        "Over 2 values of offered load: the same at 1 and better at 1.",
    ]


def published(experiment: str, load: float, seconds: float) -> Published:
    settings = {"background.rate": load}
    return Published(
        experiment, settings, "response_time", "mean", seconds, "s", 0.0, "prediction", "bulletin/light.csv"
    )


def test_an_effect_that_published_numbers_contradict_says_so(loaded) -> None:
    results = loaded({"D": {100.0: [20, 22]}, "E": {100.0: [30, 33]}})
    raw = {"kind": "effect", "experiments": ["D", "E"], "x": "background.rate", "y": "response_time"}
    known = [published("D", 100.0, 0.021), published("E", 100.0, 0.105)]
    assert "Published: 400 % higher; the model does not reproduce this." in answer(raw, results, {}, known)
    known = [published("D", 100.0, 0.021), published("E", 100.0, 0.0315)]
    assert "Published: 50 % higher." in answer(raw, results, {}, known)


def test_an_effect_gives_what_failed_beside_the_mean(loaded) -> None:
    results = loaded({"D": {100.0: [20, 22]}, "E": {100.0: [30, 33]}})
    results.raw["points"][1]["metrics"]["response_time"] |= {"count": 51, "sent": 100}
    raw = {"kind": "effect", "experiments": ["D", "E"], "x": "background.rate", "y": "response_time"}
    assert "of those delivered (49 % failed in E)" in answer(raw, results)[0]


def test_ten_comparisons_are_corrected_for_their_number_and_two_runs_named_as_the_reason(
    loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    monkeypatch.setattr(paired, "call", lambda _name, probability, _freedom: asked.append(probability) or 12.706)
    times = {100.0 * load: [20.0, 22.0] for load in range(1, 11)}
    results = loaded({"D": times, "E": {load: [19.0, 25.0] for load in times}})
    raw = {"kind": "effect", "experiments": ["D", "E"], "x": "background.rate", "y": "response_time"}
    sentences = answer(raw, results)
    assert asked == pytest.approx([1 - 0.05 / 10 / 2] * 10)
    assert sentences[-1] == "2 runs per point show large differences only: run without --quick."


def test_one_run_per_point_has_a_difference_and_no_verdict(loaded) -> None:
    results = loaded({"D": {100.0: [20]}, "E": {100.0: [30]}})
    raw = {"kind": "effect", "experiments": ["D", "E"], "x": "background.rate", "y": "response_time"}
    assert answer(raw, results) == [
        "With E the mean response time at 100 packets/s is 50 % higher than in D (difference 10.0 ms).",
        "At the only value of offered load: not decidable.",
        "A difference of one run has no confidence interval: run without --quick.",
    ]


def test_a_ranking_names_the_variants_with_a_significant_effect_largest_first(loaded) -> None:
    times = {"D": [20, 22], "D+a": [30, 32], "D+b": [10, 12], "D+c": [20, 90], "D+d": [40, 42]}
    results = loaded({experiment: {100.0: means} for experiment, means in times.items()})
    raw = {"kind": "ranking", "experiments": list(times), "x": "background.rate", "at": [100]}
    (sentence,) = answer(raw, results, {"D+a": "More acknowledgements", "D+b": "Fewer", "D+d": "None"})
    assert sentence == (
        "Response time at 100 packets/s: higher than in D with none (+95 %) and more acknowledgements (+48 %); "
        "lower than in D with fewer (−48 %)."
    )


def test_the_budget_names_the_largest_component(loaded) -> None:
    (sentence,) = answer({"kind": "budget", "x": "background.rate"}, loaded({"D": {100.0: [15], 200.0: [30]}}))
    assert "at 100 packets/s is retransmission (50 %)" in sentence


def test_experiments_that_were_not_run_have_no_answer(loaded) -> None:
    assert answer({"kind": "knee", "experiments": ["H"], "x": "background.rate"}, loaded({"D": {100.0: [15]}})) == []


def test_an_unknown_kind_of_answer_lists_the_declared_kinds(loaded) -> None:
    with pytest.raises(UnknownName, match="knee"):
        answer({"kind": "guess"}, loaded({"D": {100.0: [15]}}))


def test_a_threshold_is_given_for_each_setting(voice) -> None:
    counts = {(8, 0.0): (9, 0), (32, 0.0): (0, 1), (64, 0.0): (0, 3), (8, 25e6): (9, 0), (32, 25e6): (2, 1)}
    raw = {"kind": "threshold", "reach": "zero", "x": "voice.samples", "y": "fifo_underflow"}
    (sentence,) = answer(raw, voice(counts | {(64, 25e6): (0, 3)}))
    assert sentence == (
        "Voice buffer underruns: 0 from samples per packet = 32 in sppt with background load 0 bit/s; "
        "0 from samples per packet = 64 in sppt with background load 25 Mbit/s."
    )


def test_a_threshold_must_hold_for_all_larger_values() -> None:
    assert smallest([(8, 1), (16, 0), (32, 2), (64, 0), (128, 0)], at_most=0.0) == 64
    assert smallest([(8, 0), (16, 3)], at_most=0.0) is None


def test_the_range_of_settings_with_nearly_equal_values_holds_their_intervals(voice) -> None:
    alike = voice({(256, 0.0): (0, 94), (256, 25e6): (0, 94)})
    for point, half in zip(alike.raw["points"], (7, 3), strict=True):
        point["metrics"]["voice_channels"]["ci95"] = [94 - half, 94 + half]
    (sentence,) = answer({"kind": "values", "x": "voice.samples", "y": "voice_channels", "at": [256]}, alike)
    assert sentence == "Voice channels at samples per packet = 256: sppt 87 to 101 in both settings."


def test_settings_with_failures_are_not_put_together(voice) -> None:
    results = voice({(256, 0.0): (0, 94), (256, 25e6): (0, 94)})
    for point, delivered in zip(results.raw["points"], (100, 80), strict=True):
        point["metrics"]["response_time"] = {"unit": "s", "mean": 0.01, "count": delivered, "sent": 100, "ci95": None}
    (sentence,) = answer({"kind": "values", "x": "voice.samples", "y": "response_time", "at": [256]}, results)
    assert "in both settings" not in sentence
    assert "20 % failed" in sentence


def test_settings_with_nearly_equal_values_are_given_as_one_range(voice) -> None:
    alike = voice({(256, 0.0): (0, 100), (256, 25e6): (0, 98)})
    (sentence,) = answer({"kind": "values", "x": "voice.samples", "y": "voice_channels", "at": [256]}, alike)
    assert sentence == "Voice channels at samples per packet = 256: sppt 98 to 100 in both settings."
    apart = voice({(256, 0.0): (0, 100), (256, 25e6): (0, 90)})
    (sentence,) = answer({"kind": "values", "x": "voice.samples", "y": "voice_channels", "at": [256]}, apart)
    assert sentence == (
        "Voice channels at samples per packet = 256: "
        "sppt 100 with background load 0 bit/s and 90 with background load 25 Mbit/s."
    )


def test_of_many_settings_along_one_key_the_ends_are_given(voice) -> None:
    found = voice({(256, load * 1e6): (0, 100 - load) for load in (0, 10, 20, 30)})
    (sentence,) = answer({"kind": "values", "x": "voice.samples", "y": "voice_channels", "at": [256]}, found)
    assert sentence == (
        "Voice channels at samples per packet = 256: "
        "sppt 100 with background load 0 bit/s and 70 with background load 30 Mbit/s."
    )


def test_of_one_experiment_the_values_stand_in_one_sentence_also_where_nothing_arrived(loaded) -> None:
    results = loaded({"D": {100.0: [15], 200.0: [18], 300.0: [40]}})
    lost = results.raw["points"][-1]["metrics"]["response_time"]
    lost |= {"mean": None, "count": 0, "sent": 200, "ci95": None}
    asked = {"kind": "values", "experiments": ["D"], "x": "background.rate", "y": "response_time", "at": [100, 300]}
    (sentence,) = answer(asked, results)
    assert sentence == "Response time: 15 ms at 100 packets/s and nothing delivered at 300 packets/s."


def stages(point: dict, shares: dict[str, float]) -> None:
    for stage, share in shares.items():
        point["metrics"][f"utilisation/{stage}"] = {"unit": "1", "value": share, "ci95": None}
    point["metrics"]["utilisation"] = {"unit": "1", "value": max(shares.values()), "ci95": None}


def test_the_bottleneck_is_named_for_each_setting(loaded) -> None:
    results = loaded({"D": {100.0: [15]}, "E": {100.0: [15]}})
    for point, bus in zip(results.raw["points"], (0.2, 0.9), strict=True):
        stages(point, {"bus": bus, "control": 0.5})
    (sentence,) = answer({"kind": "bottleneck", "x": "background.rate", "y": "utilisation", "at": [100]}, results)
    assert sentence == "Bottleneck at 100 packets/s: D control (50 %); E bus (90 %)."


def test_full_rate_is_within_half_a_percent_of_the_largest(loaded) -> None:
    results = loaded({"D": {100.0: [15], 200.0: [16], 300.0: [17]}})
    for point, rate in zip(results.raw["points"], (80e6, 99.9e6, 100e6), strict=True):
        point["metrics"]["throughput"] = {"unit": "bit/s", "value": rate, "ci95": None}
    (sentence,) = answer(
        {"kind": "threshold", "reach": "full-rate", "x": "background.rate", "y": "throughput"}, results
    )
    assert sentence == "Goodput: full rate from 200 packets/s in D."


def test_every_declared_kind_of_answer_has_a_module() -> None:
    for kind in answer_kinds():
        assert callable(import_module(f"sojourn.answers.{kind}").sentences)
