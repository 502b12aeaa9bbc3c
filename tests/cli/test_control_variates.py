"""`run --control-variates`: narrower intervals of the same means."""

import json
from pathlib import Path

import pytest

QUEUE = """
[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "exponential", mean = "8 ms" }
[[flow]]
name = "customers"
path = ["desk"]
arrivals = { kind = "poisson", interval = "16 ms" }
[run]
duration = "60 s"
warm_up = "2 s"
replications = 30
"""


@pytest.fixture
def queue(tmp_path: Path) -> str:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE, encoding="utf-8")
    return str(file)


def time_of(sojourn, *arguments):
    found = json.loads(sojourn(*arguments, "--format", "json").stdout)
    return found["points"][0]["metrics"]["response_time"]


def test_the_interval_is_narrower_and_the_plain_one_is_beside_it(sojourn, queue):
    plain, corrected = time_of(sojourn, "run", queue), time_of(sojourn, "run", queue, "--control-variates")
    beside = corrected["control_variates"]
    assert (beside["plain_mean"], beside["plain_ci95"]) == (plain["mean"], plain["ci95"])
    assert beside["variates"] == ["arrivals/customers", "service/desk"]
    widths = [high - low for low, high in (plain["ci95"], corrected["ci95"])]
    assert beside["saved"] == pytest.approx((widths[0] / widths[1]) ** 2)
    assert beside["saved"] > 1.3
    assert corrected["ci95"][0] < 0.016 < corrected["ci95"][1]
    assert "control_variates" not in plain
    same = ("p50", "p99", "p99_ci95", "by_replication", "count")
    assert [corrected[name] for name in same] == [plain[name] for name in same]


def test_bytes_do_not_depend_on_threads(sojourn, queue):
    arguments = ("run", queue, "--control-variates", "--format", "json", "--jobs")
    one, two = (json.loads(sojourn(*arguments, jobs).stdout) for jobs in ("1", "2"))
    assert one["points"] == two["points"]


def test_a_precision_is_reached_with_fewer_runs(sojourn, queue):
    arguments = ("run", queue, "--precision", "0.01", "--set", "run.replications=1", "--format", "json")
    plain, corrected = (
        json.loads(sojourn(*arguments, *more).stdout)["points"][0] for more in ([], ["--control-variates"])
    )
    assert corrected["replications"] < plain["replications"]
    low, high = corrected["metrics"]["response_time"]["ci95"]
    assert (high - low) / 2 <= 0.01 * corrected["metrics"]["response_time"]["mean"]


def test_a_sweep_says_what_they_saved(sojourn, queue):
    found = sojourn("sweep", queue, "--over", "flow.customers.arrivals.interval=16 ms,20 ms", "--control-variates")
    said = " ".join(found.stdout.split())
    assert "control variates (arrivals/customers, service/desk): response_time as from 2" in said
    assert "times as many runs, queue_length as from" in said


def test_too_few_runs_and_networks_without_controls_are_refused(sojourn, queue, tmp_path):
    few = sojourn("run", queue, "--replications", "10", "--control-variates")
    assert few.returncode == 2
    assert "10 replications are too few for 2 of them" in few.stderr
    assert "--replications 20" in few.stderr
    other = tmp_path / "site.toml"
    sojourn("new", "lontalk", "-o", str(other))
    none = sojourn("run", str(other), "--replications", "20", "--control-variates")
    assert none.returncode == 2
    assert "kind lontalk" in none.stderr
