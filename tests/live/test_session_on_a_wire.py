"""A session between two network namespaces: its packets as tshark decodes them, and the error where UDP is blocked."""

import json
import re
import signal
import subprocess
from collections import Counter
from itertools import accumulate

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tshark", package="tshark"),
]
PORT = "18620"
UDP_HEADER = 8
CONTROL, PROBE, LOAD = 128, 100, 1200
"""Octets of a packet that opens or closes a session, of a probe, and of a datagram of the load."""
GOOD = "1"


@pytest.fixture
def serve(hosts, start):
    """Starts an agent on the far host, by default one that serves everyone, and returns once it listens."""

    def launch(*options: str) -> None:
        process = start("agent", f"sojourn://{hosts[1].address}", *(options or ["--open"]), within=hosts[1].within)
        message = process.stderr.readline()
        assert re.fullmatch(r"listening at \S+; Ctrl-C ends it\n", message), message + process.stderr.read()

    return launch


@pytest.fixture
def measure(hosts, tool, tmp_path, environment):
    """Runs `sojourn measure` on the near host, against the far one, by default its agent."""

    def run(*arguments: str, url: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [*hosts[0].within, tool, "measure", url or f"sojourn://{hosts[1].address}", *arguments]
        settings = {"cwd": tmp_path, "env": environment, "timeout": 300, "text": True, "capture_output": True}
        return subprocess.run(command, check=False, **settings)

    return run


def test_every_packet_of_a_session_is_whole_of_the_length_asked_for_and_at_the_agent_s_port(
    serve, hosts, measure, capture
):
    near, far = hosts
    serve()

    done = measure(
        "--exchange-size", f"{PROBE} B", "--rate", "100 /s", "--dscp", "46", "--ecn", "2",
        "--load", "tcp:1,pace=1 Mbit/s", "--load", f"udp:200 kbit/s,size={LOAD} B",
        "--idle", "1 s", "--duration", "2 s", "--recovery", "0 s",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    names = ("ip.src", "udp.length", "udp.checksum.status", "udp.srcport", "udp.dstport", "ip.dsfield.dscp")
    packets = [(source, int(length) - UDP_HEADER, *rest) for source, length, *rest in capture("udp and ip", *names)]
    there = [packet for packet in packets if packet[0] == near.address]
    back = [packet for packet in packets if packet[0] == far.address]
    lengths = Counter(length for _, length, *_ in there)
    assert 300 < lengths[PROBE] <= 310, "100 a second for three seconds, and those that fetch the last residence times"
    assert 1 <= lengths[LOAD] <= 42, "two seconds of 200 kbit/s are 41.7 datagrams of 1200 octets"
    assert set(lengths) == {CONTROL, PROBE, LOAD}
    assert {port for *_, port, _ in there} == {port for _, _, _, port, *_ in back} == {PORT}
    assert {status for _, _, status, *_ in packets} == {GOOD}, "every checksum is right"
    assert {mark for _, length, *_, mark in packets if length == PROBE} == {"46"}, "both directions are treated alike"
    others = capture(f"ip and not udp.port == {PORT} and not tcp.port == {PORT}", "ip.src")
    assert others == [], "a session needs the agent's one port over UDP and TCP, and nothing else"


def test_load_carries_its_dscp_over_udp_and_tcp_and_requests_keep_theirs(serve, hosts, measure, capture):
    near, _ = hosts
    serve()

    done = measure(
        "--exchange-size", f"{PROBE} B", "--dscp", "46",
        "--load", f"udp:200 kbit/s,size={LOAD} B,dscp=8", "--load", "tcp:1,pace=1 Mbit/s,dscp=10",
        "--idle", "1 s", "--duration", "2 s", "--recovery", "0 s",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    names = ("ip.src", "udp.length", "ip.dsfield.dscp")
    there = [packet for packet in capture(f"udp.port == {PORT} and ip", *names) if packet[0] == near.address]
    marks = {
        octets: {mark for _, length, mark in there if int(length) - UDP_HEADER == octets} for octets in (PROBE, LOAD)
    }
    assert marks == {PROBE: {"46"}, LOAD: {"8"}}
    segments = capture(f"tcp.port == {PORT} and tcp.len > 1000", "ip.src", "ip.dsfield.dscp")
    assert {mark for source, mark in segments if source == near.address} == {"10"}


def test_load_that_the_peer_sends_carries_its_dscp_over_udp_and_tcp(serve, hosts, measure, capture, tmp_path):
    _, far = hosts
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2 + "fedcba9876543210" * 2 + "\n")
    key.chmod(0o600)
    # an agent that serves everyone sends no datagrams of load
    serve("--key-file", str(key))

    done = measure(
        "--exchange-size", f"{PROBE} B", "--key-file", str(key),
        "--load", f"udp:200 kbit/s,down,size={LOAD} B,dscp=8", "--load", "tcp:1,down,pace=1 Mbit/s,dscp=10",
        "--idle", "1 s", "--duration", "2 s", "--recovery", "0 s",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    packets = capture(f"udp.port == {PORT} and ip", "ip.src", "udp.length", "ip.dsfield.dscp")
    load = {mark for source, length, mark in packets if source == far.address and int(length) - UDP_HEADER == LOAD}
    assert load == {"8"}
    segments = capture(f"tcp.port == {PORT} and tcp.len > 1000", "ip.src", "ip.dsfield.dscp")
    assert {mark for source, mark in segments if source == far.address} == {"10"}


def test_an_agent_that_serves_everyone_never_sends_more_than_it_was_sent(serve, hosts, measure, capture):
    near, _ = hosts
    serve()

    done = measure("--exchange-size", f"{PROBE} B", "--duration", "1 s")

    assert done.returncode == 0, done.stderr
    octets = [(source, int(length)) for source, length in capture(f"udp.port == {PORT}", "ip.src", "udp.length")]
    assert sum(source != near.address for source, _ in octets) >= 100
    balance = accumulate(length if source == near.address else -length for source, length in octets)
    assert min(balance) >= 0, "at no instant has it sent more than it got"


def test_over_tcp_every_request_and_every_answer_is_a_segment_of_its_own(serve, hosts, measure, capture):
    near, _ = hosts
    serve()

    # one at a time: what waits to be sent leaves in one segment
    done = measure(
        "--transport", "tcp", "--schedule", "ping-pong", "--think", "5 ms",
        "--exchange-size", f"{PROBE} B", "--dscp", "46", "--duration", "1 s", "--timeout", "30 s", "--format", "json",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    (point,) = json.loads(done.stdout)["points"]
    requests = point["metrics"]["response_time"]["count"]
    segments = capture(f"tcp.port == {PORT} and tcp.len > 0", "ip.src", "tcp.len", "ip.dsfield.dscp")
    there = [(int(length), mark) for source, length, mark in segments if source == near.address]
    back = [int(length) for source, length, _ in segments if source != near.address]
    # one more fetches the residence time of the last reply
    assert Counter(length for length, _ in there) == Counter(back) == {CONTROL: 1, PROBE: requests + 1}
    assert {mark for _, mark in there} == {"46"}
    assert all(int(length) - UDP_HEADER == CONTROL for (length,) in capture(f"udp.port == {PORT}", "udp.length"))


def test_segments_lost_on_the_link_are_reported_as_retransmissions(serve, hosts, start, answered, until):
    near, far = hosts
    serve()
    command = ("measure", f"sojourn://{far.address}", "--transport", "tcp", "--duration", "600 s", "--format", "jsonl")
    process = start(*command, within=near.within)
    answered(process, 50)

    neighbour = ["ip", "-n", near.name, "neighbour"]
    # frames to an unused hardware address are lost
    wrong = ["replace", far.address, "lladdr", "02:00:00:00:00:00", "dev", "wire"]
    subprocess.run([*neighbour, *wrong], check=True)
    state = [*near.within, "ss", "-Htino", "dst", far.address]
    until(lambda: "retrans:" in subprocess.run(state, capture_output=True, text=True, check=True).stdout)
    subprocess.run([*neighbour, "delete", far.address, "dev", "wire"], check=True)
    process.send_signal(signal.SIGINT)
    message, _ = process.communicate(timeout=60)

    (point,) = json.loads(message.splitlines()[-1])["results"]["points"]
    assert point["metrics"]["retransmissions"]["value"] > 0
    assert point["metrics"]["srtt"]["value"] > 0


def test_a_firewall_that_drops_udp_is_diagnosed_by_what_passes(serve, hosts, measure):
    _, far = hosts
    serve()
    # what comes for this port over UDP is dropped silently; TCP passes
    for words in ("del pref 0", "add pref 20 lookup local", f"add pref 10 ipproto udp dport {PORT} blackhole"):
        subprocess.run(["ip", "-n", far.name, "rule", *words.split()], check=True, capture_output=True)

    done = measure("--duration", "1 s")

    message = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 1
    assert "no UDP response, but an agent responds over TCP: UDP datagrams are lost on the path" in message
    assert f"if a firewall drops them, allow UDP port {PORT} in both directions" in message


def of_version_6(host, own: str, *more: str) -> None:
    """Gives a host of the link an IPv6 address, and more settings of `ip -6`."""
    for words in (f"address add {own}/64 dev wire nodad", *more):
        subprocess.run(["ip", "-n", host.name, "-6", *words.split()], check=True)


@pytest.mark.parametrize(
    ("bound", "asked"), [("0.0.0.0", "10.9.0.22"), ("[::]", "10.9.0.22"), ("[::]", "[fd00:9::22]")]
)
def test_an_agent_answers_at_every_address_of_its_host(hosts, start, measure, bound, asked):
    near, far = hosts
    if asked.startswith("["):
        of_version_6(near, "fd00:8::1", "route add fd00:9::22/128 via fd00:8::2")
        of_version_6(far, "fd00:8::2", "address add fd00:9::22/128 dev lo")
    else:
        subprocess.run(["ip", "-n", far.name, "address", "add", f"{asked}/32", "dev", "lo"], check=True)
        subprocess.run(["ip", "-n", near.name, "route", "add", f"{asked}/32", "via", far.address], check=True)
    for command in (("agent", f"sojourn://{bound}", "--open"), ("listen", f"stamp://{bound}")):
        assert "listening" in start(*command, within=far.within).stderr.readline()

    short = ("--duration", "1 s", "--format", "json")
    load = ("--load", "tcp:1,down,pace=1 Mbit/s", "--idle", "1 s", "--recovery", "0 s")
    for url, *options in (
        (f"sojourn://{asked}", *load),
        (f"sojourn://{asked}", "--transport", "tcp"),
        (f"stamp://{asked}",),
    ):
        done = measure(*short, *options, url=url)

        assert done.returncode == 0, done.stderr
        points = json.loads(done.stdout)["points"]
        assert all(point["metrics"]["loss"]["value"] == 0 for point in points), done.stdout
