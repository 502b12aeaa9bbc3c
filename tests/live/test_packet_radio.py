"""AX.25 in UDP datagrams between two processes on loopback: `sojourn agent` answers, `sojourn measure` measures."""

import json
import re
import signal
import socket

import pytest

ON_AIR = ("--airtime", "60 s", "--profile", "g3ruh-9600")
FAST = ("--set", "medium.bit_rate=1 Mbit/s", "--set", "medium.txdelay=0 s")


@pytest.fixture
def agent(start, free_port):
    """A remote station, and its URL."""
    port = free_port()
    process = start("agent", f"axudp://127.0.0.1:{port}", "--callsign", "PONG-1", *ON_AIR, *FAST, "--format", "json")
    message = process.stderr.readline()
    assert re.fullmatch(rf"listening at 127.0.0.1:{port} as PONG-1; Ctrl-C ends it\n", message), message
    return process, f"axudp://127.0.0.1:{port}/PONG-1?local={free_port()}"


def test_round_trips_of_several_sizes_have_the_form_of_results_and_an_axis(sojourn, agent, tmp_path):
    _, url = agent
    done = sojourn(
        "measure", url, "--callsign", "PING-1", *ON_AIR, *FAST, "--exchanges", "5", "--exchange-size", "64 B,1 KiB",
        "--replications", "2", "--out", "out",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out/results.json").read_text())
    assert (results["schema"], results["world"], results["network"]) == (1, "live", "axudp")
    assert results["axes"] == {"probe.size": {"unit": "B"}}
    for point, size in zip(results["points"], (64, 1024), strict=True):
        assert (point["experiment"], point["set"], point["replications"]) == ("ping-pong", {"probe.size": size}, 2)
        assert point["metrics"]["response_time"]["count"] == 10
        assert point["metrics"]["connect_time"]["count"] == 2
        assert point["metrics"]["airtime"]["value"] > 0
    assert (tmp_path / "out/report.html").exists()


def test_ctrl_c_ends_the_link_with_disc_and_the_remote_station_reports_the_session(start, agent, at_work, tmp_path):
    far, url = agent
    options = ("--exchanges", "100000", "--exchange-size", "8 KiB", "--pcap", "air.pcap")
    near = start("measure", url, "--callsign", "PING-1", *ON_AIR, *FAST, *options)
    at_work(far)

    near.send_signal(signal.SIGINT)
    _, stderr = near.communicate(timeout=60)
    assert near.returncode == 130, stderr
    frames = (tmp_path / "air.pcap").read_bytes()
    # DISC with P from PING-1 to PONG-1
    disc = frames.rfind(bytes.fromhex("a09e9c8e4040e2a0929c8e40406353"))
    identification = frames.rfind(b"\x03\xf0PING-1 Sojourn")
    assert 0 < disc < identification, "DISC, and then who it was"
    far.send_signal(signal.SIGINT)
    stdout, _ = far.communicate(timeout=60)
    visitor = json.loads(stdout.splitlines()[0])
    assert (visitor["kind"], visitor["peer"], visitor["ended"]) == ("visitor", "PING-1", "ended by the other station")


def test_a_listener_gives_what_it_heard_as_results_and_as_a_table(start, free_port):
    port = free_port()
    listener = start(
        "listen", f"axudp://127.0.0.1:{port}", "--profile", "afsk-1200", "--count", "1", "--format", "json"
    )
    assert "listening at" in listener.stderr.readline()
    # a SABM from PING-1 to PONG-1 with its check sequence
    frame = bytes.fromhex("a09e9c8e4040e2a0929c8e4040633f")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as station:
        station.sendto(frame + check_sequence(frame), ("127.0.0.1", port))
    stdout, stderr = listener.communicate(timeout=60)

    assert listener.returncode == 0, stderr
    (point,) = json.loads(stdout)["points"]
    assert point["experiment"] == "listening"
    assert point["metrics"]["packets/PING-1>PONG-1"]["value"] == 1
    assert point["metrics"]["utilisation"]["value"] > 0


def check_sequence(frame: bytes) -> bytes:
    register = 0xFFFF
    for octet in frame:
        register ^= octet
        for _ in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1
    return (~register & 0xFFFF).to_bytes(2, "little")


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["axudp://127.0.0.1:1/PONG-1"], ["the channel's parameters are missing", "--profile afsk-1200"]),
        (
            ["axudp://127.0.0.1:1/PONG-1", "--profile", "afsk-1200"],
            ["transmitting needs a callsign", "an airtime budget"],
        ),
        (["axudp://127.0.0.1:1/PONG-1", "--profile", "afsk-12000"], ["no profile `afsk-12000`", "did you mean"]),
        (["axudp://127.0.0.1:1/PONG-16", *ON_AIR, "--callsign", "PING-1"], ["`PONG-16` is not a callsign"]),
        (["axudp://127.0.0.1:1", *ON_AIR, "--callsign", "PING-1"], ["the far station is missing"]),
        (["axudp://127.0.0.1:1/PONG-1", *ON_AIR, "--callsign", "N0CALL"], ["is a placeholder"]),
        (
            ["axudp://127.0.0.1:1/PONG-1", *ON_AIR, "--callsign", "PING-1", "--airtime", "61 s"],
            ["`airtime` is 61 s, outside its range"],
        ),
        (["axudp://127.0.0.1:1/PONG-1", *ON_AIR, "--callsign", "PING-1", "--size", "1 MiB"], ["has no table `xtp`"]),
        (["axudp://127.0.0.1:1/A", *ON_AIR, "--callsign", "B", "--probe", "pong"], ['`probe` is "pong"', "ping-pong"]),
        (["axudp://127.0.0.1:1/A", *ON_AIR, "--callsign", "B", "--set", "station.paclen=0 B"], ["paclen"]),
        (["axudp://127.0.0.1:1/A?vai=B", *ON_AIR, "--callsign", "B"], ["no option `vai`", "did you mean `via`?"]),
        (["kiss+tcp://127.0.0.1:1/A", *ON_AIR, "--callsign", "B"], ["no TNC listens at 127.0.0.1:1"]),
        (["kiss+serial:///dev/nonesuch?baud=9600/A", *ON_AIR, "--callsign", "B"], ["there is no device"]),
        (["kiss+serial:///dev/null?baud=9600/A", *ON_AIR, "--callsign", "B"], ["is not a serial line"]),
        (["kiss+serial:///dev/null?baud=9601/A", *ON_AIR, "--callsign", "B"], ["`9601` is not a serial line speed"]),
        (["xtp+udp://127.0.0.1:1", "--callsign", "B"], ["has no table `on_air`"]),
    ],
)
def test_a_mistake_is_shown_and_nothing_is_transmitted(sojourn, arguments, messages):
    done = sojourn("measure", *arguments)
    assert done.returncode == 2, done.stderr
    for message in messages:
        assert message in done.stderr


def test_for_xtp_the_responder_is_listen(sojourn):
    done = sojourn("agent", "xtp+udp://127.0.0.1:0")
    assert done.returncode == 2
    assert "its reflector is `listen`" in done.stderr
