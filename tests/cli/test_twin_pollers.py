"""Twins of pollers: a client that goes round its servers is one, whose next request waits for the answer before."""

from __future__ import annotations

import json
import struct
import tomllib

import pytest

BEGIN = 1_750_000_000
POLLER = b"\x0a\x00\x00\x01"
SERVERS = [bytes([10, 0, 1, number]) for number in range(1, 6)]
ROUND = 1_000_000


def _query(server, number, *, is_answer):
    ends, ports = ((server, POLLER), (53, 40_000)) if is_answer else ((POLLER, server), (40_000, 53))
    flags = 0x8180 if is_answer else 0x0100
    message = struct.pack("!HHHHHH", number, flags, 1, 0, 0, 0) + b"\1a\0\0\1\0\1" + b"\0" * (60 if is_answer else 0)
    udp = struct.pack("!HHHH", *ports, 8 + len(message), 0) + message
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), number, 0, 64, 17, 0)
    return header + ends[0] + ends[1] + udp


@pytest.fixture
def polled(tmp_path):
    """Rounds of a poller: its requests leave 1 ms after answers, which take 5 ms, 2 ms more from server to server."""

    def write(rounds, order=lambda _: SERVERS):
        packets, number = [], 0
        for start in range(rounds):
            at = ROUND * start
            for place, server in enumerate(order(start)):
                takes = 5_000 + 2_000 * place + 100 * (number % 3)
                packets += [(at, _query(server, number, is_answer=False))]
                packets += [(at + takes, _query(server, number, is_answer=True))]
                at, number = at + takes + 1_000, number + 1
        records = [
            struct.pack("<IIII", BEGIN + at // 1_000_000, at % 1_000_000, len(data), len(data)) + data
            for at, data in packets
        ]
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101)
        (tmp_path / "poller.pcap").write_bytes(head + b"".join(records))
        return tmp_path / "poller.pcap"

    return write


def _analysed(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured", "--no-store")
    twin = json.loads((capture.parent / "captured" / "capture.json").read_text())["twin"]
    return done, twin, tomllib.loads((capture.parent / "twin.toml").read_text(encoding="utf-8"))


def test_a_poller_that_goes_round_five_servers_is_one_client_in_their_order(sojourn, polled):
    done, twin, scenario = _analysed(sojourn, polled(20))

    assert done.returncode == 0, done.stderr
    assert twin["verdict"] == "agrees"
    (flow,) = scenario["flow"]
    assert flow["poll"] is True
    assert flow["from"] == "host-10-0-0-1"
    assert flow["to"] == [f"host-10-0-1-{number}" for number in range(1, 6)]
    assert twin["response_rate"] == pytest.approx(1, abs=0.02)
    assert twin["p99"] == pytest.approx(1, abs=0.02)


def test_a_client_without_an_order_has_a_flow_for_each_server(sojourn, polled):
    done, _, scenario = _analysed(sojourn, polled(20, lambda start: SERVERS[start % 4 :] + SERVERS[: start % 3]))

    assert done.returncode in {0, 3}, done.stderr
    assert len(scenario["flow"]) == 5
    assert not any("poll" in flow for flow in scenario["flow"])
