"""`analyse --scenario`: a scenario from a capture, which can be checked and simulated."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "examples" / "lontalk-site.toml"


@pytest.fixture
def capture(sojourn, tmp_path):
    """Twenty seconds of the three-floor site."""
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    done = sojourn("run", SITE, *short, "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


def test_the_twin_of_a_capture_is_a_commented_scenario_that_runs(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured")
    closeness = _judged(done, capture.parent)

    twin = (capture.parent / "twin.toml").read_text(encoding="utf-8")
    assert json.loads((capture.parent / "captured" / "document.json").read_text())["text"] == twin
    assert twin.count("[[medium]]") == 4
    assert twin.count('router = "configured"') == 3
    assert "1/1" in twin
    assert "Kolmogorov-Smirnov distance" in twin
    head = " ".join(twin[: twin.index("Inferred")].replace("#", " ").split())
    assert f"In 3 simulated runs its median response time is {closeness['p50']:.2f} times" in head
    assert closeness["sentence"] in " ".join(done.stdout.split())
    assert closeness["readings"] == 1
    assert 0.8 < closeness["p50"] < 1.25
    assert sojourn("check", "twin.toml").returncode == 0
    run = sojourn("run", "twin.toml", "--set", "run.duration=5 s", "--set", "run.warm_up=0 s", "--replications", "1")
    assert run.returncode == 0, run.stderr


def test_addresses_are_left_out_on_request_and_nothing_is_replaced(sojourn, capture):
    first = sojourn("analyse", capture, "--scenario", "twin.toml", "--anonymise")
    assert first.returncode in {0, 3}, first.stderr
    assert "1/1" not in (capture.parent / "twin.toml").read_text(encoding="utf-8")

    again = sojourn("analyse", capture, "--scenario", "twin.toml")
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_a_scenario_has_the_ending_of_one(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.txt")
    assert done.returncode == 2
    assert "does not end in .toml" in done.stderr


IP = """
[network]
kind = "ip"
[[medium]]
name = "near"
[[medium]]
name = "link"
rate = "10 Mbit/s"
delay = "5 ms"
queue = { kind = "fifo", limit = 30 }
[[medium]]
name = "far"
[[station]]
name = "client"
on = "near"
[[station]]
name = "laptop"
on = "near"
[[station]]
name = "one"
type = "router"
on = ["near", "link"]
[[station]]
name = "two"
type = "router"
on = ["link", "far"]
[[station]]
name = "server"
on = "far"
[probe]
from = "client"
to = "server"
think = "20 ms"
[background]
from = "laptop"
to = "server"
[run]
duration = "5 s"
warm_up = "0 s"
replications = 1
"""


@pytest.fixture
def ip_capture(sojourn, tmp_path):
    """Five seconds of requests beside an upload."""
    (tmp_path / "site.toml").write_text(IP, encoding="utf-8")
    done = sojourn("run", "site.toml", "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


def test_the_twin_of_an_ip_network_has_its_link_and_the_table_the_kinds_of_retransmissions(sojourn, ip_capture):
    done = sojourn("analyse", ip_capture, "--scenario", "twin.toml", "--out", "captured")
    _judged(done, ip_capture.parent)
    assert "retransmissions/fast" in done.stdout

    twin = (ip_capture.parent / "twin.toml").read_text(encoding="utf-8")
    assert 'rate = "10 Mbit/s"' in twin
    assert "10.0.0.1" in twin
    run = sojourn("run", "twin.toml", "--replications", "1", "--out", "simulated")
    assert run.returncode == 0, run.stderr

    anonymous = sojourn("analyse", ip_capture, "--scenario", "anonymous.toml", "--anonymise")
    assert anonymous.returncode == done.returncode, anonymous.stderr
    assert "10.0.0." not in (ip_capture.parent / "anonymous.toml").read_text(encoding="utf-8")


def test_of_several_scenarios_that_a_capture_allows_the_closest_is_written(sojourn, ip_capture):
    done = sojourn("analyse", ip_capture, "--scenario", "twin.toml", "--out", "captured")

    closeness = _judged(done, ip_capture.parent)
    assert closeness["readings"] > 1
    assert 0.95 < closeness["p50"] < 1.05
    assert 0.8 < closeness["goodput"] < 1.25
    assert f"Of {closeness['readings']} scenarios that the capture allows it came closest." in " ".join(
        done.stdout.split()
    )


def test_a_twin_is_not_compared_with_a_capture_that_was_made_between_the_hosts(sojourn, ip_capture):
    _stamp_as_real(ip_capture)

    done = sojourn("analyse", ip_capture, "--scenario", "twin.toml", "--out", "captured")

    assert _judged(done, ip_capture.parent)["verdict"] == "not-compared"
    assert "captured between the hosts" in " ".join(done.stderr.split())
    twin = " ".join((ip_capture.parent / "twin.toml").read_text(encoding="utf-8").replace("\n#", "").split())
    assert twin.startswith(
        "# NOT COMPARED with its capture, do not rely on it: transfers were captured between the hosts"
    )


def _judged(done, folder):
    """How close the twin is; exit code 3 unless it agrees, and then the terminal and the file say so."""
    twin = json.loads((folder / "captured" / "capture.json").read_text())["twin"]
    text = (folder / "twin.toml").read_text(encoding="utf-8")
    agrees = twin["verdict"] == "agrees"
    assert done.returncode == (0 if agrees else 3), done.stderr
    assert text.startswith("# AGREES with its capture.") == agrees
    assert ("do not rely on it" in " ".join(done.stderr.split())) != agrees
    return twin


def _stamp_as_real(capture):
    """Moves the stamps of a capture from 1970, where those of a simulation begin, to 2025."""
    octets = bytearray(capture.read_bytes())
    place = 24
    while place < len(octets):
        seconds, _, length = struct.unpack_from("<III", octets, place)
        struct.pack_into("<I", octets, place, seconds + 1_750_000_000)
        place += 16 + length
    capture.write_bytes(octets)


RADIO = """
[network]
kind = "packet-radio"
[[medium]]
name = "air"
bit_rate = "1200 bit/s"
txdelay = "300 ms"
persistence = "50 %"
slottime = "100 ms"
[[station]]
name = "ping"
callsign = "PING-1"
on = ["air"]
[[station]]
name = "pong"
callsign = "PONG-1"
on = ["air"]
[probe]
from = "ping"
to = "pong"
size = "100 B"
round_trips = 200
pause = "5 s"
[run]
duration = "1 h"
warm_up = "0 s"
replications = 1
"""


def test_a_scenario_is_fitted_to_the_results_of_a_capture(sojourn, tmp_path):
    (tmp_path / "site.toml").write_text(RADIO, encoding="utf-8")
    assert sojourn("run", "site.toml", "--pcap", "site.pcap").returncode == 0
    assert sojourn("analyse", "site.pcap", "--scenario", "twin.toml", "--out", "captured").returncode in {0, 3}
    away = ("--set", "medium.channel-1.txdelay=200 ms", "--replications", "1")

    done = sojourn("calibrate", "twin.toml", "--fit", "medium.channel-1.txdelay", "--against", "captured", *away)

    assert done.returncode == 0, done.stderr
    fitted = re.search(r"medium\.channel-1\.txdelay +200 ms +([0-9.]+) ms +([0-9.]+) ms", done.stdout)
    assert fitted, done.stdout
    assert abs(float(fitted[1]) - 300) < float(fitted[2]), "the original's is in the interval"
    assert float(fitted[2]) < 100
