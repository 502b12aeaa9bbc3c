"""The four hosts of a testbed as iproute2 commands; this module runs none of them.

::

    client c0 | s0 near s1 | r1 far r0 | e0 server        three networks, 10.77.1.0/24 to 10.77.3.0/24

The queue is on both ends of the middle link, `s1` and `r1`, where the hosts' own stacks apply no back-pressure to the
senders. A veth pair has no rate, so a token bucket (HTB) limits it: it adds no serialisation delay, and passes a burst
of two packets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = list[str]
Queue = Literal["fifo", "borrow", "assured"]

ETHERNET = 14
"""Bytes of an Ethernet header, which HTB counts and the MTU does not."""
TRUNK = "100mbit"
LEAF_RATES = {"fifo": TRUNK, "borrow": "64kbit", "assured": "25mbit"}
"""`rate` of a class: all of it; so little that every backlogged class borrows, which HTB serves by DRR; or a quarter,
below which a class is served even if the root has no tokens."""
BURSTS = {1500: 3200, 9180: 18600}
"""`burst` of the link in bytes, by MTU: slightly more than two packets."""
ASSURED_BURST = 1600
"""`burst` of a class in bytes: small, so that an echo has to borrow."""
PACKETS = 1000
"""Queue limit of each leaf in packets."""
CLASSES = 4
"""Number of per-flow classes: the first for the probe, the others for the streams."""
BUFFER_SLACK = {1500: 2, 9180: 1.24}
"""Socket buffer per byte of window, by MTU. The kernel accounts for a packet's whole memory and advertises the rest:
half of the buffer (socket(7)) for small packets, and 81 % for large ones, as measured by the bytes in flight of a
single transfer that filled a queue."""
WINDOW = 4 << 20
"""Maximum bytes in flight of a socket with auto-tuned buffers."""
SEND_SLACK = {1500: 1.6, 9180: 1.1}
"""The same for sending, by MTU: accounted memory per byte of data."""
CLIENT_ADDRESS = "10.77.1.1"
SERVER_ADDRESS = "10.77.3.2"


@dataclass(frozen=True)
class Setup:
    """One configuration of the testbed."""

    queue: Queue
    congestion: str
    """Congestion control of the senders' sockets."""
    mtu: int
    buffer: int | None = None
    """Socket buffer size in bytes; None for auto-tuning up to `WINDOW`."""

    @property
    def frame(self) -> int:
        """Bytes of the largest frame, as HTB counts it."""
        return self.mtu + ETHERNET

    @property
    def burst(self) -> int:
        """`burst` of the link in bytes."""
        return BURSTS.get(self.mtu, 2 * self.frame)

    @property
    def classes(self) -> int:
        """Number of leaf classes of the link."""
        return 1 if self.queue == "fifo" else CLASSES


@dataclass(frozen=True)
class Names:
    """The namespaces of one run."""

    client: str
    near: str
    far: str
    server: str

    @classmethod
    def of(cls, run: str) -> Names:
        """Names unique to this run."""
        return cls(*(f"{run}-{role}" for role in ("client", "near", "far", "server")))

    @property
    def all(self) -> tuple[str, str, str, str]:
        """All four, in the order of the path."""
        return (self.client, self.near, self.far, self.server)


def commands(names: Names, setup: Setup) -> list[Command]:
    """The commands that set up the testbed, in order, after its namespaces exist."""
    return [
        *_links(names, setup),
        *_routes(names),
        *_settings(names, setup),
        *_trunk(names.near, "s1", setup),
        *_trunk(names.far, "r1", setup),
        *_probe_class(names.near, "s1", setup),
        *_probe_class(names.far, "r1", setup),
    ]


def stream_class(names: Names, number: int, port: int) -> list[Command]:
    """Assigns the stream from a client port to a class of its own, in both directions."""
    flow = f"1:{11 + number % (CLASSES - 1)}"
    matches = [(names.near, "s1", "sport"), (names.far, "r1", "dport")]
    return [
        _filter(
            namespace,
            device,
            2,
            ["match", "ip", "protocol", "6", "0xff", "match", "ip", end, str(port), "0xffff"],
            flow,
        )
        for namespace, device, end in matches
    ]


