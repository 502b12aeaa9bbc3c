"""FDDI decoded by tshark: a frame of every class, and a ring that carries voice and data."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

SENDER, RECEIVER = "02:00:00:00:00:01", "02:00:00:00:00:02"
CLASSES = ["0x00", "0x40", "0x41", "0x4f", "0x50", "0x54", "0x57", "0x63", "0xc2", "0xc3", "0xd0", "0xe9"]
VOICE_AND_MESSAGES = """
[network]
kind = "fddi"
decodable_capture = {decodable}
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
[run]
duration = "10 s"
warm_up = "10 ms"
replications = 1
"""


def decoded(capture: Path, *fields: str) -> list[list[str]]:
    """The named fields of every frame, the first occurrence of each; missing fields are empty."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "occurrence=f", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def every_class(built_examples, tmp_path_factory) -> Path:
    done = subprocess.run([built_examples / "fddi_capture"], capture_output=True, timeout=60, check=True)
    file = tmp_path_factory.mktemp("fddi") / "every-frame.pcap"
    file.write_bytes(done.stdout)
    return file


@pytest.fixture
def ring(sojourn, tmp_path):
    """Captures a ring, its synchronous frames as they are or decodable."""

    def captured(decodable: bool) -> Path:
        scenario = tmp_path / "ring.toml"
        scenario.write_text(VOICE_AND_MESSAGES.format(decodable=str(decodable).lower()), encoding="utf-8")
        done = sojourn("run", scenario, "--pcap", "ring.pcap")
        assert done.returncode == 0, done.stderr
        return tmp_path / "ring.pcap"

    return captured


def test_every_class_of_frame_is_known_and_none_is_malformed(every_class):
    frames = decoded(every_class, "fddi.fc", "_ws.malformed", "_ws.expert.severity")

    assert sorted({control for control, _, _ in frames}) == CLASSES
    assert {malformed + severity for _, malformed, severity in frames} == {""}


def test_addresses_are_canonical_and_llc_is_decoded(every_class):
    frames = decoded(every_class, "fddi.src", "fddi.dst", "fddi.fc", "frame.protocols", "ip.src", "llc.type")

    assert {frame[0] for frame in frames} == {SENDER}
    assert {RECEIVER, "ff:ff:ff:ff:ff:ff", "03:00:00:00:00:07"} <= {frame[1] for frame in frames}
    assert [SENDER, RECEIVER, "0x54", "fddi:llc:ip", "10.0.0.1", "0x0800"] in frames


def test_voice_and_messages_of_a_ring_decode_down_to_xtp_with_good_checksums(ring):
    names = ("fddi.fc", "fddi.src", "frame.protocols", "xtp.checksum.status", "_ws.malformed", "_ws.expert.severity")
    frames = decoded(ring(decodable=True), *names)

    assert len(frames) > 500
    assert {frame[0] for frame in frames} == {"0x50"}
    assert {SENDER, RECEIVER} <= {frame[1] for frame in frames}
    assert {frame[4] + frame[5] for frame in frames} == {""}
    of_xtp = [frame for frame in frames if ":xtp" in frame[2]]
    assert len(of_xtp) > 200
    assert {frame[3] for frame in of_xtp} == {"1"}, "1 is Good"


def test_synchronous_frames_and_messages_have_their_frame_control_when_shown_as_such(ring):
    frames = decoded(ring(decodable=False), "fddi.fc", "frame.protocols", "_ws.malformed")

    controls = [control for control, _, _ in frames]
    assert set(controls) == {"0xd0", "0x50"}
    assert controls.count("0xd0") > controls.count("0x50") > 0
    assert all(protocols == "fddi:data" for control, protocols, _ in frames if control == "0xd0")
    assert {malformed for _, _, malformed in frames} == {""}
