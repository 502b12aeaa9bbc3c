"""MS/TP with another implementation, bacnet-transport of the Rust registry, on pseudo-terminals; captures in tshark."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .serial_bus import serial_bus

NODE = Path(__file__).with_name("mstp_node")
FAST = "baud=115200&max-master=3"


@pytest.fixture
def bus() -> Iterator[list[str]]:
    """Three devices of a trunk."""
    with serial_bus(3) as devices:
        yield devices


@pytest.fixture(scope="module")
def node() -> Path:
    """The program of a master of the other implementation; compiled where it is not yet."""
    command = ["cargo", "build", "--locked", "--quiet", "--manifest-path", NODE / "Cargo.toml"]
    subprocess.run(command, check=True, timeout=1200)
    return NODE / "target" / "debug" / "mstp-node"


@pytest.fixture
def measured(sojourn, tmp_path) -> Callable[..., dict[str, Any]]:
    """The metrics of a measurement."""

    def measure(url: str, *options: str) -> dict[str, Any]:
        done = sojourn("measure", url, "--out", tmp_path / "out", "--overwrite", *options)
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"]

    return measure


@pytest.mark.peer("tshark", package="tshark")
def test_tshark_reads_every_frame_of_a_measurement_and_an_analysis_finds_its_requests(
    measured, start, bus, sojourn, tmp_path
):
    device = start("agent", f"mstp://{bus[0]}?mac=1&device=1234&{FAST}")
    assert device.stderr.readline() == f"listening at {bus[0]} as MAC 1; Ctrl-C ends it\n"
    capture = tmp_path / "trunk.pcap"
    url = f"mstp://{bus[1]}?mac=2&to=1&{FAST}"
    options = ("--rate", "20 /s", "--duration", "2 s", "--pcap", str(capture))
    # the trunk is a thread here: where other tests stop it for T_usage_timeout, a token is lost, and requests with it
    for _ in range(5):
        metrics = measured(url, *options)
        answered = metrics["response_time"]["count"]
        if answered >= 30:
            break

    assert answered >= 30
    assert answered + metrics["failures"]["value"] == 40
    fields = ["-T", "fields", "-e", "mstp.frame_type", "-e", "_ws.malformed", "-e", "mstp.checksum_bad.expert"]
    read = subprocess.run(["tshark", "-r", capture, *fields], capture_output=True, text=True, check=True).stdout
    kinds, malformed, bad = zip(*(line.split("\t") for line in read.splitlines()), strict=True)
    assert set(malformed) == set(bad) == {""}
    requests, replies = kinds.count("5"), kinds.count("6")
    assert answered <= replies <= requests <= 40
    analysed = sojourn("analyse", capture, "--bit-rate", "115200 bit/s", "--out", tmp_path / "analysed")
    assert analysed.returncode == 0, analysed.stderr
    (point,) = json.loads((tmp_path / "analysed" / "results.json").read_text())["points"]
    assert point["metrics"]["response_time"]["count"] == replies
    assert re.search(rf"MAC 2 to MAC 1 +BACnet +{requests} ", analysed.stdout), analysed.stdout


@pytest.mark.nightly
def test_a_device_of_another_implementation_answers_every_request(measured, node, bus):
    with subprocess.Popen([node, bus[0], "1", "3", "115200", "60"], stdout=subprocess.PIPE, text=True) as process:
        metrics = measured(f"mstp://{bus[1]}?mac=2&to=1&{FAST}", "--rate", "20 /s", "--duration", "20 s")
        process.terminate()

    assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (400, 0)


@pytest.mark.nightly
def test_a_hundred_thousand_tokens_pass_between_both_without_a_lost_one(node, start, bus, sojourn):
    """Two masters, one of each implementation; a listener counts."""
    seconds = "600"
    start("agent", f"mstp://{bus[1]}?mac=1&baud=115200&max-master=1", "--duration", f"{seconds} s")
    with subprocess.Popen([node, bus[0], "0", "1", "115200", seconds], stdout=subprocess.PIPE, text=True) as process:
        listened = sojourn(
            "listen", f"mstp://{bus[2]}?baud=115200", "--count", "100500", "--format", "json", timeout=600
        )
        process.terminate()

    assert listened.returncode == 0, listened.stderr
    (point,) = json.loads(listened.stdout)["points"]
    values = {name: point["metrics"][name]["value"] for name in ("tokens", "tokens_lost", "malformed")}
    assert values["tokens"] >= 100_000
    assert (values["tokens_lost"], values["malformed"]) == (0, 0)
