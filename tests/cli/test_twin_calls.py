"""Twins of captured calls: listeners get of each stream what they got in the capture, or the verdict says what not."""

from __future__ import annotations

import csv
import json
import random
import struct
import tomllib

import pytest

ALICE, BOB = b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
PORTS = {ALICE: 40_000, BOB: 50_000}
PCMU, H261 = 0, 31


def _datagram(source, data, ports=PORTS):
    destination = BOB if source == ALICE else ALICE
    udp = struct.pack("!HHHH", ports[source], ports[destination], 8 + len(data), 0) + data
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
    return header + source + destination + udp


def _rtp(source, number, timestamp, *, payload_type=PCMU, octets=160, ports=PORTS):
    header = struct.pack("!BBHII", 0x80, payload_type, number % 65_536, timestamp, source[3])
    return _datagram(source, header + b"\x55" * octets, ports)


def _analysed(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured", "--no-store")
    tables = json.loads((capture.parent / "captured" / "capture.json").read_text())
    return done, tables, (capture.parent / "twin.toml").read_text(encoding="utf-8")


def _call(draws, *, packets=1000):
    """A call of G.711: what comes from Bob is lost in bursts and late by up to 12 ms, in order."""
    lost = {number for first in range(90, packets, 180) for number in range(first, first + 4)}
    sent = [(20_000 * number, _rtp(ALICE, number, 160 * number)) for number in range(packets)]
    last = 0
    for number in range(packets):
        last = max(last, 7_000 + 20_000 * number + draws.randrange(12_000))
        if number not in lost:
            sent.append((last, _rtp(BOB, number, 160 * number)))
    return sent, len(lost)


def test_the_twin_of_a_call_has_both_streams_with_their_losses_and_jitter_and_agrees(sojourn, captured):
    packets, lost = _call(random.Random(7))

    done, tables, text = _analysed(sojourn, captured(packets))

    twin = tables["twin"]
    assert done.returncode == 0, done.stderr
    assert twin["verdict"] == "agrees"
    assert text.startswith("# AGREES with its capture. In 3 simulated runs the streams of its calls that differ most")
    scenario = tomllib.loads(text)
    flows = {flow["name"]: flow for flow in scenario["flow"]}
    assert set(flows) == {"call-1", "call-1-back"}
    assert flows["call-1-back"]["voice"] == {
        "codec": "g711",
        "packet_time": "20 ms",
        "direction": "forward",
        "duration": "20 s",
    }
    # of its 1000 packets 24 are lost, in six bursts of four
    assert twin["calls"]["loss"] == pytest.approx([lost / 1000, lost / 1000], abs=1e-4)
    assert twin["calls"]["jitter_s"][1] == pytest.approx(twin["calls"]["jitter_s"][0], rel=0.02)
    back = next(stream for stream in tables["streams"] if stream["from"].startswith("10.0.0.2"))
    assert twin["calls"]["mos"] == pytest.approx([back["mos"], back["mos"]], abs=0.02)
    assert "24 were lost, 2.4 % in 6 bursts" in " ".join(text.replace("\n#", "").split())


def test_the_files_of_a_call_have_a_row_for_each_packet_in_the_order_in_which_they_were_sent(sojourn, captured):
    packets, _ = _call(random.Random(8), packets=200)
    _analysed(sojourn, capture := captured(packets))

    with (capture.parent / "twin-call-1-back.csv").open() as file:
        rows = list(csv.DictReader(file))

    assert len(rows) == 200
    assert [number for number, row in enumerate(rows) if row["lost"] == "1"] == [90, 91, 92, 93]
    came = dict(enumerate(float(row["jitter"]) for row in rows))
    assert min(came.values()) == 0
    assert max(came.values()) < 0.012
    assert rows[0]["talkspurt"] == "4"


def test_a_stream_that_pauses_has_its_talkspurts_in_their_order(sojourn, captured):
    """Talkspurts of 50, 100 and 30 packets with pauses of 1 s and 2 s."""
    packets, at, number = [], 0, 0
    for talkspurt, pause in ((50, 50), (100, 100), (30, 0)):
        for _ in range(talkspurt):
            packets.append((20_000 * at, _rtp(ALICE, number, 160 * at)))
            at, number = at + 1, number + 1
        at += pause

    done, tables, text = _analysed(sojourn, captured(packets))

    assert done.returncode == 0, done.stderr
    voice = tomllib.loads(text)["flow"][0]["voice"]
    assert voice["speech"] == "talkspurts"
    assert voice["duration"] == "6.6 s"
    # the last packet leaves up to 20 ms later, perhaps behind the end of the run
    assert tables["twin"]["calls"]["packets"] == pytest.approx([180, 180], abs=1)


def test_video_beside_a_call_is_left_out_and_named_with_its_share(sojourn, captured):
    packets, _ = _call(random.Random(9), packets=300)
    ports = {ALICE: 40_002, BOB: 50_002}
    video = [
        (33_000 * number, _rtp(ALICE, number, 3000 * number, payload_type=H261, octets=800, ports=ports))
        for number in range(180)
    ]

    done, tables, text = _analysed(sojourn, captured(packets + video))

    assert done.returncode == 0, done.stderr
    assert len(tables["streams"]) == 3
    words = " ".join(text.replace("\n#", "").split())
    # of the call 8 of 600 packets of 200 octets are lost
    share = 100 * 180 * 840 / (592 * 200 + 180 * 840)
    assert f"Left out: UDP 50002, 1 flow (10.0.0.1 to 10.0.0.2), {share:.2f} % of the bytes: media over RTP" in words


def test_the_twin_of_a_simulated_call_has_the_loss_of_its_link(sojourn, tmp_path):
    """A link that loses 3 % of the packets and delays them by up to 8 ms: the twin sounds as the simulation did."""
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    done = sojourn("run", "site.toml", "--pcap", "site.pcap", "--out", "simulated")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "simulated" / "results.json").read_text())["points"][0]["metrics"]

    done, tables, _ = _analysed(sojourn, tmp_path / "site.pcap")

    assert done.returncode == 0, done.stderr
    # the poorer direction is that of the metrics; packets behind the last one captured do not show
    poorest = max(stream["loss"] for stream in tables["streams"])
    assert poorest == pytest.approx(metrics["play_out_loss/lost"]["value"], abs=0.003)
    assert tables["twin"]["verdict"] == "agrees"
    assert tables["twin"]["calls"]["mos"][1] == pytest.approx(tables["twin"]["calls"]["mos"][0], abs=0.02)


SITE = """
[network]
kind = "ip"
[[medium]]
name = "path"
rate = "10 Mbit/s"
delay = "5 ms"
loss = "3 %"
jitter = "8 ms"
[[station]]
name = "alice"
on = "path"
[[station]]
name = "bob"
on = "path"
[[flow]]
name = "call"
from = "alice"
to = "bob"
service = "voice"
voice = { codec = "g711" }
[run]
duration = "30 s"
warm_up = "0 s"
replications = 1
"""
