"""`sojourn relay` as a user starts it: a measurement through it finds the configured impairments."""

import json
import signal
import socket

import pytest


@pytest.fixture
def ended():
    """Ends a relay as Ctrl-C does; what it did, by kind, and what else it said."""

    def end(process):
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 0, stderr
        return {report["kind"]: report for report in map(json.loads, stdout.splitlines())}, stderr

    return end


def metrics(folder):
    (point,) = json.loads((folder / "results.json").read_text())["points"]
    return point["metrics"]


def test_a_measurement_finds_the_delay_and_loss_that_the_relay_reports(begun, ended, sojourn, tmp_path):
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    wanted = ["--delay", "20 ms", "--loss", "10 %", "--seed", "7", "--format", "json"]
    relay, address = begun("relay", "--to", agent, *wanted)

    # one at a time and on its own: a lost response times out, and no other does
    measured = ["--schedule", "ping-pong", "--think", "1 ms", "--timeout", "4 s", "--duration", "12 s"]
    done = sojourn("measure", f"sojourn://{address}", *measured, "--out", str(tmp_path / "out"))
    report, _ = ended(relay)

    assert done.returncode == 0, done.stderr
    found = metrics(tmp_path / "out")
    assert found["response_time"]["min"] >= 0.040
    lost = report["forward"]["counts"]["lost"] + report["reverse"]["counts"]["lost"]
    assert lost > 0
    # the session's own packets may be lost, too
    assert 0 < found["failures"]["value"] <= lost
    assert report["forward"]["peer"] == agent


def test_tcp_load_is_limited_to_the_link_rate_and_requests_queue_behind_it(begun, ended, sojourn, tmp_path):
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    relay, address = begun("relay", "--to", agent, "--rate", "8 Mbit/s", "--format", "json")
    phases = ["--load", "tcp:1", "--duration", "3 s", "--idle", "0 s", "--recovery", "0 s"]

    # a request that finds the queue full is lost
    done = sojourn("measure", f"sojourn://{address}", *phases, "--timeout", "1 s", "--out", str(tmp_path / "out"))
    report, _ = ended(relay)

    assert done.returncode == 0, done.stderr
    carried = report["connections"]
    assert carried["messages"] == 1
    # bytes in flight at the end: up to the queue and both socket buffers
    assert 0.2e6 < carried["counts"]["forward"] < 3e6 + carried["seconds"] * 1e6
    found = metrics(tmp_path / "out")
    assert 0 < found["throughput"]["value"] < 10e6
    # 64 kB take 64 ms, and are never less than half of it once the load runs
    assert found["response_time"]["p50"] > 0.02


def test_it_prints_its_counters_and_when_tcp_is_not_impaired(begun):
    unserved = socket.socket(type=socket.SOCK_DGRAM)
    unserved.bind(("127.0.0.1", 0))
    far = f"127.0.0.1:{unserved.getsockname()[1]}"
    relay, address = begun("relay", "--to", far, "--loss", "100 %", "--direction", "forward")
    host, port = address.rsplit(":", 1)
    assert "TCP is delayed and rate-limited, and held during outages" in relay.stderr.readline()

    with socket.socket(type=socket.SOCK_DGRAM) as near:
        for _ in range(5):
            near.sendto(b"hello", (host, int(port)))
        # a connection that the remote host refuses is closed
        with socket.create_connection((host, int(port)), timeout=60) as stream:
            assert stream.recv(1) == b""
    relay.send_signal(signal.SIGINT)
    stdout, _ = relay.communicate(timeout=60)

    assert stdout.splitlines() == [
        f"UDP to {far}: 5 datagrams, 25 B, 5 lost at random",
        f"UDP from {far}: 0 datagrams, 0 B",
        f"TCP: 0 connections with {far}, 0 B forward, 0 B reverse, 1 unreachable",
    ]


def test_it_ends_after_the_time_given(begun):
    relay, _ = begun("relay", "--to", "127.0.0.1:9", "--duration", "300 ms")

    relay.communicate(timeout=60)

    assert relay.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "127.0.0.1"], "the port is missing, as in HOST:36000"),
        (["--to", "127.0.0.1:9", "--listen", "0.0.0.0:0"], "--open allows it"),
        (["--to", "127.0.0.1:9", "--loss", "2"], "`loss` is 2, outside its range"),
        (["--to", "127.0.0.1:9", "--delay", "20"], "`delay` needs a unit"),
        (["--to", "127.0.0.1:9", "--queue", "30 kB"], "has no effect without --rate"),
        (["--to", "127.0.0.1:9", "--outage", "5 s"], "is not FROM:TO"),
        (["--to", "127.0.0.1:9", "--direction", "up"], "known: forward, reverse, both"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_relayed(sojourn, arguments, message):
    done = sojourn("relay", *arguments)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


PATH = """
[network]
kind = "ip"
[[medium]]
name = "path"
rate = "10 Mbit/s"
delay = "20 ms"
[[station]]
name = "a"
on = "path"
[[station]]
name = "b"
on = "path"
[probe]
from = "a"
to = "b"
think = "50 ms"
[[event]]
name = "outage"
at = "8 s"
duration = "2 s"
media = "path"
action = "down"
[[event]]
name = "detour"
at = "11 s"
action = "set"
set = { "medium.path.delay" = "60 ms" }
[run]
duration = "40 s"
warm_up = "1 s"
"""


def test_the_path_of_a_scenario_is_emulated_with_its_events(begun, ended, sojourn, tmp_path):
    (tmp_path / "path.toml").write_text(PATH)
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    relay, address = begun("relay", "--to", agent, "--scenario", str(tmp_path / "path.toml"), "--format", "json")

    done = sojourn("measure", f"sojourn://{address}", "--rate", "50 /s", "--timeout", "1 s",
                   "--duration", "11 s", "--out", str(tmp_path / "out"))  # fmt: skip
    report, _ = ended(relay)

    assert done.returncode == 0, done.stderr
    (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    (outage,) = point["outages"]
    assert outage["duration"] == pytest.approx(2, abs=0.4)
    assert 0.040 <= point["metrics"]["response_time"]["min"] < 0.060
    assert point["metrics"]["response_time"]["max"] >= 0.120
    assert report["forward"]["counts"]["outage_drops"] > 50


def test_what_the_emulator_cannot_stand_for_is_refused_where_the_scenario_says_it(sojourn, tmp_path):
    (tmp_path / "path.toml").write_text(PATH)
    relay = ["relay", "--to", "127.0.0.1:9", "--scenario", str(tmp_path / "path.toml")]

    both = sojourn(*relay, "--delay", "5 ms")
    other = sojourn(*relay, "--set", 'medium.path.queue={ kind = "codel" }')

    assert both.returncode == other.returncode == 2
    assert "--delay does not go with --scenario" in both.stderr
    assert "the emulator has a FIFO queue with tail drop, and that of `path` is another" in other.stderr
