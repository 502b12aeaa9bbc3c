from random import Random
from typing import Any

import pytest

from sojourn.comparison import compare_results, difference
from sojourn.comparison.tails import quantile_difference
from sojourn.errors import ResultsError
from sojourn.results import Metric, Results

STUDENT = {1: 12.706, 2: 4.303}


def quantile(probability: float, freedom: float) -> float:
    assert 0.5 < probability < 1
    return STUDENT[int(freedom)]


def time(*means: float) -> Metric:
    return Metric(
        "response_time", {"unit": "s", "mean": sum(means) / len(means), "by_replication": {"mean": list(means)}}
    )


def test_a_paired_difference_removes_the_common_variance() -> None:
    first, second = time(1.0, 2.0, 3.0), time(0.9, 1.9, 2.9)
    paired = difference(first, second, paired=True, quantile=quantile)
    unpaired = difference(first, second, paired=False, quantile=lambda _p, _f: 2.776)
    assert paired is not None and unpaired is not None
    assert paired.interval == pytest.approx((-0.1, -0.1))
    assert paired.verdict == "better"
    assert unpaired.verdict == "no difference shown"


def test_the_interval_of_a_paired_difference_is_students() -> None:
    gap = difference(time(1.0, 1.0), time(1.2, 1.4), paired=True, quantile=quantile)
    assert gap is not None and gap.interval is not None
    half = 12.706 * 0.1  # deviation 0.1414 over the root of two
    assert gap.interval == pytest.approx((0.3 - half, 0.3 + half))


def test_welchs_interval_is_used_for_different_numbers_of_replications() -> None:
    gap = difference(time(1.0, 1.2), time(2.0, 2.2, 2.4), paired=True, quantile=lambda _p, _f: 3.182)
    assert gap is not None and gap.interval is not None
    half = 3.182 * (0.02 / 2 + 0.04 / 3) ** 0.5
    assert not gap.paired
    assert gap.interval == pytest.approx((1.1 - half, 1.1 + half))


def test_single_replications_have_a_difference_that_is_not_decidable() -> None:
    gap = difference(time(1.0), time(1.1), paired=True, quantile=quantile)
    assert gap is not None
    assert gap.interval is None
    assert gap.value == pytest.approx(0.1)
    assert (gap.shown, gap.verdict) == (False, "not decidable")


def failures(*counts: int) -> Metric:
    total = float(sum(counts))
    return Metric("failures", {"unit": "1", "value": total, "by_replication": {"value": [float(n) for n in counts]}})


def test_two_counts_of_zero_are_not_known_to_be_equal() -> None:
    gap = difference(failures(0, 0), failures(0, 0), paired=False, quantile=quantile)
    assert gap is not None and gap.interval is not None
    upper = 3.689 / 2  # Garwood's upper end at zero, in two runs
    assert gap.interval == pytest.approx((-upper, upper), rel=1e-3)
    assert gap.verdict == "no difference shown"


def test_one_failure_in_each_of_two_runs_is_not_worse_than_none() -> None:
    """The two runs have no spread, which Student's interval takes for certainty."""
    gap = difference(failures(0, 0), failures(1, 1), paired=True, quantile=quantile)
    assert gap is not None
    assert gap.verdict == "no difference shown"


def test_a_replication_without_a_sample_is_left_out() -> None:
    first = Metric("response_time", {"unit": "s", "mean": 1.0, "by_replication": {"mean": [1.0, None, 1.0]}})
    gap = difference(first, time(2.0, 7.0, 2.0), paired=True, quantile=quantile)
    assert gap is not None
    assert gap.value == pytest.approx(1.0)


def tail(p99: float | None, *by_replication: float, **more: object) -> Metric:
    raw = {"unit": "s", "mean": 1.0, "p50": 1.0, "p99": p99, "by_replication": {"p99": list(by_replication)}}
    return Metric("response_time", raw | more)


def test_a_tail_that_doubles_at_the_same_mean_is_a_difference() -> None:
    first, second = tail(2.0, 1.9, 2.1, 2.0), tail(4.0, 3.9, 4.1, 4.0)
    gap = quantile_difference(first, second, "p99", paired=True, quantile=quantile)
    assert gap is not None
    assert (gap.field, gap.verdict) == ("p99", "worse")


def test_the_interval_of_a_quantile_is_about_the_pooled_difference() -> None:
    gap = quantile_difference(tail(2.0, 1.0, 1.0), tail(3.0, 2.5, 2.5), "p99", paired=True, quantile=quantile)
    assert gap is not None and gap.interval is not None
    half = 12.706 * (2 * 0.5**2 / 1 / 2) ** 0.5
    assert gap.interval == pytest.approx((1 - half, 1 + half))


def test_a_quantile_that_is_not_reached_is_worse_than_one_that_ends_below_it() -> None:
    reached = tail(2.0, 2.0, 2.0, p99_ci95=[1.8, 2.2])
    lost = tail(None, p99_ci95=[3.0, None], not_reached=["p99"])
    open_too = tail(2.0, 2.0, 2.0, p99_ci95=[1.8, None])
    worse, undecided, both = (
        quantile_difference(one, two, "p99", paired=False, quantile=quantile)
        for one, two in ((reached, lost), (open_too, lost), (lost, lost))
    )
    assert worse is not None and undecided is not None and both is not None
    assert (worse.verdict, undecided.verdict) == ("worse", "not decidable")
    assert both.verdict == "not decidable"


