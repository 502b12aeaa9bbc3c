"""Tables of runs and sweeps: what was delivered, what was not reached, and how sure each number is."""

from pathlib import Path
from typing import Any

import pytest

from sojourn import resources
from sojourn.cli import output, summary
from sojourn.cli.output import list_of
from sojourn.point import Point, format_quantile
from sojourn.results import Results
from sojourn.units import apart, format_interval


@pytest.fixture
def lossy(loaded) -> Results:
    """600 messages of which 2 % failed, and a flow that delivered nothing."""
    results = loaded({"D": {100.0: [15, 16]}})
    metrics = results.raw["points"][0]["metrics"]
    metrics["response_time"] |= {"count": 588, "sent": 600, "p99": None, "p999": None, "not_reached": ["p99", "p999"]}
    metrics["response_time"] |= {"p50_ci95": [0.012, 0.016], "p90_ci95": [0.02, None]}
    empty = dict.fromkeys(("min", "mean", "max", "sd", "p50", "p90", "p95", "p99", "p999", "ci95"))
    dead = {"unit": "s", "count": 0, "sent": 257, "not_reached": ["p50", "p90", "p95", "p99", "p999"]}
    metrics["response_time/alarm-2"] = empty | dead
    return results


def test_a_quantile_beyond_the_failures_is_not_reached(lossy) -> None:
    metric = lossy["response_time"]
    assert format_quantile(metric, "p99") == "not reached (2.0 % failed)"
    assert format_quantile(metric, "p50") == "14.0 (12 to 16) ms"
    assert format_quantile(metric, "p90") == "23.2 (at least 20) ms"


def test_results_of_a_version_without_p95_have_none(lossy) -> None:
    del lossy.raw["points"][0]["metrics"]["response_time"]["p95"]
    assert format_quantile(lossy["response_time"], "p95") == "–"
    rows = [line for line in summary.of_point(lossy, lossy.points[0]).splitlines() if line.startswith("response_time ")]
    assert "–" in " ".join(rows)


def test_a_flow_that_delivered_nothing_is_a_row(lossy) -> None:
    text = summary.of_point(lossy, lossy.points[0])
    assert "588 of 600" in text
    assert "response_time/alarm-2" in text
    assert "0 of 257" in text
    assert "means are of those delivered" in text


def test_a_sweep_shows_what_was_delivered_at_each_point(lossy) -> None:
    text = summary.of_points(lossy)
    assert "588 of 600" in text
    assert "not reached (2.0 % failed)" in text


def test_a_search_shows_the_metric_it_judges(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [15, 17]}})
    assert "token_rotation.p90" not in summary.of_points(results)
    for point in results.raw["points"]:
        point["metrics"]["token_rotation"] = dict(point["metrics"]["response_time"])
    assert "token_rotation.p90" in summary.of_points(results, [("token_rotation", "p90")])


def test_a_sweep_whose_usual_columns_are_constant_shows_what_varies(voice) -> None:
    results = voice({(8, 0.0): (0, 100), (16, 0.0): (0, 100)})
    for number, point in enumerate(results.raw["points"]):
        point["metrics"]["start_delay"] = {"unit": "s", "value": 0.001 * number, "ci95": None}
    assert "start_delay" in summary.of_points(results)


def test_a_count_says_that_it_is_the_total_of_all_runs(lossy) -> None:
    counted = {"unit": "1", "value": 0.0, "ci95": [0.0, 3.689], "by_replication": {"value": [0.0, 0.0]}}
    lossy.raw["points"][0]["metrics"]["failures"] = counted
    (line,) = [line for line in summary.of_point(lossy, lossy.points[0]).splitlines() if line.startswith("failures")]
    assert line.endswith("0 (at most 3.69)  all 2 runs")


def test_an_interval_that_is_not_symmetric_is_given_by_its_ends() -> None:
    assert format_interval(3.0, [0.62, 8.77], "1") == "3 (0.620 to 8.77)"
    assert format_interval(3.0, [2.0, 4.0], "1") == "3.0 ± 1.0"


def test_a_table_wider_than_the_terminal_is_folded_below_its_keys() -> None:
    row = ["100 packets/s", *["x" * 30] * 4]
    text = output.table([row], ["at", "one", "two", "three", "four"])
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count("100 packets/s") == 2


def served(resource: str, utilisation: float, demand: float | None = None) -> dict[str, object]:
    row = {"resource": resource, "offered": 5.0, "carried": 5.0, "unit": "packets/s", "utilisation": utilisation}
    return row | {"demand": demand, "stable": None if demand is None else demand < 1}


def test_of_several_resources_the_busiest_and_the_next_are_named(lossy) -> None:
    lossy.raw["points"][0]["stability"] = [served("link", 0.1), served("valley", 0.5), served("hill", 0.2)]
    text = " ".join(summary.of_point(lossy, lossy.points[0]).split())
    assert "bottleneck: valley, utilisation 50 %; next: hill, utilisation 20 %; 50 % of the response time" in text


