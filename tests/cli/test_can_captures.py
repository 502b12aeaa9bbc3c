"""`sojourn analyse` of CAN buses: logs, captures, and what a simulation wrote."""

from __future__ import annotations

import json
import struct

import pytest
from jsonschema import Draft202012Validator

from sojourn import schemas

# of these frames 81 and 119 bits are known, and 51 of the one without data
LOG = """\
(1750000000.000000) can0 123#DEADBEEF
(1750000000.010000) can0 123#0102030405060708
(1750000000.012000) can0 100#
(1750000000.022000) can0 123#DEADBEEF
(1750000000.030000) can0 7E0#0322F190
(1750000000.034000) can0 7E8#0462F19041
(1750000000.040000) can0 7E0#0322F191
(1750000000.042000) can0 7E8#037F2231
(1750000000.050000) can0 20000088#0000080000000000
"""
BUS = """
[network]
kind = "can"
[bus]
bit_rate = "500 kbit/s"
stuffing = "exact"
[[station]]
name = "master"
costs = { send = "0 s", receive = "0 s", forward = "0 s" }
[[station]]
name = "drive"
costs = { send = "0 s", receive = "0 s", forward = "0 s" }
[[flow]]
name = "torque"
from = "master"
to = "drive"
id = 0x110
payload = "counter"
arrivals = { kind = "periodic", interval = "10 ms", start = "at-once", delay = "1 ms" }
[[flow]]
name = "position"
from = "master"
to = "drive"
id = 0x605
service = "sdo"
data = "4 B"
probe = true
arrivals = { kind = "periodic", interval = "10 ms", start = "at-once", delay = "5 ms" }
[run]
duration = "10 s"
warm_up = "0 s"
replications = 1
"""


@pytest.fixture
def analysed(sojourn):
    """The metrics of a file, what was stated beside them, and the tables."""

    def analyse(name, *arguments):
        done = sojourn("analyse", name, "--format", "json", "--no-store", "--out", "out", "--overwrite", *arguments)
        assert done.returncode == 0, done.stderr
        results = json.loads(done.stdout)
        Draft202012Validator(json.loads(schemas.text("results"))).validate(results)
        assert results["network"] == "can"
        return results["points"][0]["metrics"], " ".join(done.stderr.replace("│", " ").split())

    return analyse


def test_a_log_has_its_load_its_identifiers_by_priority_and_its_requests(sojourn, analysed, tmp_path) -> None:
    (tmp_path / "bench.log").write_text("\n".join(line for line in LOG.splitlines()[:4]))
    metrics, _ = analysed("bench.log", "--bit-rate", "500 kbit/s")
    assert metrics["utilisation"]["value"] == pytest.approx((81 + 119 + 51 + 81) / 500e3 / 0.022)
    # 55 + 10 s bits; and a stuff bit for every five of 34 + 8 s
    assert metrics["utilisation_worst"]["value"] == pytest.approx((95 + 135 + 55 + 95) / 500e3 / 0.022)
    assert metrics["utilisation_canbusload"]["value"] == pytest.approx((92 + 130 + 53 + 92) / 500e3 / 0.022)

    (tmp_path / "bench.log").write_text(LOG)
    metrics, notes = analysed("bench.log")

    assert "utilisation" not in metrics
    assert "--bit-rate states it" in notes
    assert metrics["error_frames"]["value"] == 1
    assert metrics["response_time/uds-22"]["max"] == pytest.approx(0.004)
    assert metrics["failures/uds-22"]["value"] == 1
    assert metrics["interarrival_time/can/123/everyone"]["max"] == pytest.approx(0.012)
    rows = json.loads((tmp_path / "out" / "capture.json").read_text())["identifiers"]
    assert [(row["id"], row["frames"]) for row in rows] == [("100", 1), ("123", 3), ("7E0", 2), ("7E8", 2)]
    assert (rows[1]["interval_s"], rows[1]["jitter_s"]) == pytest.approx((0.011, 0.002 / 2**0.5))
    assert (tmp_path / "out" / "identifiers.csv").read_text().startswith("interface,id,frames,")
    assert "Identifier" in (tmp_path / "out" / "report.html").read_text()
    table = sojourn("analyse", "bench.log").stdout
    assert "7E0 to 7E8" in table
    assert "jitter" in table