def test_more_traffic_is_not_better(loaded) -> None:
    first = loaded({"D": {100.0: [15.0, 15.1, 15.2]}})
    second = loaded({"D": {100.0: [15.0, 15.1, 15.2]}})
    raw = second.raw["points"][0]["metrics"]["throughput_l3"]
    raw["by_replication"]["value"] = [value + 100 for value in raw["by_replication"]["value"]]
    comparison = compare_results(first, second, quantile=quantile)
    ((_, gap),) = comparison.shown
    assert (gap.metric, gap.verdict) == ("throughput_l3", "higher")
    assert not comparison.differs, "the response time does not"


@pytest.mark.parametrize(
    ("name", "second", "verdict"),
    [
        ("response_time", 2.0, "worse"),
        ("response_time", 0.5, "better"),
        ("throughput_l3", 2.0, "better"),
        ("utilisation", 2.0, "higher"),
        ("response_time", 1.0, "the same"),
    ],
)
def test_the_verdict_follows_the_better_direction_of_the_metric(name: str, second: float, verdict: str) -> None:
    def metric(value: float) -> Metric:
        return Metric(name, {"unit": "1", "value": value, "by_replication": {"value": [value, value]}})

    gap = difference(metric(1.0), metric(second), paired=True, quantile=quantile)
    assert gap is not None
    assert gap.verdict == verdict


def test_two_counts_of_zero_are_not_the_same_but_differ_by_at_most_their_bounds() -> None:
    def failures(by_replication: list[int]) -> Metric:
        raw = {"unit": "1", "value": sum(by_replication), "by_replication": {"value": by_replication}}
        return Metric("failures", raw)

    none = difference(failures([0] * 3), failures([0] * 3), paired=True, quantile=quantile)
    assert none is not None and none.interval is not None
    assert none.verdict == "no difference shown"
    assert none.interval == pytest.approx((-3.69 / 3, 3.69 / 3), abs=0.01), "each saw at most 3.69 in three runs"
    seen = difference(failures([0, 3, 1]), failures([0, 3, 1]), paired=True, quantile=quantile)
    assert seen is not None
    assert seen.verdict == "the same", "with common random numbers both saw the same events"


def test_a_difference_within_the_tolerance_is_not_significant() -> None:
    first, second = time(1.0, 1.0), time(1.04, 1.04)
    within = difference(first, second, paired=True, tolerance=0.05, quantile=quantile)
    beyond = difference(first, second, paired=True, tolerance=0.03, quantile=quantile)
    assert within is not None and beyond is not None
    assert (within.shown, beyond.shown) == (False, True)


def test_results_do_not_differ_from_themselves(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [17, 19]}})
    comparison = compare_results(results, results, quantile=quantile)
    assert not comparison.differs
    assert [gap.field for _, gap in comparison.asked] == ["mean", "p50", "p99"] * 2
    assert len(comparison.others) == 6, "two points with three metrics; the budget is not compared"


def test_results_of_another_load_differ_at_a_named_point(loaded) -> None:
    first = loaded({"D": {100.0: [15.0, 15.1], 200.0: [17.0, 17.1]}})
    second = loaded({"D": {100.0: [15.0, 15.1], 200.0: [27.0, 27.1]}})
    comparison = compare_results(first, second, quantile=quantile)
    ((point, gap),) = [row for row in comparison.asked if row[1].shown]
    assert point.set == {"background.rate": 200.0}
    assert (gap.metric, gap.field, gap.verdict) == ("response_time", "mean", "worse")


def test_other_seeds_are_not_paired(loaded) -> None:
    first, second = loaded({"D": {100.0: [15, 16]}}), loaded({"D": {100.0: [15, 16]}}, seed=2)
    comparison = compare_results(first, second, quantile=lambda _p, _f: 4.303)
    assert not any(gap.paired for _, gap in (*comparison.asked, *comparison.others))


def test_a_point_in_only_one_result_is_a_difference(loaded) -> None:
    first = loaded({"D": {100.0: [15, 16], 200.0: [17, 18]}})
    comparison = compare_results(first, loaded({"D": {100.0: [15, 16]}}), quantile=quantile)
    assert [point.set for point in comparison.only_first] == [{"background.rate": 200.0}]
    assert comparison.differs


def test_two_single_experiments_are_matched_by_their_settings(loaded) -> None:
    first, second = loaded({"before": {100.0: [15, 16]}}), loaded({"after": {100.0: [14, 15]}})
    assert compare_results(first, second, quantile=quantile).asked


def test_the_intervals_of_the_question_are_simultaneous_whatever_the_number_of_stations(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [17, 19]}})
    for station in range(100):
        member = {"unit": "1", "value": 5.0, "ci95": None, "by_replication": {"value": [2.0, 3.0]}}
        results.raw["points"][0]["metrics"][f"packets/station-{station}"] = member
    comparison = compare_results(results, results, quantile=quantile)
    assert comparison.confidence == pytest.approx(1 - 0.05 / 6)
    assert len(comparison.others) == 6
    assert len(compare_results(results, results, members=True, quantile=quantile).others) == 106


