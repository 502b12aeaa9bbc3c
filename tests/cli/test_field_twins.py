"""Twins of captures of one point, from the field: they agree with their captures, or say by how much they do not."""

from __future__ import annotations

import json
import struct

import pytest

CLIENT, SERVER = b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
SYN, ACK, PUSH = 2, 16, 24


def _packet(protocol, source, destination, number, body):
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), number % 65_535 + 1, 0, 64, protocol, 0)
    return header + source + destination + body


def _query(client, number, *, is_answer):
    flags, ends, ports = (
        (0x8180, (SERVER, client), (53, 40_000)) if is_answer else (0x0100, (client, SERVER), (40_000, 53))
    )
    message = struct.pack("!HHHHHH", number, flags, 1, 0, 0, 0) + b"\1a\0\0\1\0\1" + b"\0" * (60 if is_answer else 0)
    return _packet(17, *ends, number, struct.pack("!HHHH", *ports, 8 + len(message), 0) + message)


def _segment(number, numbers, flags, data, *, is_answer):
    ends, ports = ((SERVER, CLIENT), (502, 40_000)) if is_answer else ((CLIENT, SERVER), (40_000, 502))
    header = struct.pack("!HHIIBBHHH", *ports, *numbers, 0x50, flags, 0xFFFF, 0, 0)
    return _packet(6, *ends, number, header + data)


def _analysed(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured", "--no-store")
    folder = capture.parent
    twin = json.loads((folder / "captured" / "capture.json").read_text())["twin"]
    return done, twin, (folder / "twin.toml").read_text(encoding="utf-8")


def _response(number):
    """Response times of two kinds in microseconds: most short, every fifth long."""
    return 400 + 37 * number % 300 if number % 5 else 30_000 + 1000 * (number % 7)


def test_the_twin_of_a_walk_has_the_lengths_and_the_times_of_its_capture_and_agrees(sojourn, captured):
    """Each request follows the answer before, and all of them take a tenth of a second."""
    at, packets = 0, []
    for number in range(1, 60):
        packets += [(at, _query(CLIENT, number, is_answer=False))]
        at += 200 + 61 * number % 900
        packets += [(at, _query(CLIENT, number, is_answer=True))]
        at += 150 + number % 3

    done, twin, scenario = _analysed(sojourn, captured(packets))

    assert done.returncode == 0, done.stderr
    assert twin["verdict"] == "agrees"
    assert "twin.toml: agrees." in " ".join(done.stdout.split())
    assert scenario.startswith("# AGREES with its capture.")
    assert "A closed loop:" in scenario
    seconds = (at - 150) / 1e6
    length = float(scenario.split('duration = "')[1].split()[0]) / 1000
    assert seconds <= length <= 1.003 * seconds
    assert twin["response_rate"] == pytest.approx(1, abs=0.02)


def test_a_client_that_asks_by_the_clock_has_intervals_and_the_times_of_its_server(sojourn, captured):
    packets = []
    for number in range(200):
        packets += [(50_000 * number, _query(CLIENT, number, is_answer=False))]
        packets += [(50_000 * number + _response(number), _query(CLIENT, number, is_answer=True))]

    done, twin, scenario = _analysed(sojourn, captured(packets))

    assert done.returncode == 0, done.stderr
    assert "By the clock" in scenario
    assert 'interval = { kind = "recorded", file = "twin-udp-53-1.csv", column = "interval" }' in scenario
    assert twin["p50"] == pytest.approx(1, abs=0.01)
    assert twin["p99"] == pytest.approx(1, abs=0.01)


def test_segments_that_a_mirror_captured_twice_are_no_loss_and_an_answer_with_the_acknowledgement_takes_its_time(
    sojourn, captured
):
    """The first shows a handshake of 0.4 ms; every answer of the server acknowledges its request."""
    packets = [
        (0, _segment(1, (0, 0), SYN, b"", is_answer=False)),
        (400, _segment(2, (0, 1), SYN | ACK, b"", is_answer=True)),
        (450, _segment(3, (1, 1), ACK, b"", is_answer=False)),
    ]
    for number in range(150):
        at, seq = 10_000 * (number + 1), 1 + 12 * number
        head = struct.pack("!HHHB", number, 0, 6, 1)
        request = _segment(10 + 2 * number, (seq, seq), PUSH, head + b"\3\0\0\0\1", is_answer=False)
        answer = _segment(11 + 2 * number, (seq, seq + 12), PUSH, head + b"\3\2\0\1\0", is_answer=True)
        packets += [(at, request), (at + 4000 + 500 * (number % 4), answer)]

    done, twin, scenario = _analysed(sojourn, captured([(at + copy, data) for at, data in packets for copy in (0, 5)]))

    assert done.returncode == 0, done.stderr
    assert twin["verdict"] == "agrees"
    assert "150 answered requests" in scenario
    assert 'loss = "0 %"' in scenario
    assert 'delay = "200' in scenario


def test_requests_that_overlap_are_those_of_several_clients_with_their_own_answers(sojourn, captured):
    packets = []
    for number in range(100):
        answer = 5000 if number % 2 else 45_000
        packets += [(20_000 * number, _query(CLIENT, number, is_answer=False))]
        packets += [(20_000 * number + answer, _query(CLIENT, number, is_answer=True))]

    done, twin, scenario = _analysed(sojourn, captured(packets))

    assert done.returncode == 0, done.stderr
    assert scenario.count("[[flow]]") >= 2
    assert twin["p99"] == pytest.approx(1, abs=0.01)
    assert twin["response_rate"] == pytest.approx(1, abs=0.02)


def test_a_twin_that_has_not_all_of_its_capture_deviates_and_says_by_how_much_and_why(sojourn, captured):
    """Six hundred clients are more than a scenario has flows."""
    packets = []
    for number in range(600):
        client = bytes([10, 1, number // 250, 1 + number % 250])
        packets += [(5000 * number, _query(client, number, is_answer=False))]
        packets += [(5000 * number + 700, _query(client, number, is_answer=True))]

    done, twin, scenario = _analysed(sojourn, captured(packets))

    assert done.returncode == 3
    assert twin["verdict"] == "deviates"
    said = " ".join(done.stderr.split())
    assert "twin.toml deviates from the capture, do not rely on it: the number of responses is 0.83 times" in said
    assert "100 of 600 answered requests are beyond the busiest flows" in said
    assert scenario.startswith("# DEVIATES from its capture, do not rely on it: the number of responses is 0.83 times")
    assert "twin.toml: DEVIATES." in " ".join(done.stdout.split())
