"""CAN in a multicast group with python-can; captures in tshark."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import can
import pytest

SERVER = Path(__file__).with_name("can_uds_server.py")
GROUP = "239.74.163.77"


@pytest.fixture
def port() -> int:
    """A port that no other bus of this host has; skips where no group can be joined."""
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        member = socket.inet_aton(GROUP) + socket.inet_aton("0.0.0.0")
        try:
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        except OSError:
            pytest.skip("this host has no route to a multicast group")
        return int(probe.getsockname()[1])


@pytest.fixture
def uds_server(port) -> Iterator[None]:
    """A server of UDS by hand on python-can's bus."""
    command = [sys.executable, SERVER, GROUP, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        yield
        process.kill()


@pytest.fixture
def measured(sojourn, tmp_path) -> Callable[..., dict[str, Any]]:
    """The metrics of a measurement."""

    def measure(url: str, *options: str) -> dict[str, Any]:
        done = sojourn("measure", url, "--rate", "20 /s", "--out", tmp_path / "out", "--overwrite", *options)
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"]

    return measure


@pytest.mark.peer("tshark", package="tshark")
def test_every_request_to_a_server_on_python_can_is_answered_and_tshark_reads_the_frames(
    measured, uds_server, port, tmp_path
):
    capture = tmp_path / "bus.pcap"
    url = f"can-udp://{GROUP}:{port}?service=uds&request=7E0&data=22F190"
    metrics = measured(url, "--duration", "2 s", "--pcap", str(capture), "--set", "run.warm_up=0 s")

    assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (40, 0)
    # the server lets a millisecond pass before each of the two frames that follow the first
    assert metrics["phase/whole"]["p50"] >= 0.002
    fields = ["-T", "fields", "-e", "can.id", "-e", "_ws.malformed", "-e", "frame.len"]
    read = subprocess.run(["tshark", "-r", capture, *fields], capture_output=True, text=True, check=True).stdout
    ids, malformed, lengths = zip(*(line.split("\t") for line in read.splitlines()), strict=True)
    assert set(malformed) == {""}
    assert set(lengths) == {"16"}
    # a request, a first frame, flow control, and two frames that follow
    assert (ids.count("2016"), ids.count("2024")) == (40 * 2, 40 * 3)


def test_a_record_that_the_server_does_not_have_is_a_negative_response(measured, uds_server, port):
    metrics = measured(f"can-udp://{GROUP}:{port}?service=uds&request=7E0&data=22F191", "--duration", "1 s")

    assert metrics["failures"]["value"] == metrics["failures/uds_negative_response_31"]["value"] == 20


def test_a_node_of_this_tool_answers_frames_of_python_can(start, port):
    node = start("agent", f"can-udp://{GROUP}:{port}?node=5&length=17")
    assert node.stderr.readline().startswith("listening at ")
    with can.Bus(interface="udp_multicast", channel=GROUP, port=port) as bus:

        def ask(identifier: int, answers: int, data: list[int]) -> bytes:
            bus.send(can.Message(arbitration_id=identifier, is_extended_id=False, data=data))
            while True:
                received = bus.recv(5)
                assert received is not None
                if received.arbitration_id == answers:
                    return bytes(received.data)

        assert ask(0x7E0, 0x7E8, [2, 0x3E, 0]) == bytes([2, 0x7E, 0, *[0xCC] * 5])
        assert ask(0x7E0, 0x7E8, [3, 0x22, 0, 1]) == bytes([3, 0x7F, 0x22, 0x31, *[0xCC] * 4])
        assert ask(0x605, 0x585, [0x40, 0x18, 0x10, 1, 0, 0, 0, 0]) == bytes([0x41, 0x18, 0x10, 1, 17, 0, 0, 0])
        # seven bytes of 17, and more to come
        assert ask(0x605, 0x585, [0x60, 0, 0, 0, 0, 0, 0, 0])[0] == 0x00


def test_a_listener_shows_what_python_can_sends(sojourn, start, port):
    count = 50
    listener = start("listen", f"can-udp://{GROUP}:{port}?bit-rate=500000", "--count", str(count), "--format", "json")
    assert listener.stderr.readline().startswith("listening at ")
    with can.Bus(interface="udp_multicast", channel=GROUP, port=port) as bus:
        for number in range(count // 2):
            bus.send(can.Message(arbitration_id=0x123, is_extended_id=False, data=[number] * 8))
            bus.send(can.Message(arbitration_id=0x18FEF100, data=bytes(12), is_fd=True, bitrate_switch=True))
    output, _ = listener.communicate(timeout=60)

    (point,) = json.loads(output)["points"]
    seen = {name: point["metrics"][f"packets/{name}"]["value"] for name in ("123", "18FEF100")}
    assert seen == {"123": count // 2, "18FEF100": count // 2}
    assert point["metrics"]["malformed"]["value"] == 0
    assert point["metrics"]["utilisation"]["value"] > 0
