"""`calibrate --against` the results of a capture: a twin is fitted to what the capture shows."""

import json
from pathlib import Path

import pytest

RADIO = """
[network]
kind = "packet-radio"
[[medium]]
name = "channel"
bit_rate = "1200 bit/s"
txdelay = "200 ms"
persistence = "100 %"
[[station]]
name = "ping"
callsign = "PING-1"
on = ["channel"]
serial_rate = "10 Mbit/s"
[[station]]
name = "pong"
callsign = "PONG-1"
on = ["channel"]
serial_rate = "10 Mbit/s"
turnaround = "2 s"
[probe]
from = "ping"
to = "pong"
size = "100 B"
round_trips = 100
pause = "5 s"
[run]
duration = "20 min"
warm_up = "0 s"
replications = 1
"""
LONTALK = """
[network]
kind = "lontalk"
[[medium]]
name = "floor"
channel = "TP/FT-10"
[[station]]
name = "supervisor"
on = ["floor"]
[[station]]
name = "sensor"
on = ["floor"]
[station.costs]
application_latency = "3 ms"
[[flow]]
name = "reads"
from = "supervisor"
to = "sensor"
service = "request"
arrivals = { kind = "periodic", interval = "100 ms" }
probe = true
[run]
duration = "1 min"
warm_up = "0 s"
replications = 1
"""


@pytest.fixture
def twin(sojourn, tmp_path: Path):
    """Captures a scenario, with its results in `captured`, and infers `twin.toml` from it."""

    def captured(text: str) -> None:
        (tmp_path / "site.toml").write_text(text)
        for command in (
            ("run", "site.toml", "--seed", "7", "--pcap", "site.pcap"),
            ("analyse", "site.pcap", "--out", "captured", "--scenario", "twin.toml"),
        ):
            done = sojourn(*command)
            # 3: a twin that deviates is written all the same, to be fitted
            assert done.returncode in ({0, 3} if command[0] == "analyse" else {0}), done.stderr

    return captured


def fitted(done) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_turnaround_of_a_captured_station_is_fitted_whatever_it_is_set_to_first(sojourn, twin):
    twin(RADIO)
    fit = ("--fit", "station.pong-1.turnaround", "--set", "station.pong-1.turnaround=500 ms")
    found = fitted(sojourn("calibrate", "twin.toml", *fit, "--against", "captured", "--format", "json"))

    assert found["parameters"][0]["value"] == pytest.approx(2.0, rel=0.02)
    metrics = {(row["metric"], row["field"]) for row in found["residuals"]}
    assert metrics == {
        ("response_time", "p50"),
        ("response_time", "p99"),
        ("transaction_time", "p50"),
        ("throughput", "value"),
    }
    assert found["deviation"] < 0.02


def test_a_cost_of_captured_lontalk_nodes_is_fitted(sojourn, twin):
    twin(LONTALK)
    fit = ("--fit", "station.costs.application_latency", "--metric", "response_time")
    found = fitted(sojourn("calibrate", "twin.toml", *fit, "--against", "captured", "--format", "json"))

    assert found["parameters"][0]["value"] == pytest.approx(0.003, rel=0.1)
    assert found["deviation"] < 0.02


def test_several_replications_are_as_many_captures_with_consecutive_seeds(sojourn, twin):
    twin(RADIO.replace("100 %", "50 %"))
    fit = ("calibrate", "twin.toml", "--fit", "station.pong-1.turnaround", "--against", "captured", "--format", "json")
    one = fitted(sojourn(*fit, "--seed", "5"))
    two = fitted(sojourn(*fit, "--seed", "5", "--replications", "2"))

    assert one["residuals"] != two["residuals"]
    assert two["parameters"][0]["value"] == pytest.approx(2.0, rel=0.1)


def test_a_metric_that_a_capture_of_the_simulation_lacks_names_the_results(sojourn, twin, tmp_path: Path):
    twin(RADIO)
    other = LONTALK.replace('service = "request"', 'service = "unacknowledged"')
    (tmp_path / "other.toml").write_text(other)
    done = sojourn("calibrate", "other.toml", "--fit", "station.costs.deliver", "--against", "captured")

    assert done.returncode == 2
    assert "line 0" not in done.stderr
