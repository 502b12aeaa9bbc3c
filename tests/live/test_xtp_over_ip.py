"""XTP as IP protocol 36 between two network namespaces, and what tshark says of every packet."""

import subprocess
from collections import Counter

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tshark", package="tshark"),
]
FORMATS = {0: "DATA", 1: "CNTL", 2: "FIRST", 3: "ECNTL", 5: "TCNTL", 7: "JCNTL", 8: "DIAG"}


@pytest.fixture
def measure(hosts, tool, tmp_path, environment):
    """Runs `sojourn measure` on the local host, by default against the remote one."""

    near, far = hosts

    def run(*arguments: str, address: str = far.address) -> subprocess.CompletedProcess[str]:
        command = [*near.within, tool, "measure", f"xtp+ip://{address}", *arguments]
        settings = {"cwd": tmp_path, "env": environment, "timeout": 300, "text": True, "capture_output": True}
        return subprocess.run(command, check=False, **settings)

    return run


def test_a_transfer_through_loss_arrives_and_every_packet_has_a_good_checksum(listener, hosts, measure, capture):
    _, far = hosts
    listener(f"xtp+ip://{far.address}", within=far.within)

    done = measure("--exchanges", "50", "--size", "10 MiB", "--inject-loss", "5 %")

    assert done.returncode == 0, done.stderr
    assert "10 MiB in" in done.stderr and "intact (SHA-256" in done.stderr
    fields = ("xtp.checksum.status", "xtp.cmd.ptype.pformat", "_ws.malformed", "_ws.expert.severity")
    packets = capture("ip.proto == 36", *fields)
    assert len(packets) > 7282, "10 MiB are 7282 packets of 1440 bytes"
    assert Counter(status for status, *_ in packets) == {"1": len(packets)}, "1 is Good"
    assert Counter(malformed for *_, malformed, _ in packets) == {"": len(packets)}
    assert Counter(severity for *_, severity in packets) == {"": len(packets)}
    seen = {FORMATS[int(form, 0)] for _, form, *_ in packets}
    assert {"FIRST", "DATA", "CNTL", "ECNTL", "TCNTL"} <= seen
    print(f"\n{done.stderr}")


def test_a_host_without_a_listener_says_so(measure, hosts):
    done = measure("--exchanges", "1")
    assert done.returncode == 1
    assert f"cannot reach {hosts[1].address}: no listener for this IP protocol" in done.stderr


def test_one_address_for_both_ends_is_refused(measure, hosts):
    near, _ = hosts
    done = measure("--exchanges", "1", address=near.address)
    assert done.returncode == 2
    assert f"{near.address} would be the address of both ends" in done.stderr


def test_packets_larger_than_the_wire_takes_are_cut_by_ip_and_still_arrive(listener, hosts, measure):
    _, far = hosts
    listener(f"xtp+ip://{far.address}", within=far.within)
    done = measure("--size", "2 MiB", "--packet-size", "8 KiB")
    assert done.returncode == 0, done.stderr