def test_the_bottleneck_is_what_saturates_first_and_not_what_was_busy_by_then(lossy) -> None:
    lossy.raw["points"][0]["stability"] = [served("slow", 1.0, 3.0), served("slower", 1.0, 5.0)]
    text = " ".join(summary.of_point(lossy, lossy.points[0]).split())
    assert "bottleneck: slower, asked for 500 % of what it can do; next: slow" in text
    assert text.startswith("More arrives at slower (25 packets/s) than it serves (5 packets/s): no steady state")


def test_of_idle_resources_none_is_a_bottleneck(lossy) -> None:
    lossy.raw["points"][0]["stability"] = [served("link", 0.01), served("valley", 0.02)]
    assert "bottleneck" not in summary.of_point(lossy, lossy.points[0])


def test_two_rates_differ_in_what_is_said_of_them(lossy) -> None:
    lossy.raw["points"][0]["stability"] = [served("server", 1.0, 1.002) | {"carried": 100.0, "unit": "customers/s"}]
    text = " ".join(summary.of_point(lossy, lossy.points[0]).split())
    assert text.startswith("More arrives at server (100.2 customers/s) than it serves (100 customers/s)")


@pytest.mark.parametrize(
    ("more", "less", "said"),
    [
        (1.0, 2 / 3, ("1", "0.667")),
        (1100.0, 970.5, ("1100", "970")),
        (2_100_000.0, 1_000_000.0, ("2100000", "1000000")),
        (970.4, 970.1, ("970.4", "970.1")),
    ],
)
def test_rates_have_no_exponent_and_as_many_digits_as_it_takes(more: float, less: float, said: tuple[str, str]) -> None:
    assert apart(more, less) == said


def test_an_idle_resource_is_not_the_next_bottleneck(lossy) -> None:
    lossy.raw["points"][0]["stability"] = [served("air", 0.3), served("processor of digi", 0.003)]
    text = " ".join(summary.of_point(lossy, lossy.points[0]).split())
    assert "bottleneck: air, utilisation 30 %; 50 % of the response time" in text


def test_no_share_of_a_response_time_that_was_not_sampled_is_given(lossy) -> None:
    point = lossy.raw["points"][0]
    point["stability"] = [served("air", 0.3), served("hill", 0.2)]
    for name in [name for name in point["metrics"] if name.startswith("delay_budget/")]:
        point["metrics"][name] |= dict.fromkeys(("mean", "share", "slowest_mean", "slowest_share"))
    assert "of the response time" not in summary.of_point(lossy, lossy.points[0])


def test_a_rating_of_zero_is_no_total_of_all_runs(lossy) -> None:
    worst = {"unit": "1", "value": 0.0, "ci95": None, "by_replication": {"value": [0.0, 0.0]}}
    lossy.raw["points"][0]["metrics"]["r_factor"] = worst
    (line,) = [line for line in summary.of_point(lossy, lossy.points[0]).splitlines() if line.startswith("r_factor")]
    assert line.split() == ["r_factor", "0"]


@pytest.mark.parametrize(
    ("metrics", "condition"),
    [
        ({"response_time": {"unit": "s", "mean": 0.02, "count": 5, "sent": 5}}, "response_time.p99 < 100 ms"),
        ({"one_way_delay": {"unit": "s", "mean": 0.02, "count": 5, "sent": 5}}, "one_way_delay.p99 < 100 ms"),
        (
            {"one_way_delay": {"unit": "s", "mean": 0.02, "count": 5, "sent": 5}, "mos": {"unit": "1", "value": 4.3}},
            "mos > 4",
        ),
        ({"loss": {"unit": "1", "value": 0.2}}, "loss < 1 %"),
    ],
)
def test_the_next_step_asks_for_what_was_sampled(metrics: dict[str, Any], condition: str, tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[network]\nkind = "ip"\n')
    assert f"--until '{condition}'" in summary.next_steps(file, Point({"metrics": metrics, "set": {}}, 0))


def test_lists_with_running_text_fit_eighty_columns() -> None:
    definition = "Share of time the medium or server is busy, over all channels of a site, " * 5
    text = list_of(
        [["utilisation", "1", definition], ["a-long-list, " * 5, "1", "short"]], ["metric", "unit", "definition"]
    )
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "utilisation" not in text.splitlines()[0]
    assert text.count("Share of time") == 5


def test_what_a_full_queue_drops_was_asked_for_as_well() -> None:
    row = {"resource": "modem/dst", "offered": 7267.0, "carried": 4883.0, "unit": "packets/s", "utilisation": 1.0,
           "demand": 1.0, "stable": None}  # fmt: skip
    assert resources.Resource(row).load == pytest.approx(1.488, abs=1e-3)
    assert resources._loaded(resources.Resource(row)) == "modem/dst, asked for 149 % of what it can do"
    waiting = resources.Resource(row | {"demand": None})
    assert waiting.load == 1.0, "senders that wait for answers send again what was dropped"
