"""Packets and retransmissions of XTP, FDDI and ATM captures, by `analyse` and from the fields that tshark decodes."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

RING = """
[network]
kind = "fddi"
decodable_capture = true
[voice]
samples = 256
class = "synchronous"
[probe]
exchanges = 200
transfer = "64 KiB"
paced = "0 s"
[background]
rate = "25 Mbit/s"
[messages]
rate = "120 /s"
data = "40 B"
long_data = "512 B"
long_share = "50 %"
from = "sender"
class = "asynchronous"
[impairment]
frame_loss = {loss}
[run]
duration = "10 s"
warm_up = "0 s"
replications = 1
"""
ATM = """
[network]
kind = "switched-lan"
[lan]
capture = "{capture}"
[[medium]]
name = "left"
[[medium]]
name = "right"
[[medium]]
name = "far"
[[medium]]
name = "trunk"
loss = "{loss}"
[[station]]
name = "s1"
type = "switch"
on = ["left", "trunk"]
switch = {{ architecture = "output-fifo-efci" }}
[[station]]
name = "s2"
type = "switch"
on = ["right", "far", "trunk"]
switch = {{ architecture = "output-fifo-efci", buffer = "{buffer}" }}
[[station]]
name = "client"
on = "left"
[[station]]
name = "server"
on = "right"
[[station]]
name = "archive"
on = "far"
[probe]
from = "client"
to = "server"
size = "64 B"
[[flow]]
name = "bulk"
from = "server"
to = "client"
service = "bulk"
[[flow]]
name = "copy"
from = "archive"
to = "client"
service = "bulk"
[run]
duration = "3 s"
warm_up = "0 s"
replications = 1
"""
XTP_DATA, XTP_FIRST = 0, 2


def decoded(capture: Path, *fields: str, only: str = "") -> list[list[str]]:
    """The named fields of every frame that `only` selects, the first occurrence of each; missing fields are empty."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-Y", only, "-T", "fields", "-E", "occurrence=f", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture
def analysed(sojourn, tmp_path):
    """Simulates a scenario; the capture, and the metrics that `analyse` finds in it."""

    def of(text: str) -> tuple[Path, dict]:
        (tmp_path / "network.toml").write_text(text, encoding="utf-8")
        done = sojourn("run", "network.toml", "--pcap", "network.pcap", "--seed", "3")
        assert done.returncode == 0, done.stderr
        done = sojourn("analyse", "network.pcap", "--format", "json")
        assert done.returncode == 0, done.stderr
        return tmp_path / "network.pcap", json.loads(done.stdout)["points"][0]["metrics"]

    return of


def packets_of_stations(metrics: dict) -> dict[str, int]:
    members = {name.removeprefix("packets/"): metric for name, metric in metrics.items() if name.startswith("packets/")}
    return {station.replace("-", "."): int(metric["value"]) for station, metric in members.items()}


def count(metrics: dict, name: str) -> int:
    """A count, 0 where there is none of that name."""
    return int(metrics[name]["value"]) if name in metrics else 0


@pytest.mark.parametrize("loss", ["0.0", "0.02"])
def test_the_packets_of_a_ring_are_those_that_tshark_counts(analysed, loss):
    capture, metrics = analysed(RING.format(loss=loss))
    sources = Counter(source for (source,) in decoded(capture, "ip.src", only="fddi && ip"))

    assert metrics["packets"]["value"] == sources.total() > 900
    assert packets_of_stations(metrics) == sources


@pytest.mark.parametrize("loss", ["0.0", "0.02"])
def test_the_retransmissions_of_xtp_are_the_data_that_tshark_decodes_twice(analysed, loss):
    capture, metrics = analysed(RING.format(loss=loss))
    packets = decoded(capture, "ip.src", "xtp.seq", "xtp.cmd.ptype.pformat", only="xtp")
    data = [(source, seq) for source, seq, kind in packets if int(kind, 0) == XTP_DATA]
    again = len(data) - len(set(data))

    assert count(metrics, "retransmissions") == again
    assert (again > 0) == (loss != "0.0")


def test_one_association_is_set_up_and_its_handshake_takes_what_tshark_shows(analysed):
    capture, metrics = analysed(RING.format(loss="0.0"))
    packets = decoded(capture, "frame.time_epoch", "ip.src", "xtp.cmd.ptype.pformat", only="xtp")
    (begin, opener, _), *rest = packets
    answered = next(time for time, source, _ in rest if source != opener)

    assert sum(int(kind, 0) == XTP_FIRST for *_, kind in packets) == metrics["handshake_rtt"]["count"] == 1
    assert metrics["handshake_rtt"]["p50"] == pytest.approx(float(answered) - float(begin), abs=1e-6)


@pytest.mark.parametrize("capture", ["frames", "cells"])
def test_the_packets_of_virtual_channels_are_those_that_tshark_reassembles(analysed, capture):
    file, metrics = analysed(ATM.format(capture=capture, buffer="unlimited", loss="0 %"))
    sources = Counter(source for (source,) in decoded(file, "ip.src", only="ip"))

    assert metrics["packets"]["value"] == sources.total() > 1000
    assert packets_of_stations(metrics) == sources


@pytest.mark.parametrize(
    ("buffer", "loss", "at_least"), [("unlimited", "0 %", 0), ("100 cells", "0 %", 1), ("unlimited", "0.005 %", 20)]
)
def test_the_retransmissions_over_virtual_channels_are_those_that_tshark_finds(analysed, buffer, loss, at_least):
    file, metrics = analysed(ATM.format(capture="frames", buffer=buffer, loss=loss))
    found = decoded(file, "frame.number", only="tcp.analysis.retransmission")

    assert count(metrics, "retransmissions") == len(found) >= at_least
    assert (len(found) > 0) == (at_least > 0)
