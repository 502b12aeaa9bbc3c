"""Twins of captures of MS/TP trunks and Modbus lines: they agree with their captures."""

from __future__ import annotations

import json
import struct

import pytest

LONG = ("--set", "run.warm_up=10 s", "--replications", "1")


def _twin(sojourn, folder, *, code=0):
    done = sojourn("analyse", "line.pcap", "--scenario", "twin.toml", "--out", "captured", "--no-store")
    assert done.returncode == code, done.stdout + done.stderr
    twin = json.loads((folder / "captured" / "capture.json").read_text())["twin"]
    return twin, (folder / "twin.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "fields", "keys"),
    [
        ("vav-trunk", ("controllers=12", "cycle=15 s"), ("run.duration=10 min", "flow.alarm.arrivals.interval=30 s")),
        ("meter-string", ("meters=8",), ("run.duration=2 min",)),
        ("plc-drives", (), ("run.duration=20 s",)),
        ("scada-gateway", (), ("run.duration=1 min",)),
    ],
)
def test_the_twin_of_an_installation_agrees_with_its_capture(sojourn, tmp_path, kind, fields, keys):
    assert sojourn("new", kind, *fields, "-o", "line.toml").returncode == 0
    changed = [option for key in keys for option in ("--set", key)]
    run = sojourn("run", "line.toml", *changed, *LONG, "--pcap", "line.pcap")
    assert run.returncode in {0, 1}, run.stderr
    twin, text = _twin(sojourn, tmp_path)
    assert twin["verdict"] == "agrees", (twin, text)
    assert sojourn("check", "twin.toml").returncode == 0


def _crc(octets):
    """CRC of Modbus RTU: polynomial A001h, reflected, from FFFFh."""
    crc = 0xFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return struct.pack("<H", crc)


def test_a_capture_of_a_line_with_a_dead_unit_and_jitter_has_a_twin_that_agrees(sojourn, tmp_path):
    frames, now = [], 0.0
    for number in range(60):
        begin = now = max(now, 2.0 * number)
        for unit in (1, 2, 3):
            request = bytes([unit, 3, 0, 0, 0, 10])
            for _ in range(2 if unit == 3 else 1):
                now += 0.0132
                frames.append((now, request + _crc(request)))
                now += 0.3 if unit == 3 else 0.0
            if unit != 3:
                now += 0.05 + 0.001 * (7 * number % 5)
                answer = bytes([unit, 3, 20]) + bytes(20)
                frames.append((now, answer + _crc(answer)))
        assert now - begin < 2
    record = b"".join(
        struct.pack("<IIII", int(at), int(at % 1 * 1e6), len(data), len(data)) + data for at, data in frames
    )
    (tmp_path / "line.pcap").write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 147) + record)
    twin, text = _twin(sojourn, tmp_path)
    assert twin["verdict"] == "agrees", (twin, text)
    assert 'action = "power-down"' in text
    assert 'stations = "unit-3"' in text
    assert 'cycle = "2 s"' in text
    assert "retries = 1\n" in text
    assert 'bit_rate = "9600 bit/s"' in text
