"""An outage of ten seconds between network namespaces, beside its simulation in one figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.nightly,
    pytest.mark.peer("ip", package="iproute2"),
]
NEAR, FAR = "sojourn-outage-near", "sojourn-outage-far"
PATH = Path(__file__).with_name("lossy_path.py")
SCENARIO = """
[network]
kind = "ip"
[[medium]]
name = "path"
rate = "10 Mbit/s"
delay = "5 ms"
[[station]]
name = "a"
on = "path"
[[station]]
name = "b"
on = "path"
[probe]
from = "a"
to = "b"
size = "64 B"
think = "50 ms"
[[event]]
name = "outage"
at = "10 s"
duration = "10 s"
media = "path"
action = "down"
[run]
duration = "29 s"
warm_up = "1 s"
replications = 3
"""


@pytest.fixture
def path():
    """Two namespaces and a path between them that drops everything from 15 s to 25 s after its start."""
    words = ["--rate", "10e6", "--delay", "0.005", "--loss", "0", "--outage", "15", "25"]
    try:
        for name in (NEAR, FAR):
            subprocess.run(["ip", "netns", "add", name], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        with subprocess.Popen(
            [sys.executable, PATH, NEAR, FAR, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "ready\n"
            yield
            process.stdin.close()
            process.wait(timeout=10)
    finally:
        for name in (NEAR, FAR):
            subprocess.run(["ip", "netns", "delete", name], check=False)


def within(space: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", space, sys.executable, "-m", "sojourn", *words]


def test_an_outage_between_namespaces_lasts_as_long_as_its_simulation_and_stands_in_one_figure(
    path, sojourn, tmp_path
) -> None:
    (tmp_path / "path.toml").write_text(SCENARIO)
    assert sojourn("run", "path.toml", "--out", "simulated").returncode == 0
    agent = within(FAR, "agent", "sojourn://10.37.0.2:18620", "--open", "--duration", "60 s")
    with subprocess.Popen(agent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as peer:
        assert "listening" in peer.stderr.readline()
        words = ("measure", "sojourn://10.37.0.2:18620", "--rate", "20 /s", "--duration", "30 s", "--out", "measured")
        done = subprocess.run(
            within(NEAR, *words), check=False, cwd=tmp_path, capture_output=True, timeout=90, text=True
        )
        peer.terminate()
    assert (tmp_path / "measured" / "results.json").exists(), done.stderr

    done = sojourn("compare", "simulated", "measured", "--figure", "outage.svg")

    assert "wrote outage.svg" in done.stderr
    figure = (tmp_path / "outage.svg").read_text()
    for text in ("The same outage, simulated and measured", "simulated", "measured", "Not answered (%)"):
        assert text in figure, text
    (point,) = json.loads((tmp_path / "measured" / "results.json").read_text())["points"]
    (outage,) = point["outages"]
    assert outage["duration"] == pytest.approx(10, abs=0.5)
    assert outage["requests"] == pytest.approx(200, abs=10)
    median = point["metrics"]["response_time"]["p50"]
    (simulated,) = json.loads((tmp_path / "simulated" / "results.json").read_text())["points"]
    assert median == pytest.approx(simulated["metrics"]["response_time"]["p50"], abs=3e-3)
