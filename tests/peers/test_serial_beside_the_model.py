"""Response times on a serial line, measured and simulated.

Short answers give the costs of the hosts, long ones are predicted.
The line is a pair of pseudo-terminals that pace characters.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .serial_bus import serial_bus

LINE = """
[network]
kind = "modbus"

[[medium]]
name = "line"
bit_rate = "9600 bit/s"
parity = "even"

[[station]]
name = "client"

[[station]]
name = "server"
unit = 17
delay = "DELAY"

[[flow]]
name = "readings"
from = "client"
to = "server"
probe = true
count = COUNT
retries = 0
arrivals = { kind = "periodic", rate = "2 /s" }

[run]
duration = "1 min"
warm_up = "1 s"
replications = 2
seed = 1
"""
CHARACTER_S = 11 / 9600
NEAR_S = 0.004
"""How late a host wakes at best that is busy with other tests."""


@pytest.fixture
def paced() -> Iterator[list[str]]:
    """The two ends of a line of 9600 bit/s with even parity."""
    with serial_bus(2, CHARACTER_S) as devices:
        yield devices


@pytest.fixture
def times(sojourn, tmp_path) -> Callable[..., dict[str, Any]]:
    """The response times of a measurement or a run, whose results stay in a folder."""

    def times(folder: str, *command: str) -> dict[str, Any]:
        done = sojourn(*command, "--out", tmp_path / folder)
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / folder / "results.json").read_text())["points"]
        found: dict[str, Any] = point["metrics"]["response_time"]
        return found

    return times


def line(tmp_path: Path, name: str, count: int, delay_s: float) -> str:
    text = LINE.replace("COUNT", str(count)).replace("DELAY", f"{delay_s * 1e3:.6f} ms")
    scenario = tmp_path / f"{name}.toml"
    scenario.write_text(text)
    return str(scenario)


def test_longer_answers_take_what_the_model_of_the_line_says(times, paced, start, tmp_path):
    ours, theirs = paced
    server = start("listen", f"modbus-rtu://{theirs}?unit=17&baud=9600&parity=even&delay=20")
    assert server.stderr.readline().startswith("listening")
    measure = ("measure", "--set", "run.warm_up=3 s")
    url = f"modbus-rtu://{ours}?unit=17&baud=9600&parity=even"
    idle = times("idle", *measure, f"{url}&count=1", "--rate", "2 /s", "--duration", "8 s")
    long = times("long", *measure, f"{url}&count=100", "--rate", "2 /s", "--duration", "8 s")

    # characters and silences alone; what is more is the hosts'
    alone = times("alone", "run", line(tmp_path, "alone", 1, 0.0))
    host_s = idle["min"] - alone["min"]
    assert 0 < host_s < 0.1, host_s
    predicted = times("predicted", "run", line(tmp_path, "long", 100, host_s))

    # the shortest of each: other tests make a host late now and then
    assert predicted["min"] == pytest.approx(long["min"], abs=NEAR_S)
