"""Twins of captures whose transfers no link limits: each has the rate that its sender kept, and its end."""

from __future__ import annotations

import json
import struct

import pytest

CLIENT, SERVER = b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
SYN, ACK, PUSH = 2, 16, 24
PORTS = (40_000, 9000)
FULL = 1448


def _packet(protocol, source, destination, number, body):
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), number % 65_535 + 1, 0, 64, protocol, 0)
    return header + source + destination + body


def _segment(numbers, flags, data, *, by_server, ports=PORTS):
    ends, ports = ((SERVER, CLIENT), ports[::-1]) if by_server else ((CLIENT, SERVER), ports)
    header = struct.pack("!HHIIBBHHH", *ports, *numbers, 0x50, flags, 0xFFFF, 0, 0)
    return _packet(6, *ends, numbers[0], header + data)


def _opened(ports=PORTS):
    """A handshake of 0.4 ms."""
    return [
        (0, _segment((0, 0), SYN, b"", by_server=False, ports=ports)),
        (400, _segment((0, 1), SYN | ACK, b"", by_server=True, ports=ports)),
        (450, _segment((1, 1), ACK, b"", by_server=False, ports=ports)),
    ]


def _pings(seconds):
    """A ping each second, answered after a millisecond."""
    packets = []
    for number in range(seconds + 1):
        for kind, ends, late in ((8, (CLIENT, SERVER), 0), (0, (SERVER, CLIENT), 1000)):
            echo = struct.pack("!BBHHH", kind, 0, 0, 7, number) + bytes(32)
            packets.append((1_000_000 * number + late, _packet(1, *ends, number, echo)))
    return packets


def _data(segments, begin, every, *, by_server, acknowledged=1):
    """Full segments from `begin` on, each `every` microseconds after the one before."""
    at = range(begin, begin + every * segments, every)
    return [
        (time, _segment((1 + FULL * number, acknowledged), ACK, bytes(FULL), by_server=by_server))
        for number, time in enumerate(at)
    ]


def _rate(segments, seconds):
    """Packets of 1500 octets, two of which go at once, in kbit/s."""
    return 8 * (1500 * segments - 3000) / seconds / 1e3


def _agreeing(sojourn, capture):
    """The scenario of a capture whose twin agrees, its comments on one line, and its ratios."""
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured", "--no-store")
    twin = json.loads((capture.parent / "captured" / "capture.json").read_text())["twin"]
    text = (capture.parent / "twin.toml").read_text(encoding="utf-8")
    assert (twin["verdict"], done.returncode) == ("agrees", 0), (twin, done.stderr, text)
    assert sojourn("check", "twin.toml").returncode == 0
    assert twin["goodput"] == pytest.approx(1, abs=0.05)
    assert twin["transfer_time"] == pytest.approx(1, abs=0.05)
    return " ".join(text.replace("\n#", "").split()), twin


def _shaping(text):
    """The rate of the only transfer in kbit/s."""
    value, unit = text.split('shaping = { rate = "')[1].split('"')[0].split()
    return float(value) * {"kbit/s": 1, "Mbit/s": 1e3}[unit]


def test_a_download_that_ends_is_a_request_whose_response_has_the_rate_that_its_server_kept(sojourn, captured):
    """200 segments, one each 10 ms, upon a request; the capture goes on for three seconds."""
    request = _segment((1, 1), PUSH, bytes(120), by_server=False)
    download = _data(200, 30_000, 10_000, by_server=True, acknowledged=121)

    text, twin = _agreeing(sojourn, captured([*_opened(), (5000, request), *download, *_pings(5)]))

    assert 'size = "120 B" response_size = "289600 B"' in text
    assert _shaping(text) == pytest.approx(_rate(200, 1.99), rel=1e-3)
    assert "it does not react to a faster link, and a slower one slows it down as TCP is slowed down" in text
    assert twin["response_rate"] == pytest.approx(1, abs=0.01)


