"""Modbus traffic decoded by tshark: every frame of every function, none malformed."""

import subprocess

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

USER = 'uat:user_dlts:"User 0 (DLT=147)","mbrtu","0","","0",""'
"""By which tshark reads a capture of a line: docs/how-to/modbus.md."""
FUNCTIONS = {
    "read-coils": 1,
    "read-discrete-inputs": 2,
    "read-holding-registers": 3,
    "read-input-registers": 4,
    "write-coil": 5,
    "write-register": 6,
    "write-coils": 15,
    "write-registers": 16,
    "mask-write": 22,
    "read-write": 23,
}
SINGLE = {"write-coil", "write-register", "mask-write"}


def decoded(capture, *wanted, only=""):
    """Fields of each packet."""
    fields = [word for name in ("frame.protocols", *wanted) for word in ("-e", name)]
    command = ["tshark", "-r", str(capture), "-o", USER, "-T", "fields", *fields, *(["-Y", only] if only else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_frame_of_a_line_is_read_with_its_function_and_crc(sojourn, tmp_path, function):
    sojourn("new", "meter-string", "-o", "line.toml")
    count = 1 if function in SINGLE else 19
    keys = (f"flow.readings.function={function}", f"flow.readings.count={count}", "run.duration=10 s")
    sets = [word for key in keys for word in ("--set", key)]

    done = sojourn("run", "line.toml", *sets, "--replications", "1", "--pcap", "line.pcap")

    assert done.returncode in (0, 1), done.stderr
    frames = decoded(tmp_path / "line.pcap", "modbus.func_code")
    assert len(frames) > 100
    assert {code for _, code in frames} == {str(FUNCTIONS[function])}
    assert all("mbrtu" in protocols for protocols, _ in frames)
    assert decoded(tmp_path / "line.pcap", only="_ws.malformed || mbrtu.crc16.status == Bad") == []


def test_every_frame_of_a_gateway_is_read_as_modbus_over_tcp(sojourn, tmp_path):
    sojourn("new", "scada-gateway", "-o", "gateway.toml")

    done = sojourn("run", "gateway.toml", "--set", "run.duration=10 s", "--replications", "1", "--pcap", "gateway.pcap")

    assert done.returncode in (0, 1), done.stderr
    frames = decoded(tmp_path / "gateway.pcap", "mbtcp.trans_id")
    assert len(frames) > 300
    assert all("mbtcp" in protocols for protocols, _ in frames)
    assert decoded(tmp_path / "gateway.pcap", only="_ws.malformed || tcp.analysis.flags") == []
