"""`run`, `sweep` and `study` with `--band`, on a queue whose profile `calibrate` has written."""

import json

import pytest

SCENARIO = """
[network]
kind = "queue"
profile = "./server.toml"
[[station]]
name = "server"
service = { kind = "exponential" }
[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", rate = "50 /s" }
probe = true
[expect]
"response_time.mean" = "< 40 ms"
"response_time.p99" = "< 1 ms"
[run]
duration = "20 s"
warm_up = "1 s"
replications = 12
"""
PROFILE = """
title = "a server of 8 ms"
network = "queue"
[[value]]
key = "station.service.mean"
value = "8 ms"
[uncertainty]
keys = ["station.service.mean"]
units = ["s"]
mean = [0.008]
covariance = [[1e-8]]
degrees_of_freedom = 20
discrepancy = 0.05
"""


@pytest.fixture
def banded(sojourn, scenario, tmp_path):
    scenario(SCENARIO)
    (tmp_path / "server.toml").write_text(PROFILE)

    def run(command: str, *options: str):
        return sojourn(command, "scenario.toml", "--band", *options)

    return run


def test_results_have_the_band_of_the_next_measurement_beside_the_interval_of_the_mean(banded, tmp_path):
    done = banded("run", "--format", "json", "--out", "out")

    found = json.loads(done.stdout)
    time = found["points"][0]["metrics"]["response_time"]
    assert found["band"]["discrepancy"] == 0.05 and found["band"]["draws"] == 79
    low, high = time["band95"]
    assert low < time["ci95"][0] < time["ci95"][1] < high
    assert time["p99_band95"][0] < time["p99"] < time["p99_band95"][1]
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == found


def test_the_same_seed_gives_the_same_bytes_on_one_and_two_threads(banded):
    one, two = (banded("run", "--format", "json", "--jobs", jobs).stdout for jobs in ("1", "2"))
    assert one == two != banded("run", "--format", "json", "--seed", "9").stdout


def test_the_answer_and_each_condition_say_how_likely_the_next_measurement_meets_it(banded):
    done = banded("run")

    said = " ".join((done.stdout + done.stderr).split())
    assert "The next measurement of 20 s lies in these bands 95 % of the time" in said
    assert "discrepancy 5.0 %" in said
    assert (
        "response_time.mean of the next measurement is below 40 ms with a probability of 100 % (95 % to 100 %)" in said
    )
    assert "response_time.p99 of the next measurement is below 1 ms with a probability of 0 % (0 % to 5 %)" in said


def test_a_sweep_has_a_band_at_each_point_and_its_figure_a_lighter_one(banded, tmp_path):
    done = banded("sweep", "--over", "flow.customers.arrivals.rate=20,60 /s", "--out", "out")

    assert "rate 20 /s" in done.stdout.split("The next measurement")[1]
    points = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert points[0]["metrics"]["response_time"]["band95"][1] < points[1]["metrics"]["response_time"]["band95"][0]
    assert "Lighter bands hold the next measurement 95 % of the time" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("profile", "change", "said"),
    [
        (PROFILE.partition("[uncertainty]")[0], (), "has no [uncertainty]"),
        (PROFILE.replace("units", "unit"), (), "`units` is missing"),
        (PROFILE.replace("[[1e-8]]", "[[1e-8, 0]]"), (), "need 1 numbers each"),
        (PROFILE, ("--set", "station.service.mean=5 ms"), "has a value of its own for station.service.mean"),
    ],
)
def test_a_profile_without_a_fit_that_applies_is_refused_before_anything_runs(banded, tmp_path, profile, change, said):
    (tmp_path / "server.toml").write_text(profile)
    done = banded("run", *change)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


RADIO = """
[network]
kind = "packet-radio"

[[medium]]
name = "radio"
profile = "./link.toml"

[[station]]
name = "here"
type = "terminal"
callsign = "HERE-1"
profile = "./link.toml"
on = ["radio"]

[[station]]
name = "there"
type = "terminal"
callsign = "THERE-1"
profile = "%s"
on = ["radio"]

[probe]
from = "here"
to = "there"
size = "128 B"
round_trips = 10

[run]
duration = "1 h"
warm_up = "0 s"
replications = 4
"""
LINK = """title = "a link"
network = "packet-radio"

[[value]]
key = "medium.bit_error_rate"
value = 0

[[value]]
key = "station.turnaround"
value = "2 s"

[uncertainty]
keys = ["station.turnaround"]
units = ["s"]
mean = [2.0]
covariance = [[0.01]]
degrees_of_freedom = 30
discrepancy = 0.0
"""


def test_a_profile_of_stations_and_media_is_drawn_wherever_it_is_named(sojourn, scenario, tmp_path):
    (tmp_path / "link.toml").write_text(LINK)
    scenario(RADIO % "./link.toml")
    done = sojourn("run", "scenario.toml", "--band", "--format", "json")

    time = json.loads(done.stdout)["points"][0]["metrics"]["response_time"]
    # one turnaround at each end: 2 x 0.1 s of standard deviation when both are drawn alike, and Student's 2.04 for 30
    low, high = time["band95"]
    assert high - low == pytest.approx(2 * 2.04 * 2 * 0.1, rel=0.35)


def test_two_fitted_profiles_in_one_scenario_are_refused(sojourn, scenario, tmp_path):
    (tmp_path / "link.toml").write_text(LINK)
    (tmp_path / "other.toml").write_text(LINK)
    scenario(RADIO % "./other.toml")
    done = sojourn("run", "scenario.toml", "--band")

    assert done.returncode == 2
    assert "two fitted profiles, ./link.toml and ./other.toml" in " ".join(done.stderr.split())


def test_a_scenario_without_a_profile_learns_what_writes_one(sojourn, scenario):
    scenario(SCENARIO.replace('profile = "./server.toml"', "").replace('"exponential"', '"exponential", mean = "1 ms"'))
    done = sojourn("run", "scenario.toml", "--band")

    assert done.returncode == 2
    assert "sojourn calibrate FILE --fit KEY" in " ".join(done.stderr.split())