def test_captures_of_every_kind_have_the_numbers_of_the_log(analysed, tmp_path) -> None:
    frames = [line.split() for line in LOG.splitlines()[:4]]
    (tmp_path / "bench.log").write_text(LOG)
    known = ("packets/123", "packets/100")
    expected, _ = analysed("bench.log", "--expect", "error_frames = 1")

    def record(name: str, order: str) -> bytes:
        identifier, data = name.split("#")
        octets = bytes.fromhex(data)
        return struct.pack(f"{order}IBBBB", int(identifier, 16), len(octets), 0, 0, 0) + octets.ljust(8, b"\0")

    cooked = struct.pack(">HHHQH", 1, 280, 0, 0, 0x0C)
    for link_type, head, order in ((227, b"", ">"), (113, cooked, "<")):
        packets = [(int(time[12:18]), head + record(name, order)) for time, _, name in frames]
        records = [struct.pack("<IIII", 1_750_000_000, at, len(octets), len(octets)) + octets for at, octets in packets]
        file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, link_type) + b"".join(records)
        (tmp_path / f"{link_type}.pcap").write_bytes(file)
        metrics, _ = analysed(f"{link_type}.pcap")
        assert [metrics[name]["value"] for name in known] == [expected[name]["value"] for name in known]


def test_logs_that_python_can_reads_have_the_numbers_of_the_log(analysed, tmp_path) -> None:
    can = pytest.importorskip("can")
    (tmp_path / "bench.log").write_text(LOG)
    expected, _ = analysed("bench.log")
    for suffix in ("asc", "blf"):
        with can.LogReader(tmp_path / "bench.log") as frames, can.Logger(tmp_path / f"bench.{suffix}") as log:
            for frame in frames:
                frame.channel = 0
                log(frame)
        metrics, _ = analysed(f"bench.{suffix}")
        for name in ("response_time/uds-22", "interarrival_time/can/123/everyone"):
            assert metrics[name]["max"] == pytest.approx(expected[name]["max"], abs=2e-6)
        assert metrics["error_frames"]["value"] == 1


@pytest.mark.parametrize("name", ["bench.asc", "bench.blf"])
def test_a_log_that_is_none_is_refused_in_a_sentence(sojourn, tmp_path, name) -> None:
    pytest.importorskip("can")
    (tmp_path / name).write_bytes(b"no log of CAN")

    done = sojourn("analyse", name)

    assert done.returncode == 2
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_a_capture_of_a_simulation_has_its_load_and_response_times(sojourn, analysed, tmp_path) -> None:
    (tmp_path / "bus.toml").write_text(BUS)
    done = sojourn("run", "bus.toml", "--pcap", "bus.pcap", "--format", "json", "--no-store")
    assert done.returncode == 0, done.stderr
    simulated = json.loads(done.stdout)["points"][0]["metrics"]

    metrics, _ = analysed("bus.pcap", "--bit-rate", "500 kbit/s")

    def value(of, name):
        return of[name].get("value", of[name].get("mean"))

    # the capture lasts from the first frame to the last, 9.99 of 10 s
    assert metrics["utilisation"]["value"] == pytest.approx(value(simulated, "utilisation"), rel=2e-3)
    # a simulated request is sent first, a captured one has been: 108 bits to 132, the most
    request_s = simulated["response_time"]["max"] - metrics["response_time/sdo"]["max"]
    assert 108 * 2e-6 <= request_s <= 132 * 2e-6
    assert metrics["response_time/sdo"]["count"] == simulated["response_time"]["count"]


def test_a_data_bit_rate_needs_that_of_the_bus(sojourn, tmp_path) -> None:
    (tmp_path / "bench.log").write_text(LOG)

    done = sojourn("analyse", "bench.log", "--data-bit-rate", "2 Mbit/s")

    assert done.returncode == 2
    assert "state --bit-rate as well" in " ".join(done.stderr.replace("│", " ").split())