def _links(names: Names, setup: Setup) -> list[Command]:
    ends = [
        ((names.client, "c0"), (names.near, "s0")),
        ((names.near, "s1"), (names.far, "r1")),
        ((names.far, "r0"), (names.server, "e0")),
    ]
    made: list[Command] = []
    for (one, device), (other, far_device) in ends:
        made.append(
            ["ip", "link", "add", device, "netns", one, "type", "veth", "peer", "name", far_device, "netns", other]
        )
        # the queue limit is in packets: disable GSO, whose 64 KiB bursts would count as one
        sizes = ["mtu", str(setup.mtu), "gso_max_size", str(setup.frame), "gso_max_segs", "1"]
        made += [
            ["ip", "-n", name, "link", "set", end, *sizes, "up"] for name, end in ((one, device), (other, far_device))
        ]
    return made + [["ip", "-n", name, "link", "set", "lo", "up"] for name in names.all]


def _routes(names: Names) -> list[Command]:
    addresses = [
        (names.client, "c0", f"{CLIENT_ADDRESS}/24"),
        (names.near, "s0", "10.77.1.2/24"),
        (names.near, "s1", "10.77.2.1/24"),
        (names.far, "r1", "10.77.2.2/24"),
        (names.far, "r0", "10.77.3.1/24"),
        (names.server, "e0", f"{SERVER_ADDRESS}/24"),
    ]
    routes = [
        (names.client, "default", "10.77.1.2"),
        (names.near, "10.77.3.0/24", "10.77.2.2"),
        (names.far, "10.77.1.0/24", "10.77.2.1"),
        (names.server, "default", "10.77.3.1"),
    ]
    return [["ip", "-n", name, "address", "add", address, "dev", device] for name, device, address in addresses] + [
        ["ip", "-n", name, "route", "add", where, "via", via] for name, where, via in routes
    ]


def _settings(names: Names, setup: Setup) -> list[Command]:
    forwarding = [_sysctl(name, "net.ipv4.ip_forward=1") for name in (names.near, names.far)]
    # what one run's connections learned of the path must not begin the next one's
    values = ["net.ipv4.tcp_no_metrics_save=1"]
    if setup.buffer is not None:
        size = round(setup.buffer * BUFFER_SLACK[setup.mtu])
        # the least, the first and the largest alike: nothing is left to tune
        values += [f"net.ipv4.tcp_{end}mem=4096 {size} {size}" for end in ("w", "r")]
    else:
        values.append(f"net.ipv4.tcp_wmem=4096 16384 {round(WINDOW * SEND_SLACK[setup.mtu])}")
        values.append(f"net.ipv4.tcp_rmem=4096 131072 {round(WINDOW * BUFFER_SLACK[setup.mtu])}")
    return forwarding + [_sysctl(name, value) for name in (names.client, names.server) for value in values]


def _sysctl(name: str, value: str) -> Command:
    return ["ip", "netns", "exec", name, "sysctl", "-q", "-w", value]


def _trunk(name: str, device: str, setup: Setup) -> list[Command]:
    """The token bucket of the link, and its leaves.

    A leaf may send at its ceiling as much at once as the link: with less it would lose what the link keeps whenever the
    host pauses, and a single transfer, held back by its own ceiling, would leave tokens for everyone else.
    """
    burst, frame = str(setup.burst), str(setup.frame)
    bucket = ["rate", TRUNK, "ceil", TRUNK, "burst", burst, "cburst", burst, "quantum", frame]
    made = [
        _tc(name, "qdisc", device, "root", "handle", "1:", "htb", "default", "10"),
        _tc(name, "class", device, "parent", "1:", "classid", "1:1", "htb", *bucket),
    ]
    assured = burst if setup.queue == "fifo" else str(ASSURED_BURST)
    leaf = ["rate", LEAF_RATES[setup.queue], "ceil", TRUNK, "burst", assured, "cburst", burst, "quantum", frame]
    for number in range(10, 10 + setup.classes):
        made.append(_tc(name, "class", device, "parent", "1:1", "classid", f"1:{number}", "htb", *leaf))
        pfifo = ["handle", f"{number}:", "pfifo", "limit", str(PACKETS)]
        made.append(_tc(name, "qdisc", device, "parent", f"1:{number}", *pfifo))
    return made


def _probe_class(name: str, device: str, setup: Setup) -> list[Command]:
    """UDP is the probe's alone; by protocol, since the later fragments of a datagram have no ports."""
    if setup.queue == "fifo":
        return []
    return [_filter(name, device, 1, ["match", "ip", "protocol", "17", "0xff"], "1:10")]


def _filter(name: str, device: str, priority: int, match: list[str], flow: str) -> Command:
    head = ["parent", "1:", "protocol", "ip", "prio", str(priority), "u32"]
    return _tc(name, "filter", device, *head, *match, "flowid", flow)


def _tc(name: str, kind: str, device: str, *rest: str) -> Command:
    return ["tc", "-n", name, kind, "add", "dev", device, *rest]
