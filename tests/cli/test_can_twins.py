"""Twins of logs and captures of CAN buses: they agree with what they were made of."""

from __future__ import annotations

import json
import random

import pytest

BUS = """
[network]
kind = "can"
[bus]
bit_rate = "250 kbit/s"
stuffing = "exact"
[[station]]
name = "master"
[[station]]
name = "drive"
count = 4
costs = { answer = "2 ms" }
[[flow]]
name = "sync"
from = "master"
to = "drive"
id = 0x080
data = "0 B"
arrivals = { kind = "periodic", interval = "10 ms" }
[[flow]]
name = "position"
from = "drive"
to = "master"
id = 0x181
arrivals = { kind = "periodic", interval = "10 ms", jitter = "1 ms" }
[[flow]]
name = "alarm"
from = "drive-1"
to = "master"
id = 0x081
arrivals = { kind = "poisson", interval = "40 ms" }
[[flow]]
name = "read"
from = "master"
to = "drive-2"
id = 0x602
service = "sdo"
data = "4 B"
arrivals = { kind = "periodic", interval = "25 ms" }
[run]
duration = "20 s"
warm_up = "0 s"
replications = 1
"""


def _twin(sojourn, folder, name, *options, code=0):
    done = sojourn("analyse", name, "--scenario", "twin.toml", "--out", "captured", "--no-store", *options)
    assert done.returncode == code, done.stdout + done.stderr
    twin = json.loads((folder / "captured" / "capture.json").read_text())["twin"]
    return twin, (folder / "twin.toml").read_text(encoding="utf-8"), done.stdout


def test_the_twin_of_a_simulated_bus_agrees_with_its_capture(sojourn, tmp_path) -> None:
    (tmp_path / "bus.toml").write_text(BUS)
    run = sojourn("run", "bus.toml", "--pcap", "bus.pcap")
    assert run.returncode == 0, run.stderr
    twin, text, shown = _twin(sojourn, tmp_path, "bus.pcap")
    assert twin["verdict"] == "agrees", (twin, text)
    assert twin["buses"]["load_bit_rate"][1] == pytest.approx(twin["buses"]["load_bit_rate"][0], rel=0.05)
    assert "the load of its bus is" in " ".join(shown.split())
    assert 'bit_rate = "250 kbit/s"' in text
    # the application, and 10 and 5 µs of the processor
    assert 'answer = "2.015 ms"' in text
    assert sojourn("check", "twin.toml").returncode == 0
    assert sojourn("run", "twin.toml", "--replications", "1", "--no-store").returncode == 0


def _log(path, rows) -> None:
    path.write_text("".join(f"({1_750_000_000 + at:.6f}) can0 {frame}\n" for at, frame in sorted(rows)))


def test_a_log_of_candump_has_a_twin_with_its_clocks_and_what_a_control_unit_takes(sojourn, tmp_path) -> None:
    late = random.Random(1)
    rows = [(0.010 * n + late.uniform(0, 0.0008), "110#0102030405060708") for n in range(1000)]
    rows += [(0.1 * n + 0.003, "3A0#AABB") for n in range(100)]
    for n in range(90):
        rows += [(0.11 * n + 0.0051, "7E0#0322F19000000000"), (0.11 * n + 0.0175, "7E8#0462F19041CCCCCC")]
    _log(tmp_path / "car.log", rows)
    twin, text, _ = _twin(sojourn, tmp_path, "car.log", "--bit-rate", "500 kbit/s")
    assert twin["verdict"] == "agrees", (twin, text)
    assert 'interval = "10 ms"' in text
    assert 'interval = "100 ms"' in text
    assert 'service = "uds"' in text
    # 12.4 ms from the end of the request to that of the answer, whose frame takes 0.2 to 0.26 ms
    answer = float(text.split('answer = "')[1].split(" ms")[0])
    assert 12.1 < answer < 12.25
    assert "Calibration" in text


def test_a_log_without_a_rate_has_one_as_an_assumption(sojourn, tmp_path) -> None:
    _log(tmp_path / "slow.log", [(0.1 * n, "123#DEADBEEF") for n in range(50)])
    _, text, _ = _twin(sojourn, tmp_path, "slow.log")
    assert 'bit_rate = "500 kbit/s"' in text
    assert "# An assumption." in text


def test_addresses_stay_and_bytes_do_not_where_a_twin_is_anonymous(sojourn, tmp_path) -> None:
    _log(tmp_path / "vehicle.log", [(0.1 * n, "18FEF100#5749463132333435") for n in range(100)])
    _, text, _ = _twin(sojourn, tmp_path, "vehicle.log", "--anonymise")
    assert "id = 0x18FEF100" in text
    assert 'payload = "' in text
    assert "5749" not in text
