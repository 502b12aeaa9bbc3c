"""The names a script or a notebook sees."""

import inspect
from pathlib import Path

import pytest

import sojourn
from sojourn.errors import UnknownName

VERBS = ("load", "run", "sweep", "find", "advise", "compare", "open")


def test_the_verbs_are_found_by_completion() -> None:
    assert set(VERBS) <= set(dir(sojourn))


@pytest.mark.parametrize("name", sojourn.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(sojourn, name))


@pytest.mark.parametrize("name", VERBS)
def test_the_verbs_are_typed(name: str) -> None:
    signature = inspect.signature(getattr(sojourn, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


def test_results_of_many_points_are_shown_on_one_screen(loaded) -> None:
    results = loaded({"D": {100.0 * load: [15.0, 16.0] for load in range(1, 60)}})
    lines = repr(results).splitlines()
    assert len(lines) <= 24
    assert all(len(line) < 200 for line in lines)
    assert "background.rate = 100.0" in lines[1]


def test_a_percentile_that_is_not_stored_is_refused_with_those_that_are(loaded) -> None:
    metric = loaded({"D": {100.0: [15, 16]}})["response_time"]
    assert repr(metric).startswith("response_time: ")
    with pytest.raises(UnknownName, match="p50, p90, p95, p99, p999, not p98"):
        metric.field("p98")


def test_comparisons_and_searches_are_made_from_python() -> None:
    queue = Path(__file__).resolve().parents[2] / "examples/queue-mm1.toml"
    scenario = sojourn.load(queue).set("run.duration", "50 s")
    first, second = (sojourn.run(scenario, replications=3, seed=seed) for seed in (1, 2))
    compared = sojourn.compare(first, second)
    assert "response_time p99" in repr(compared)
    found = sojourn.find(
        scenario, "flow.customers.arrivals.rate=10:95 /s", "response_time.mean < 20 ms", replications=3
    )
    assert found.key == "flow.customers.arrivals.rate"
    assert found.limit is None or 20 < found.limit < 80
    assert "Limit: " in repr(found)


def test_changes_are_compared_from_python_by_the_values_that_they_set() -> None:
    queue = Path(__file__).resolve().parents[2] / "examples/queue-mm1.toml"
    scenario = sojourn.load(queue).set("run.duration", "50 s")
    service = "station.server.service.mean"
    found = sojourn.advise(
        scenario, {"fast": {service: "5 ms"}, "slow": {service: "11 ms"}}, by="response_time.mean", store=False
    )
    assert (found.outcome, found.best) == ("selected", "fast")
    assert found.alternatives["slow"]["status"] == "misses"  # the example expects less than 60 ms
    assert repr(found).startswith("The best that meets ")
    assert [point.experiment for point in found.results.points] == ["as it is", "fast", "slow"]


LOSSY = """
[network]
kind = "lontalk"

[channel]
channel = "TP/FT-10"
bit_error_rate = 0.01

[[station]]
name = "sensor"
count = 2

[[station]]
name = "controller"

[[flow]]
name = "alarm"
from = "sensor"
to = "controller"
service = "acknowledged"
probe = true
arrivals = { kind = "poisson", interval = "500 ms" }

[run]
duration = "30 s"
replications = 2
"""


def test_requests_have_time_station_flow_and_outcome_in_memory_and_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "lossy.toml"
    file.write_text(LOSSY)
    swept = sojourn.sweep(file, {"channel.bit_error_rate": "0,0.01"}, out=tmp_path / "out")
    requests = swept.requests()
    assert set(requests.columns) >= {"replication", "time_s", "value", "flow", "station", "outcome"}
    assert set(requests["station"]) == {"sensor-1", "sensor-2"} and set(requests["flow"]) == {"alarm"}
    by_rate = {rate: requests.filter(requests["channel.bit_error_rate"] == rate) for rate in (0.0, 0.01)}
    assert set(by_rate[0.0]["outcome"]) == {"delivered"}
    failed = by_rate[0.01].filter(by_rate[0.01]["outcome"] == "failed")
    assert len(failed) > 0 and failed["value"].null_count() == len(failed)
    first = sorted(swept.points[1]["response_time"].by_replication("mean") or [])
    delivered = by_rate[0.01].filter(by_rate[0.01]["outcome"] == "delivered")["value"]
    assert any(abs(float(delivered.mean()) - mean) < 1e-9 for mean in first), "those of the first replication"
    swept.sampled.write(swept.points, swept.axes, tmp_path / "out")
    assert sojourn.open(tmp_path / "out").requests().equals(requests)
    assert len(sojourn.run(file).requests()) == len(by_rate[0.01]), "without a folder, too"
