"""AX.25 frames of a capture of link type 202, read without any of Sojourn's code."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

HEADER = struct.Struct("<IHHiIII")
RECORD = struct.Struct("<IIII")
UNNUMBERED = {0x2F: "SABM", 0x6F: "SABME", 0x43: "DISC", 0x0F: "DM", 0x63: "UA", 0x87: "FRMR", 0x03: "UI", 0xAF: "XID"}
UNNUMBERED[0xE3] = "TEST"


def call(octets: bytes) -> str:
    name = "".join(chr(octet >> 1) for octet in octets[:6]).rstrip()
    ssid = octets[6] >> 1 & 15
    return f"{name}-{ssid}" if ssid else name


def said(frame: bytes) -> str:
    """`AAA-2>BBB-1,DIGI*: SABM`: the addresses, and the frame's name; of an I frame modulo 8 or 128 `I`."""
    count = next(at for at in range(2, 11) if frame[7 * at - 1] & 1)
    calls = [call(frame[7 * at : 7 * at + 7]) for at in range(count)]
    stars = ["*" if frame[7 * at + 6] & 0x80 else "" for at in range(2, count)]
    path = "".join(f",{name}{star}" for name, star in zip(calls[2:], stars, strict=True))
    control = frame[7 * count]
    name = "I" if not control & 1 else UNNUMBERED[control & 0xEF] if control & 3 == 3 else "S"
    return f"{calls[1]}>{calls[0]}{path}: {name}"


def read(capture: Path) -> list[bytes]:
    """The frames of a capture, without the KISS command before each."""
    content = capture.read_bytes()
    magic, *_, link_type = HEADER.unpack_from(content)
    assert (magic, link_type) == (0xA1B23C4D, 202)
    frames, at = [], HEADER.size
    while at < len(content):
        *_, length, _ = RECORD.unpack_from(content, at)
        record = content[at + RECORD.size : at + RECORD.size + length]
        assert record[0] == 0, "a data frame of KISS port 0"
        frames.append(record[1:])
        at += RECORD.size + length
    return frames


@pytest.fixture
def frames_of() -> Callable[[Path], list[bytes]]:
    """Reads the frames of a capture."""
    return read


@pytest.fixture
def dialogue() -> Callable[[Path], list[str]]:
    """Reads what the frames of a capture say."""
    return lambda capture: [said(frame) for frame in read(capture)]
