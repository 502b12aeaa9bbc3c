"""XTP as IP protocol 36 between two network namespaces, and what tshark says of every packet."""

import os
import subprocess
import time
from collections import Counter

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tshark", package="tshark"),
]
NEAR, FAR = "10.36.0.1", "10.36.0.2"
FORMATS = {0: "DATA", 1: "CNTL", 2: "FIRST", 3: "ECNTL", 5: "TCNTL", 7: "JCNTL", 8: "DIAG"}


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def namespaces():
    """Two hosts on one wire, as the words that run a program on each."""
    names = [f"sojourn-{end}-{os.getpid()}" for end in ("near", "far")]
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", "wire", "netns", names[0], "type", "veth", "peer", "name", "wire", "netns", names[1])
        for name, address in zip(names, (NEAR, FAR), strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "wire")
            ip("-n", name, "link", "set", "wire", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield [("ip", "netns", "exec", name) for name in names]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture
def measure(namespaces, tool, tmp_path, environment):
    """Runs `sojourn measure` on the near host, against the far one unless told otherwise."""

    def run(*arguments: str, address: str = FAR) -> subprocess.CompletedProcess[str]:
        command = [*namespaces[0], tool, "measure", f"xtp+ip://{address}", *arguments]
        settings = {"cwd": tmp_path, "env": environment, "timeout": 120, "text": True, "capture_output": True}
        return subprocess.run(command, check=False, **settings)

    return run


@pytest.fixture
def capture(namespaces, tmp_path):
    """Records everything on the wire; called at the end, it gives the named fields of every XTP packet."""
    file = tmp_path / "wire.pcapng"
    sniffer = subprocess.Popen(
        [*namespaces[0], "dumpcap", "-q", "-B", "64", "-i", "wire", "-w", str(file)], stderr=subprocess.PIPE, text=True
    )
    assert "Capturing on" in sniffer.stderr.readline()
    time.sleep(0.5)

    def fields(*names: str) -> list[tuple[str, ...]]:
        time.sleep(1)  # the sniffer hands over what it holds once a second
        sniffer.terminate()
        sniffer.communicate(timeout=20)
        wanted = [word for name in names for word in ("-e", name)]
        command = ["tshark", "-r", file, "-Y", "ip.proto == 36", "-T", "fields", "-E", "occurrence=f", *wanted]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    yield fields
    sniffer.kill()
    sniffer.communicate()


def test_a_transfer_through_loss_arrives_and_every_packet_has_a_good_checksum(listener, namespaces, measure, capture):
    listener(f"xtp+ip://{FAR}", within=namespaces[1])

    done = measure("--exchanges", "50", "--size", "10 MiB", "--inject-loss", "5 %")

    assert done.returncode == 0, done.stderr
    assert "10 MiB in" in done.stderr and "intact (SHA-256" in done.stderr
    packets = capture("xtp.checksum.status", "xtp.cmd.ptype.pformat", "_ws.malformed", "_ws.expert.severity")
    assert len(packets) > 7282, "10 MiB are 7282 packets of 1440 bytes"
    assert Counter(status for status, *_ in packets) == {"1": len(packets)}, "1 is Good"
    assert Counter(malformed for *_, malformed, _ in packets) == {"": len(packets)}
    assert Counter(severity for *_, severity in packets) == {"": len(packets)}
    seen = {FORMATS[int(form, 0)] for _, form, *_ in packets}
    assert {"FIRST", "DATA", "CNTL", "ECNTL", "TCNTL"} <= seen
    print(f"\n{done.stderr}")


def test_a_host_without_a_listener_says_so(measure):
    done = measure("--exchanges", "1")
    assert done.returncode == 1
    assert f"cannot reach {FAR}: its host answered that nobody listens for this IP protocol" in done.stderr


def test_one_address_for_both_ends_is_refused(measure):
    done = measure("--exchanges", "1", address=NEAR)
    assert done.returncode == 2
    assert f"{NEAR} would be the address of both ends" in done.stderr


def test_packets_larger_than_the_wire_takes_are_cut_by_ip_and_still_arrive(listener, namespaces, measure):
    listener(f"xtp+ip://{FAR}", within=namespaces[1])
    done = measure("--size", "2 MiB", "--packet-size", "8 KiB")
    assert done.returncode == 0, done.stderr
