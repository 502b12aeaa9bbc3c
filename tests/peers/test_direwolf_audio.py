"""The bits of AX.25 as another program hears them: Dire Wolf decodes our sound, and we decode its."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("atest", package="direwolf")

MODEMS = pytest.mark.parametrize("modem", ["1200", "9600"])
KINDS = {"SABM", "SABME", "DISC", "UA", "DM", "FRMR", "I", "RR", "RNR", "REJ", "SREJ", "UI", "XID", "TEST"}


@pytest.fixture
def audio(built_examples) -> Callable[[str, str, Path], list[bytes]]:
    """What our modem wrote to a file, or read from it: each frame's octets without the FCS."""

    def carried(action: str, modem: str, file: Path) -> list[bytes]:
        command = [built_examples / "ax25_audio", action, modem, file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return [bytes.fromhex(line) for line in done.stdout.splitlines()]

    return carried


def atest(modem: str, file: Path) -> str:
    command = ["atest", "-B", modem, "-h", str(file)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=True).stdout


def dumped(report: str) -> list[bytes]:
    """The frames in a report of `atest`, from its lines `  010:  63 68 6f   cho`."""
    frames: list[bytearray] = []
    for offset, octets in re.findall(r"^  ([0-9a-f]{3}):  ((?:[0-9a-f]{2} )+)", report, re.MULTILINE):
        if int(offset, 16) == 0:
            frames.append(bytearray())
        frames[-1] += bytes.fromhex(octets)
    return [bytes(frame) for frame in frames]


@MODEMS
def test_dire_wolf_hears_every_kind_of_frame_octet_for_octet(audio, tmp_path, modem):
    sound = tmp_path / "ours.wav"
    sent = audio("write", modem, sound)

    report = atest(modem, sound)

    assert dumped(report) == sent
    assert len(sent) > len(KINDS)
    named = {name.upper() for name in re.findall(r"^(I|[SU] frame \w+)(?: frame)?: ", report, re.MULTILINE)}
    assert {name.split()[-1] for name in named} == KINDS


@MODEMS
def test_we_hear_what_dire_wolf_sends(audio, tmp_path, modem):
    monitored = ["PING-2>PONG-1,DIGI1*:test", "N0CALL>QST:" + "a longer text, " * 15]
    text, sound = tmp_path / "frames.txt", tmp_path / "theirs.wav"
    text.write_text("".join(f"{line}\n" for line in monitored), encoding="ascii")
    subprocess.run(["gen_packets", "-B", modem, "-o", sound, text], capture_output=True, timeout=120, check=True)

    heard = audio("read", modem, sound)

    # `gen_packets` keeps the newline, and sends UI frames without layer 3
    information = [f"{line.split(':', 1)[1]}\n".encode() for line in monitored]
    assert [frame.partition(b"\x03\xf0")[2] for frame in heard] == information
    assert dumped(atest(modem, sound)) == heard