def test_one_run_against_one_run_is_not_decidable(loaded) -> None:
    first, second = loaded({"D": {100.0: [15]}}), loaded({"D": {100.0: [99]}}, seed=2)
    comparison = compare_results(first, second, quantile=quantile)
    assert (comparison.differs, comparison.decidable) == (False, False)
    assert comparison.notes == ["not decidable: one run each; use --replications"]


class Observed:
    """Samples in seconds, in order of observation."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def at(self, _point: Any, _axes: Any, _metric: str, _kind: str = "samples") -> dict[str, list[float]]:
        return {"value": self.values}


def measurement(loaded, values: list[float]) -> Results:
    results = loaded({"D": {100.0: [1000 * sum(values) / len(values)]}})
    results.raw["world"] = "live"
    ranked = sorted(values)
    quantiles = {f"p{percent}": ranked[len(ranked) * percent // 100 - 1] for percent in (50, 95, 99)}
    results.raw["points"][0]["metrics"]["response_time"] |= quantiles
    results.sampled = Observed(values)
    return results


def test_two_measurements_of_one_path_whose_load_varies_slowly_do_not_differ(loaded) -> None:
    """Neighbouring samples are alike: taken as independent, the two would differ by ten standard errors."""

    def path(seed: int) -> list[float]:
        random, level, values = Random(seed), 0.0, []
        for _ in range(4000):
            level = 0.99 * level + random.gauss(0, 0.02)
            values.append(1 + level + random.random() / 10)
        return values

    differing = [
        compare_results(measurement(loaded, path(seed)), measurement(loaded, path(seed + 1))).differs
        for seed in range(0, 40, 2)
    ]
    assert sum(differing) <= 1


def test_two_measurements_of_paths_that_differ_do_differ(loaded) -> None:
    random = Random(1)
    first = [1 + random.random() for _ in range(6000)]
    second = [1.5 + random.random() for _ in range(6000)]
    comparison = compare_results(measurement(loaded, first), measurement(loaded, second))
    assert {gap.field: gap.verdict for _, gap in comparison.asked} == dict.fromkeys(("mean", "p50", "p99"), "worse")
    assert "do not cover what changes from one measurement to the next" in comparison.notes[0]


def test_one_quantile_of_a_time_is_compared_alone_where_it_is_asked_for(loaded) -> None:
    """Only a tenth differs, half of the slowest fifth."""
    random = Random(1)
    usual = [1 + random.random() for _ in range(6000)]
    slower = [value + (1 if value > 1.8 and random.random() < 0.5 else 0) for value in usual]
    asked = [
        (gap.field, gap.verdict)
        for name in ("response_time.p95", "response_time.p50")
        for _, gap in compare_results(measurement(loaded, usual), measurement(loaded, slower), metrics=[name]).asked
    ]
    assert asked == [("p95", "worse"), ("p50", "no difference shown")]


def test_results_without_a_common_point_cannot_be_compared(loaded) -> None:
    with pytest.raises(ResultsError, match="share no point"):
        compare_results(loaded({"D": {100.0: [15]}}), loaded({"D": {200.0: [15]}}), quantile=quantile)


class Kept:
    """Samples of the one point there is, in milliseconds."""

    def __init__(self, *values_ms: float) -> None:
        self.values = [value / 1000 for value in values_ms]

    def at(self, _point: Any, _axes: Any, _metric: str, kind: str = "samples") -> dict[str, list[float]]:
        return {"value": self.values} if kind == "samples" else {"to_s": [], "count": []}


def test_a_simulation_and_a_measurement_are_compared_by_percentiles_and_not_paired(loaded):
    simulated, measured = loaded({"D": {100.0: [10.0, 10.0]}}), loaded({"D": {100.0: [20.0, 20.0]}})
    measured.raw["world"] = "live"
    simulated.sampled, measured.sampled = Kept(*range(1, 11)), Kept(*range(6, 16))

    found = compare_results(simulated, measured)

    assert not found.paired
    (gap,) = found.gaps
    assert gap.metric == "response_time"
    assert gap.quantiles["p50"] == pytest.approx((0.009, 0.018))
    # half of the samples of the one are below all of the other's
    assert gap.distance == pytest.approx(0.5)


def test_without_samples_there_is_no_kolmogorov_smirnov_statistic(loaded):
    simulated, measured = loaded({"D": {100.0: [10.0]}}), loaded({"D": {100.0: [20.0]}})
    measured.raw["world"] = "live"
    simulated.sampled, measured.sampled = Kept(1), Kept()

    (gap,) = compare_results(simulated, measured).gaps

    assert gap.distance is None


def test_two_simulations_are_paired_and_not_compared_by_percentiles(loaded):
    found = compare_results(loaded({"D": {100.0: [10.0, 11.0]}}), loaded({"D": {100.0: [12.0, 13.0]}}))

    assert found.paired
    assert found.gaps == []
