"""TCP of today beside the kernel's between network namespaces: through long queues, through FQ-CoDel, and with loss."""

import contextlib
import functools
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.nightly,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tc", package="iproute2"),
]
SECONDS = 60
NEAR, MIDDLE, FAR = (f"sojourn-tcp-{name}" for name in ("near", "middle", "far"))
RATE = "htb rate 10mbit ceil 10mbit burst 3200 cburst 3200"
CLASS = "htb rate 64kbit ceil 10mbit burst 3200 cburst 3200 quantum 1514"
SPACED = {"WMEM": "net.ipv4.tcp_wmem=4096 16384 4613734", "RMEM": "net.ipv4.tcp_rmem=4096 131072 8388608"}
"""Settings that are one argument."""
LINKS = f"""
ip -n {NEAR} link add near type veth peer name left netns {MIDDLE}
ip -n {MIDDLE} link add right type veth peer name far netns {FAR}
ip -n {NEAR} address add 10.38.1.1/24 dev near
ip -n {MIDDLE} address add 10.38.1.2/24 dev left
ip -n {MIDDLE} address add 10.38.2.1/24 dev right
ip -n {FAR} address add 10.38.2.2/24 dev far
ip -n {NEAR} link set near up gso_max_segs 1
ip -n {MIDDLE} link set left up gso_max_segs 1
ip -n {MIDDLE} link set right up gso_max_segs 1
ip -n {FAR} link set far up gso_max_segs 1
ip -n {NEAR} route add default via 10.38.1.2
ip -n {FAR} route add default via 10.38.2.1
ip netns exec {MIDDLE} sysctl -qw net.ipv4.ip_forward=1
ip netns exec {NEAR} sysctl -qw net.ipv4.tcp_no_metrics_save=1
ip netns exec {NEAR} sysctl -qw WMEM
ip netns exec {NEAR} sysctl -qw net.ipv4.tcp_sack=SACK
ip netns exec {FAR} sysctl -qw RMEM
tc -n {MIDDLE} qdisc add dev right root handle 1: htb default 10
tc -n {MIDDLE} class add dev right parent 1: classid 1:1 {RATE}
"""
QUEUES = {
    "fifo": f"""
tc -n {MIDDLE} class add dev right parent 1:1 classid 1:10 {RATE}
tc -n {MIDDLE} qdisc add dev right parent 1:10 pfifo limit 1000
""",
    "htb": f"""
tc -n {MIDDLE} class add dev right parent 1:1 classid 1:10 {CLASS}
tc -n {MIDDLE} class add dev right parent 1:1 classid 1:11 {CLASS}
tc -n {MIDDLE} qdisc add dev right parent 1:10 pfifo limit 500
tc -n {MIDDLE} qdisc add dev right parent 1:11 pfifo limit 500
tc -n {MIDDLE} filter add dev right parent 1: protocol ip u32 match ip dport 5001 0xffff flowid 1:11
""",
}
SIMULATED = {
    "fifo": 'kind = "fifo", limit = 1000',
    "htb": 'kind = "htb", limit = 500, rate = "64 kbit/s", ceil = "10 Mbit/s", burst = "3200 B", cburst = "3200 B"',
    "fq-codel": 'kind = "fq-codel"',
}
BUFFER = 4613734
"""Send buffer, bytes. The kernel takes twice as many, and 3.4 kB of them for a segment: 3.9 MB of data, where 4 MiB are
simulated. Left alone it lets the buffer grow to 1.36 times cwnd only, which without SACK ends recoveries sooner."""
TUNED = 0
"""The kernel sizes both buffers."""
RUNS = {True: 1, False: 3}
"""Of the kernel, of which the median counts: without SACK a run with a timeout repeats a window of segments."""
RETRANSMISSIONS = {True: 0.15, False: 0.35}
GOODPUT = {True: 0.03, False: 0.08}
"""Relative tolerances with and without SACK; without it the kernel differs from itself by a third and by 7 %."""
SINK = """
import socket, sys, threading
SO_RCVBUFFORCE = 33
def sink(listener):
    connection, _ = listener.accept()
    while connection.recv(1 << 16):
        pass
listeners = [socket.create_server((sys.argv[1], int(port))) for port in sys.argv[4:]]
for listener in listeners:
    if int(sys.argv[3]):
        listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4 << 20)
threads = [threading.Thread(target=sink, args=(listener,)) for listener in listeners]
[thread.start() for thread in threads]
print("ready", flush=True)
[thread.join() for thread in threads]
"""
SOURCE = """
import json, socket, struct, sys, threading, time
SO_SNDBUFFORCE = 32
end = time.monotonic() + float(sys.argv[2])
found = []
def send(port):
    with socket.socket() as tcp:
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        if int(sys.argv[3]):
            tcp.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, int(sys.argv[3]))
        tcp.connect((sys.argv[1], port))
        tcp.settimeout(1)
        while time.monotonic() < end:
            try:
                tcp.send(bytes(8192))
            except TimeoutError:
                pass
        info = tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        found.append((struct.unpack_from("I", info, 100)[0], struct.unpack_from("Q", info, 120)[0]))
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
threads = [threading.Thread(target=send, args=(int(port),)) for port in sys.argv[4:]]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps(found))
"""
SCENARIO = """
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "10 Gbit/s"
[[medium]]
name = "far"
rate = "1 Gbit/s"
queue = {{ {queue}, shaping = {{ rate = "10 Mbit/s", burst = "3200 B" }} }}
[[station]]
name = "a"
on = "near"
tcp = {{ sack = {sack} }}
[[station]]
name = "r"
type = "router"
on = ["near", "far"]
[[station]]
name = "b"
on = "far"
[probe]
from = "a"
to = "b"
size = "64 B"
think = "1 s"
think_spread = "100 ms"
[background]
from = "a"
to = "b"
streams = 2
[run]
duration = "{seconds} s"
warm_up = "0 s"
replications = 3
"""
LOSSY_PATH = Path(__file__).with_name("lossy_path.py")
LOSSY_SECONDS, TRANSFERS = 25, 4
LOSSY = """
[network]
kind = "ip"
[[medium]]
name = "path"
rate = "10 Gbit/s"
delay = "10.2 ms"
loss = "{loss} %"
[[station]]
name = "a"
on = "path"
[[station]]
name = "b"
on = "path"
[probe]
from = "b"
to = "a"
size = "64 B"
think = "1 s"
[background]
from = "a"
to = "b"
[run]
duration = "{seconds} s"
warm_up = "0 s"
replications = 30
"""
"""The path of `lossy_path.py` with 10 ms in each direction and the 0.2 ms that it is late at the mean."""


