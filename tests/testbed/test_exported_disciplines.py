"""What `sojourn export --netem` writes is read by tc of iproute2 and, where the kernel has it, set."""

import re
import subprocess
from dataclasses import replace

import pytest

from sojourn.labs import netem
from sojourn.labs.network import Direction, Jitter, Queue

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tc", package="iproute2"),
]
FIFO = Queue(kind="fifo", parameters={}, packets=100, octets=None, shaping=None, early=False)
TIMES = {"quantum": 1514, "flows": 1024, "target_s": 0.005, "interval_s": 0.1, "ecn": True}
GAINS = {"target_s": 0.015, "tupdate_s": 0.015, "alpha": 0.125, "beta": 1.25, "ecn": True}
LINK = Direction(
    medium="uplink",
    from_="router",
    to="provider",
    rate=20_000_000,
    delay_s=0.00500005,
    jitter=Jitter("uniform", mean_s=0.002, deviation_s=None, most_s=0.004),
    reorders=False,
    loss=0.0125,
    recorded_losses=False,
    mtu=1500,
    overhead=38,
    counted=14,
    queue=FIFO,
    trace=None,
)
DIRECTIONS = {
    "fifo": LINK,
    "normal": replace(LINK, jitter=Jitter("normal", mean_s=0.003, deviation_s=0.0005, most_s=None)),
    "unlimited": replace(LINK, rate=None),
    "octets": replace(LINK, queue=replace(FIFO, packets=None, octets=30_000)),
    "shaped": replace(LINK, rate=None, queue=replace(FIFO, shaping={"rate": 2_000_000, "burst": 3200})),
    "codel": replace(LINK, queue=replace(FIFO, kind="codel", parameters=TIMES)),
    "fq-codel": replace(LINK, queue=replace(FIFO, kind="fq-codel", parameters=TIMES)),
    "pie": replace(LINK, queue=replace(FIFO, kind="pie", parameters=GAINS)),
}
MISSING = re.compile(r"Specified qdisc kind is unknown|Failed to find specified qdisc")
"""What the kernel says of a discipline that it lacks, or of one below such; tc has read the arguments by then."""


def within_a_namespace(commands: list[str]) -> tuple[list[str], str]:
    """Runs commands of tc on one end of a link of their own: what each of them says, and what is set in the end."""
    lines = ["ip link add near type veth peer name far", "ip link set near up"]
    lines += [f"tc qdisc replace dev near {command} 2>&1 | tr '\\n' ' '; echo" for command in commands]
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", "\n".join([*lines, "tc qdisc show dev near"])],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    said = done.stdout.splitlines()
    return said[: len(commands)], " ".join(said[len(commands) :])


@pytest.mark.parametrize("name", list(DIRECTIONS))
def test_tc_reads_every_argument(name):
    said, _ = within_a_namespace([" ".join(one) for one in netem.impairment(DIRECTIONS[name]).disciplines])

    assert all(line.strip() == "" or MISSING.search(line) for line in said), said


def test_tc_refuses_an_argument_that_it_does_not_know():
    (said,), _ = within_a_namespace(["root handle 1: netem dilay 5ms"])

    assert "dilay" in said
    assert not MISSING.search(said)


def test_a_token_bucket_of_the_kernel_has_the_rate_and_the_overhead_of_the_link():
    (_, bucket) = netem.impairment(DIRECTIONS["octets"]).disciplines

    (said,), found = within_a_namespace([" ".join(["root", *bucket[2:]])])

    if MISSING.search(said):
        pytest.skip("this kernel has no token bucket filter")
    assert said.strip() == ""
    assert "tbf" in found
    assert "rate 20Mbit" in found
    assert "overhead 24" in found
