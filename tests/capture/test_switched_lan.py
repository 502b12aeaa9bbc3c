"""Switched LANs decoded by tshark: virtual channels, AAL5 frames with trailers, resource management cells."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

LAN = """
[network]
kind = "switched-lan"
[lan]
{lan}
[[medium]]
name = "left"
[[medium]]
name = "right"
[[medium]]
name = "trunk"
[[station]]
name = "s1"
type = "switch"
on = ["left", "trunk"]
{switch}
[[station]]
name = "s2"
type = "switch"
on = ["right", "trunk"]
{switch}
[[station]]
name = "client"
on = "left"
[[station]]
name = "server"
on = "right"
[probe]
from = "client"
to = "server"
size = "64 B"
{circuit}
[[flow]]
name = "bulk"
from = "server"
to = "client"
service = "bulk"
{circuit}
[run]
duration = "200 ms"
warm_up = "10 ms"
replications = 1
"""
RATE_CONTROL = 6


def decoded(capture: Path, *fields: str, only: str = "") -> list[list[str]]:
    """The named fields of every frame that `only` selects, the first occurrence of each; missing fields are empty."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-Y", only, "-T", "fields", "-E", "occurrence=f", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture
def lan(sojourn, tmp_path):
    """Captures a LAN with an echo and a bulk transfer."""

    def captured(keys: str) -> Path:
        scenario = tmp_path / "lan.toml"
        of_cells = {"switch": 'switch = { architecture = "output-fifo-efci" }', "circuit": "vci = 200"}
        of_packets = dict.fromkeys(of_cells, "")
        text = LAN.format(lan=keys, **(of_packets if 'framing = "packets"' in keys else of_cells))
        scenario.write_text(text, encoding="utf-8")
        done = sojourn("run", scenario, "--pcap", "lan.pcap", "--overwrite")
        assert done.returncode == 0, done.stderr
        return tmp_path / "lan.pcap"

    return captured


@pytest.mark.parametrize("keys", ['capture = "frames"', 'capture = "cells"', 'framing = "packets"'])
def test_no_frame_is_malformed_and_every_checksum_fits(lan, keys):
    checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
    bad = "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || tcp.checksum.status == 0"
    command = ["tshark", "-r", str(lan(keys)), *checks, "-Y", bad]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)

    assert done.stdout == ""


def test_a_virtual_channel_has_the_identifier_of_the_scenario(lan):
    frames = decoded(lan('capture = "frames"'), "atm.vpi", "atm.vci", "ip.proto")

    assert {(vpi, vci) for vpi, vci, _ in frames} == {("0", "200")}
    assert {protocol for _, _, protocol in frames} == {"6", "17"}


def test_an_echo_goes_out_and_comes_back(lan):
    echoes = decoded(lan('capture = "frames"'), "ip.src", "ip.dst", "udp.dstport", "data.len", only="udp")

    request, answer = echoes[:2]
    assert request[:2] == list(reversed(answer[:2]))
    assert request[2] == "7" and answer[2] != "7"
    assert {length for *_, length in echoes} <= {"64", ""}


def test_frames_have_the_crc_that_a_reader_computes(lan):
    capture = lan('capture = "cells"')
    command = ["tshark", "-r", str(capture), "-V", "-Y", "ip"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    crcs = [line for line in text.splitlines() if "AAL5 CRC" in line]
    assert len(crcs) > 100
    assert all(line.endswith("(correct)") for line in crcs)


def test_resource_management_cells_are_decoded_as_such(lan):
    capture = lan('capture = "cells"\nservice = "abr"')
    cells = decoded(capture, "atm.vci", "atm.payload_type", "data.data", only="!ip")

    assert len(cells) > 50
    assert {(channel, int(payload)) for channel, payload, _ in cells} == {("200", RATE_CONTROL)}
    # protocol 1; forward cells and the backward ones that they become
    assert {data[:4] for *_, data in cells} >= {"0100", "0180"}
    assert {data[-8:-4] for *_, data in cells} == {"6a6a"}


def test_tcp_is_followed_from_its_handshake_on(lan):
    segments = decoded(lan('framing = "packets"'), "tcp.flags.syn", "tcp.flags.ack", "tcp.len", only="tcp")

    assert segments[0][:2] in (["1", "0"], ["True", "False"])
    assert segments[1][:2] in (["1", "1"], ["True", "True"])
    # the largest segment of a packet of 1500 octets
    assert max(int(length) for *_, length in segments) == 1460
    lost = decoded(
        lan('framing = "packets"'), "frame.number", only="tcp.analysis.retransmission || tcp.analysis.lost_segment"
    )
    assert lost == []
