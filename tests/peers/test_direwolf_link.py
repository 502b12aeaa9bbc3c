"""AX.25 links with another program's link layer: connect, transfer, disconnect with Dire Wolf, over simulated air."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.peer("direwolf", package="direwolf"),
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.network_namespaces,
]

PAIR = Path(__file__).with_name("direwolf_pair.py")
WITHOUT_LINK = Path(__file__).with_name("ax25_without_link.py")
ON_AIR = ("--callsign", "AAA-2", "--airtime", "60 s", "--profile", "g3ruh-9600")
LONG_TIMEOUT = ("--set", "station.frack=5 s", "--set", "station.paclen=128 B")


@pytest.fixture
def on_air(tool, tmp_path, environment):
    """Runs the tool with a pair of Dire Wolves in a network namespace of their own, and returns its output."""

    def run(command: str, call: str, *arguments: str, timeout: int = 150) -> subprocess.CompletedProcess[str]:
        words = [tool, command, f"kiss+tcp://127.0.0.1:8001{call}", *arguments]
        isolated = ["unshare", "--net", sys.executable, PAIR, *words]
        settings = {"cwd": tmp_path, "env": environment, "timeout": timeout, "text": True, "capture_output": True}
        return subprocess.run([str(word) for word in isolated], check=False, **settings)

    return run


@pytest.fixture
def ping_pong(on_air, tmp_path, dialogue):
    """The RTT of one block: the metrics, and the frames."""

    def run(call: str, size: str, *settings: str) -> tuple[dict, list[str]]:
        exchange = ("--exchanges", "1", "--exchange-size", size, "--pcap", "air.pcap", "--format", "json")
        done = on_air("measure", call, *ON_AIR, *LONG_TIMEOUT, *exchange, *settings)
        assert done.returncode == 0, done.stdout + done.stderr
        (point,) = json.loads(done.stdout)["points"]
        assert point["status"] == "ok"
        metrics = point["metrics"]
        assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (1, 0)
        took = {name: f"{metrics[name]['mean']:.2f} s" for name in ("response_time", "connect_time", "disconnect_time")}
        print(f"\n{size} RTT: {took}, {metrics['retries']['value']} retransmissions")
        return metrics, dialogue(tmp_path / "air.pcap")

    return run


def test_dire_wolf_interoperates_in_v2_0_byte_for_byte(ping_pong, frames_of, tmp_path):
    metrics, frames = ping_pong("/BBB-1", "2 KiB")

    assert frames[:2] == ["AAA-2>BBB-1: SABM", "BBB-1>AAA-2: UA"]
    assert frames[-3:] == ["AAA-2>BBB-1: DISC", "BBB-1>AAA-2: UA", "AAA-2>ID: UI"]
    numbers = {frame[14] >> 1 & 7 for frame in frames_of(tmp_path / "air.pcap") if not frame[14] & 1}
    assert numbers == set(range(8)), "numbers go up to 7 and round"
    assert 0 < metrics["connect_time"]["mean"] < 10


def test_dire_wolf_interoperates_in_v2_2_and_agree_on_parameters(ping_pong, frames_of, tmp_path):
    _, frames = ping_pong("/BBB-1", "10 KiB", "--set", "station.version=v2.2", "--set", "station.window=8")

    assert frames[:2] == ["AAA-2>BBB-1: SABME", "BBB-1>AAA-2: UA"]
    assert {"AAA-2>BBB-1: XID", "BBB-1>AAA-2: XID"} <= set(frames)
    numbers = {frame[14] >> 1 for frame in frames_of(tmp_path / "air.pcap") if not frame[14] & 1}
    assert max(numbers) > 7, "numbers go beyond 7"


def test_a_digipeater_joins_us_and_dire_wolf(ping_pong):
    _, frames = ping_pong("/AAA-9?via=BBB-1", "512 B")

    assert "AAA-2>AAA-9,BBB-1*: SABM" in frames, "the digipeater repeats us"
    assert "AAA-9>AAA-2,BBB-1*: UA" in frames


def test_probes_need_no_software_at_the_remote_station(on_air):
    connect = on_air(
        "measure", "/BBB-1", *ON_AIR, *LONG_TIMEOUT, "--probe", "connect", "--exchanges", "2", "--format", "json"
    )
    assert connect.returncode == 0, connect.stderr
    metrics = json.loads(connect.stdout)["points"][0]["metrics"]
    assert (metrics["connect_time"]["count"], metrics["disconnect_time"]["count"]) == (2, 2)

    own = on_air("measure", "/CQ?via=BBB-1", *ON_AIR, "--probe", "digipeater", "--exchanges", "2", "--format", "json")
    assert own.returncode == 0, own.stderr
    assert json.loads(own.stdout)["points"][0]["metrics"]["response_time"]["count"] == 2


def test_dire_wolf_reports_its_queue_and_no_estimate_is_mentioned(on_air):
    done = on_air("measure", "/CQ?via=BBB-1", *ON_AIR, "--probe", "digipeater", "--exchanges", "1")
    assert done.returncode == 0, done.stderr
    assert "does not report its transmit queue" not in done.stderr


def test_a_missing_station_is_reported(on_air):
    done = on_air("measure", "/ABSENT", *ON_AIR, "--set", "station.retry=2", "--set", "station.frack=1 s")
    assert done.returncode == 1
    assert "ABSENT does not respond: asked 2 times" in done.stderr


@pytest.mark.nightly
def test_a_capture_of_a_measurement_has_its_exchanges_and_a_twin(on_air, tool, tmp_path, environment):
    exchanges = ("--exchanges", "20", "--exchange-size", "300 B", "--pcap", "air.pcap", "--format", "json")
    done = on_air("measure", "/BBB-1", *ON_AIR, *LONG_TIMEOUT, *exchanges, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads(done.stdout)["points"][0]["metrics"]

    def run(*words: str, ends: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
        settings = {"cwd": tmp_path, "env": environment, "timeout": 100, "text": True, "capture_output": True}
        done = subprocess.run([str(tool), *words], check=False, **settings)
        assert done.returncode in ends, done.stdout + done.stderr
        return done

    analysed = run("analyse", "air.pcap", "--scenario", "twin.toml", "--format", "json", ends=(0, 3))
    captured = json.loads(analysed.stdout)["points"][0]["metrics"]
    # the link ends before the last answer is acknowledged: a capture cannot know that it has arrived
    assert captured["response_time"]["count"] in (19, 20)
    assert captured["retries"]["value"] == measured["retries"]["value"]
    # a capture lacks the wait for the channel and the transmission of the first frame
    assert captured["response_time"]["p50"] <= measured["response_time"]["p50"]
    assert captured["response_time"]["max"] <= measured["response_time"]["max"] + 0.001

    run("check", "twin.toml")
    twin = (tmp_path / "twin.toml").read_text(encoding="utf-8")
    assert 'callsign = "BBB-1"' in twin
    assert 'size = "300 B"' in twin
    assert 'paclen = "128 B"' in twin


def test_without_a_link_dire_wolf_answers_commands_as_we_do(tmp_path, environment):
    isolated = ["unshare", "--net", sys.executable, PAIR, sys.executable, WITHOUT_LINK]
    settings = {"cwd": tmp_path, "env": environment, "timeout": 150, "text": True, "capture_output": True}
    done = subprocess.run([str(word) for word in isolated], check=False, **settings)
    assert done.returncode == 0, done.stdout + done.stderr

    # the machine's own answers: crates/protocols/tests/all/ax25_machine/set_up.rs
    commands = [(name, mark) for name in ("RR", "RNR", "REJ", "I") for mark in ("", " P")]
    expected = [f"{name}{mark}: DM{' F' if mark else ''}" for name, mark in commands]
    assert done.stdout.splitlines() == expected
