import polars as pl
import pytest

from sojourn.compare import compare_results, difference
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
    assert unpaired.verdict == "not significant"


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


def test_single_replications_have_a_difference_but_no_interval() -> None:
    gap = difference(time(1.0), time(1.1), paired=True, quantile=quantile)
    assert gap is not None
    assert gap.interval is None
    assert gap.value == pytest.approx(0.1)


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
    assert len(comparison.differences) == 8, "two points with four metrics; the budget is not compared"


def test_results_of_another_load_differ_at_a_named_point(loaded) -> None:
    first = loaded({"D": {100.0: [15.0, 15.1], 200.0: [17.0, 17.1]}})
    second = loaded({"D": {100.0: [15.0, 15.1], 200.0: [27.0, 27.1]}})
    comparison = compare_results(first, second, quantile=quantile)
    ((point, gap),) = comparison.shown
    assert point.set == {"background.rate": 200.0}
    assert (gap.metric, gap.verdict) == ("response_time", "worse")


def test_other_seeds_are_not_paired(loaded) -> None:
    first, second = loaded({"D": {100.0: [15, 16]}}), loaded({"D": {100.0: [15, 16]}}, seed=2)
    comparison = compare_results(first, second, quantile=lambda _p, _f: 4.303)
    assert not any(gap.paired for _, gap in comparison.differences)


def test_a_point_in_only_one_result_is_a_difference(loaded) -> None:
    first = loaded({"D": {100.0: [15, 16], 200.0: [17, 18]}})
    comparison = compare_results(first, loaded({"D": {100.0: [15, 16]}}), quantile=quantile)
    assert [point.set for point in comparison.only_first] == [{"background.rate": 200.0}]
    assert comparison.differs


def test_two_single_experiments_are_matched_by_their_settings(loaded) -> None:
    first, second = loaded({"before": {100.0: [15, 16]}}), loaded({"after": {100.0: [14, 15]}})
    assert compare_results(first, second, quantile=quantile).differences


def test_intervals_are_simultaneous(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [17, 19]}})
    comparison = compare_results(results, results, quantile=quantile)
    assert comparison.confidence == pytest.approx(1 - 0.05 / 8)


def test_results_without_a_common_point_cannot_be_compared(loaded) -> None:
    with pytest.raises(ResultsError, match="share no point"):
        compare_results(loaded({"D": {100.0: [15]}}), loaded({"D": {200.0: [15]}}), quantile=quantile)


class Kept:
    """Samples of the one point there is, in milliseconds."""

    def __init__(self, *values_ms: float) -> None:
        self.values = [value / 1000 for value in values_ms]

    def frame(self, _results: Results, _metric: str, kind: str = "samples") -> pl.DataFrame:
        values = self.values if kind == "samples" else []
        return pl.DataFrame(
            {"experiment": ["D"] * len(values), "background.rate": [100.0] * len(values), "value": values}
        )


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