@contextlib.contextmanager
def namespaces(*names: str) -> Iterator[None]:
    """Network namespaces, removed at the end."""
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def transferred(
    near: str, far: str, address: str, seconds: int, ports: Sequence[int], buffer: int = TUNED
) -> tuple[int, int]:
    """Segments that the kernel retransmitted and bytes acknowledged, of a transfer to each port of `far`'s address."""

    def within(space: str, program: str) -> list[str]:
        words = [sys.executable, "-c", program, address, seconds, buffer, *ports]
        return ["ip", "netns", "exec", space, *map(str, words)]

    with subprocess.Popen(within(far, SINK), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as sink:
        assert sink.stdout.readline() == "ready\n"
        done = subprocess.run(within(near, SOURCE), capture_output=True, text=True, check=True, timeout=seconds + 30)
        sink.terminate()
    found = json.loads(done.stdout)
    return sum(retransmitted for retransmitted, _ in found), sum(acked for _, acked in found)


def behind_a_queue(queue: str, sack: bool) -> tuple[int, int]:
    """Two transfers of the kernel through a long queue."""
    with namespaces(NEAR, MIDDLE, FAR):
        for line in filter(None, (LINKS.replace("SACK", str(int(sack))) + QUEUES[queue]).splitlines()):
            subprocess.run([SPACED.get(word, word) for word in line.split(" ")], check=True)
        return transferred(NEAR, FAR, "10.38.2.2", SECONDS, (5001, 5002), BUFFER)


def behind_fq_codel(sack: bool) -> tuple[int, int]:
    """Two transfers of the kernel through an FQ-CoDel in user space."""
    with on_a_path("--rate", "10e6", "--delay", "0", "--loss", "0", "--fq-codel"):
        subprocess.run(["ip", "netns", "exec", NEAR, "sysctl", "-qw", f"net.ipv4.tcp_sack={int(sack)}"], check=True)
        return transferred(NEAR, FAR, "10.37.0.2", SECONDS, (5001, 5002), BUFFER)


@contextlib.contextmanager
def on_a_path(*arguments: str) -> Iterator[None]:
    """Two namespaces with a path in user space between them."""
    with (
        namespaces(NEAR, FAR),
        subprocess.Popen(
            [sys.executable, LOSSY_PATH, NEAR, FAR, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as path,
    ):
        assert path.stdout.readline() == "ready\n"
        keeps_nothing = ["sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1"]
        subprocess.run(["ip", "netns", "exec", NEAR, *keeps_nothing], check=True)
        yield
        path.communicate(timeout=20)


def with_loss(loss: float, seed: int) -> int:
    """Bytes acknowledged of a transfer of the kernel over a path that loses packets by chance."""
    with on_a_path("--rate", "10e9", "--limit", "1000000", "--loss", str(loss), "--seed", str(seed)):
        return transferred(NEAR, FAR, "10.37.0.2", LOSSY_SECONDS, (5001,))[1]


def simulated_metrics(sojourn, scenario: Path, folder: Path) -> dict:
    """The metrics of a run of a scenario."""
    done = sojourn("run", scenario, "--no-store", "--out", folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text())["points"][0]["metrics"]


@pytest.mark.parametrize("sack", [True, False], ids=["sack", "no-sack"])
@pytest.mark.parametrize("queue", ["fifo", "htb", "fq-codel"])
def test_retransmissions_and_goodput_behind_a_queue_are_the_kernels(queue, sack, sojourn, tmp_path):
    scenario = tmp_path / "transfers.toml"
    scenario.write_text(
        SCENARIO.format(queue=SIMULATED[queue], seconds=SECONDS, sack=str(sack).lower()), encoding="utf-8"
    )
    metrics = simulated_metrics(sojourn, scenario, tmp_path / "out")
    simulated = metrics["retransmissions"]["value"] / 3
    goodput = sum(metrics[f"throughput/background-{number}"]["value"] for number in (1, 2))
    measure = behind_fq_codel if queue == "fq-codel" else functools.partial(behind_a_queue, queue)
    runs = [measure(sack) for _ in range(RUNS[sack])]
    retransmitted, acked = (statistics.median(of) for of in zip(*runs, strict=True))
    kernels = 8 * acked / SECONDS
    print(f"\nsimulated {simulated:.0f} segments, {goodput / 1e6:.2f} Mbit/s")
    print(f"the kernel {retransmitted} segments, {kernels / 1e6:.2f} Mbit/s; {runs}")
    assert simulated == pytest.approx(retransmitted, rel=RETRANSMISSIONS[sack])
    assert goodput == pytest.approx(kernels, rel=GOODPUT[sack])


@pytest.mark.parametrize("loss", [0.2, 0.5, 1])
def test_goodput_with_random_loss_is_the_kernels(loss, sojourn, tmp_path):
    scenario = tmp_path / "lossy.toml"
    scenario.write_text(LOSSY.format(loss=loss, seconds=LOSSY_SECONDS), encoding="utf-8")
    metrics = simulated_metrics(sojourn, scenario, tmp_path / "out")
    goodput = metrics["throughput/background-1"]["value"]
    acked = [with_loss(loss / 100, 2 * transfer) for transfer in range(TRANSFERS)]
    kernels = 8 * statistics.mean(acked) / LOSSY_SECONDS
    print(f"\n{loss} % lost: {goodput / 1e6:.2f} Mbit/s simulated, {kernels / 1e6:.2f} of the kernel")
    # four transfers of 25 s differ from each other by a fifth
    assert goodput == pytest.approx(kernels, rel=0.15)
