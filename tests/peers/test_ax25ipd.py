"""AXUDP with another program at its other end: `ax25ipd` hands frames from UDP to a serial line and back.

    measure -- AXUDP -- ax25ipd -- KISS over a pseudo-terminal -- agent

It drops what has no right check sequence, and so do we: every frame that arrives proves both.
"""

import json
import re
import subprocess
import time

import pytest

pytestmark = [
    pytest.mark.peer("ax25ipd", package="ax25-apps"),
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.network_namespaces,
]

CONFIG = """socket udp 10093
mode tnc
mycall IPD-1
device /dev/ptmx
speed 9600
loglevel 4
route NEAR-7 127.0.0.1 udp 10094 bd
"""
ON_AIR = ("--airtime", "60 s", "--profile", "g3ruh-9600", "--set", "station.frack=2 s")
FAST = ("--set", "medium.bit_rate=1 Mbit/s", "--set", "medium.txdelay=0 s")


@pytest.fixture
def network():
    """A network of its own, as the words that run a program in it."""
    name = f"sojourn-axudp-{time.monotonic_ns()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield ("ip", "netns", "exec", name)
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=False)


@pytest.fixture
def serial_line(network, tmp_path):
    """The serial line of an `ax25ipd` that runs in the network."""
    config, notes = tmp_path / "ax25ipd.conf", tmp_path / "ax25ipd.log"
    config.write_text(CONFIG, encoding="ascii")
    with notes.open("wb") as log:
        # it writes to its notes at once only where they are a terminal
        command = ["stdbuf", "-o0", "ax25ipd", "-c", str(config), "-f"]
        daemon = subprocess.Popen([*network, *command], stdout=log, stderr=log)
    try:
        for _ in range(1200):
            found = re.search(r"(/dev/pts/\d+)", notes.read_text(errors="replace"))
            if found:
                break
            time.sleep(0.05)
        assert found, notes.read_text(errors="replace")
        yield found[1]
    finally:
        daemon.kill()
        daemon.wait()


@pytest.fixture
def agent(network, serial_line, start):
    process = start(
        "agent", f"kiss+serial://{serial_line}?baud=9600", "--callsign", "FAR-1", *ON_AIR, *FAST, "--format", "json",
        within=network,
    )  # fmt: skip
    message = process.stderr.readline()
    assert message == f"listening at {serial_line} as FAR-1; Ctrl-C ends it\n", message + process.stderr.read()
    return process


@pytest.fixture
def measure(network, tool, tmp_path, environment):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        url = "axudp://127.0.0.1:10093/FAR-1?local=10094"
        command = [*network, tool, "measure", url, "--callsign", "NEAR-7", *ON_AIR, *FAST, *arguments]
        settings = {"cwd": tmp_path, "env": environment, "timeout": 120, "text": True, "capture_output": True}
        return subprocess.run([str(word) for word in command], check=False, **settings)

    return run


@pytest.mark.parametrize("version", ["v2.0", "v2.2"])
def test_blocks_come_back_byte_for_byte_through_ax25ipd(measure, agent, version):
    done = measure(
        "--exchanges", "3", "--exchange-size", "64 B,2 KiB", "--set", f"station.version={version}", "--format", "json"
    )

    assert done.returncode == 0, done.stderr
    for point, size in zip(json.loads(done.stdout)["points"], (64, 2048), strict=True):
        assert (point["status"], point["set"]) == ("ok", {"probe.size": size})
        assert point["metrics"]["response_time"]["count"] == 3
        assert point["metrics"]["failures"]["value"] == 0


def test_lost_frames_are_sent_again_and_the_blocks_are_whole(measure, agent):
    done = measure("--exchanges", "3", "--exchange-size", "4 KiB", "--inject-loss", "10 %", "--format", "json")

    assert done.returncode == 0, done.stderr
    (point,) = json.loads(done.stdout)["points"]
    assert point["metrics"]["response_time"]["count"] == 3
    assert point["metrics"]["retries"]["value"] > 0
