"""Captures of packets that a test writes."""

import struct
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

BEGIN = 1_750_000_000


@pytest.fixture
def captured(tmp_path: Path) -> Callable[[Iterable[tuple[int, bytes]]], Path]:
    """Writes IP packets with their stamps in microseconds as a capture."""

    def write(packets: Iterable[tuple[int, bytes]]) -> Path:
        records = [
            struct.pack("<IIII", BEGIN + at // 1_000_000, at % 1_000_000, len(data), len(data)) + data
            for at, data in sorted(packets, key=lambda packet: packet[0])
        ]
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101)
        (tmp_path / "field.pcap").write_bytes(head + b"".join(records))
        return tmp_path / "field.pcap"

    return write
