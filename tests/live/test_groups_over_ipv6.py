"""IPv6 multicast groups on a link between two hosts: joined and probed at an interface given by name or address."""

import json
import subprocess

import pytest

pytestmark = [pytest.mark.network_namespaces, pytest.mark.peer("ip", package="iproute2")]
ASKER, FIRST, SECOND = "2001:db8::1", "2001:db8::2", "2001:db8::3"
PORT = 17017
LONG_TIMEOUT = ("--duration", "1 s", "--timeout", "10 s")


@pytest.fixture
def members(hosts, listener):
    """Gives the hosts addresses of IPv6, and starts two members of a group on the far one."""

    def join(group: str) -> None:
        near, far = hosts
        for host, address in ((near, ASKER), (far, FIRST), (far, SECOND)):
            command = ["ip", "-n", host.name, "address", "add", f"{address}/64", "dev", "wire", "nodad"]
            subprocess.run(command, check=True, capture_output=True)
        for address in (FIRST, SECOND):
            listener(f"udp-echo://[{group}]:{PORT}?interface={address}", within=far.within)

    return join


@pytest.fixture
def ask(hosts, start, tmp_path):
    """Measures a group from the near host; the metrics of its one point."""

    def measure(group: str, *arguments: str) -> dict[str, dict[str, float]]:
        out = tmp_path / "out"
        url = f"udp-echo://[{group}]:{PORT}"
        process = start("measure", url, *LONG_TIMEOUT, "--out", str(out), *arguments, within=hosts[0].within)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr
        (point,) = json.loads((out / "results.json").read_text())["points"]
        return point["metrics"]

    return measure


@pytest.mark.parametrize(
    ("joined", "asked", "arguments"),
    [
        ("ff02::77%wire", "ff02::77%wire", []),
        ("ff02::77", "ff02::77", ["--bind", ASKER]),
        ("ff05::77", "ff05::77%wire", []),
    ],
    ids=["of a link, named at both ends", "of a link, by an address of each end", "of a site"],
)
def test_every_member_of_a_group_responds(members, ask, joined, asked, arguments):
    members(joined)

    metrics = ask(asked, *arguments)

    assert {name for name in metrics if name.startswith("response_time/")} == {
        f"response_time/[{address}]:{PORT}" for address in (FIRST, SECOND)
    }
    for address in (FIRST, SECOND):
        assert metrics[f"response_time/[{address}]:{PORT}"]["count"] == 100
        assert metrics[f"loss/[{address}]:{PORT}"]["value"] == 0
    assert metrics["transaction_time"]["count"] == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", f"udp-echo://[ff02::77]:{PORT}"], "name the interface, [ff02::77%eth0]"),
        (["listen", f"udp-echo://[ff02::77]:{PORT}"], "name the interface, [ff02::77%eth0]"),
        (["measure", f"udp-echo://[ff02::77]:{PORT}", "--bind", ASKER], f"this host has no address {ASKER}"),
        (["listen", f"udp-echo://[ff05::77]:{PORT}?interface={ASKER}"], f"this host has no address {ASKER}"),
        (["measure", f"udp-echo://[ff02::77%nowhere]:{PORT}"], "this host has no interface `nowhere`"),
    ],
)
def test_a_group_without_an_interface_is_refused(sojourn, arguments, message):
    done = sojourn(*arguments)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