def test_an_upload_that_ends_stops_when_it_did(sojourn, captured):
    """300 segments in three seconds of six, which nothing answers."""
    text, _ = _agreeing(sojourn, captured([*_opened(), *_data(300, 500_000, 10_000, by_server=False), *_pings(6)]))

    assert 'service = "bulk" from = "host-10-0-0-1-transfer-1" to = "host-10-0-0-2"' in text
    assert _shaping(text) == pytest.approx(_rate(300, 2.99), rel=1e-3)
    # what is in flight is four segments, which take 38.7 ms at 1.196 Mbit/s
    stop = float(text.split("[[event]]")[1].split('at = "')[1].split()[0])
    assert stop == pytest.approx(0.5 + 2.99 - 8 * 4 * FULL / _rate(300, 2.99) / 1e3, abs=1e-3)


def test_data_that_a_server_sends_all_the_time_beside_requests_go_on_to_the_end(sojourn, captured):
    """Only what the server sends was captured, as on a mirror of one direction."""
    text, twin = _agreeing(sojourn, captured([*_data(800, 0, 10_000, by_server=True), *_pings(8)]))

    assert 'connection = "established"' in text
    assert "[[event]]" not in text
    assert twin["p50"] == pytest.approx(1, abs=0.01)


def test_a_request_that_is_an_upload_takes_its_time_before_its_answer(sojourn, captured):
    upload = _data(200, 5000, 10_000, by_server=False)
    last = upload[-1][0]
    answer = _segment((1, 1 + 200 * FULL), PUSH, bytes(90), by_server=True)

    text, twin = _agreeing(sojourn, captured([*_opened(), *upload, (last + 50_000, answer), *_pings(5)]))

    assert 'size = "289600 B" response_size = "90 B"' in text
    assert twin["p99"] == pytest.approx(1, abs=0.05)


def test_an_answer_that_comes_in_parts_of_a_second_delays_the_next_request(sojourn, captured):
    """A server reports changes each second, and its client acknowledges some of the reports, at once."""
    packets, report, credit = [], 1, 1
    for second in range(90):
        packets.append((1_000_000 * second, _segment((report, credit), PUSH, bytes(100), by_server=True)))
        report += 100
        if second % 7 in {0, 1, 4}:
            late = 1_000_000 * second + 1500 + second % 7 * 40
            packets.append((late, _segment((credit, report), PUSH, bytes(40), by_server=False)))
            credit += 40

    folder = captured(packets).parent
    done = sojourn("analyse", "field.pcap", "--scenario", "twin.toml", "--out", "captured", "--no-store")

    twin = json.loads((folder / "captured" / "capture.json").read_text())["twin"]
    assert done.returncode == 0, (twin, done.stderr)
    assert "A closed loop" in (folder / "twin.toml").read_text(encoding="utf-8")
    assert twin["response_rate"] == pytest.approx(1, abs=0.04)


def test_a_capture_of_requests_without_answers_has_no_twin_and_says_so(sojourn, captured):
    requests = []
    for number in range(20):
        read = struct.pack("!HHHB", number, 0, 6, 1) + b"\3\0\0\0\1"
        segment = _segment((1 + 12 * number, 1), PUSH, read, by_server=False, ports=(40_000, 502))
        requests.append((100_000 * number, segment))

    done = sojourn("analyse", captured(requests), "--scenario", "twin.toml")

    assert done.returncode == 1
    assert "the capture has 20 requests, and no answer to any of them" in " ".join(done.stderr.split())


def test_datagrams_that_end_before_the_capture_stop_when_they_did(sojourn, captured):
    """Eight datagrams in 7 ms at the first second of twenty: none is sent in the others."""
    datagrams = []
    for number in range(8):
        datagram = struct.pack("!HHHH", 5000, 9, 40, 0) + bytes(32)
        datagrams.append((1_000_000 + 1000 * number, _packet(17, SERVER, CLIENT, number, datagram)))

    folder = captured([*datagrams, *_pings(20)]).parent
    done = sojourn("analyse", "field.pcap", "--scenario", "twin.toml", "--out", "captured", "--no-store")

    assert done.returncode == 0, done.stderr
    text = (folder / "twin.toml").read_text(encoding="utf-8")
    at = text.split("[[event]]")[1].split('at = "')[1].split()[0]
    assert float(at) == pytest.approx(1.0075, abs=1e-3)
