"""A path with rate, delay, queue and loss between two network namespaces, in user space.

The kernel may have no netem, and no FQ-CoDel.

Opens a TUN device in each of two namespaces and forwards packets of IP between them, with the priority of real time, so
that a busy machine does not lengthen the path. Prints `ready` once both are up; at the end of its standard input it
prints how many packets each direction forwarded, dropped at the full queue, and lost by chance or in the outage.
"""

import argparse
import collections
import ctypes
import fcntl
import json
import math
import os
import random
import select
import struct
import subprocess
import sys
import time
from pathlib import Path

from fq_codel import FqCodel

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
CLONE_NEWNET = 0x40000000
FRAMING_BYTES = 38
IPV4 = 4


def tun(namespace: str, address: str, peer: str) -> int:
    """A TUN device `wire` in a namespace."""
    with Path(f"/run/netns/{namespace}").open("rb") as file:
        assert ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) == 0
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"wire", IFF_TUN | IFF_NO_PI))
    for words in (f"address add {address} peer {peer} dev wire", "link set wire up txqueuelen 1000"):
        subprocess.run(["ip", *words.split()], check=True)
    return device


def remarked(packet: bytes, traffic_class: int) -> bytes:
    """A packet of IPv4 with another traffic class, and the checksum of that header."""
    if packet[0] >> 4 != IPV4:
        return packet
    length = 4 * (packet[0] & 15)
    header = bytearray(packet[:length])
    header[1], header[10:12] = traffic_class, b"\0\0"
    total = sum(struct.unpack(f"!{length // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    header[10:12] = struct.pack("!H", ~total & 0xFFFF)
    return bytes(header) + packet[length:]


class Direction:
    """One direction of the path."""

    def __init__(self, into: int, arguments: argparse.Namespace, seed: int) -> None:
        self.into = into
        self.arguments = arguments
        self.random = random.Random(seed)
        self.began = time.monotonic()
        self.down_from, self.down_until = (self.began + at for at in arguments.outage)
        self.mtu, self.traffic_class = getattr(arguments, "mtu", math.inf), None
        self.is_cut = False
        self.free_at = 0.0
        self.leaving: list[float] = []
        self.in_flight: collections.deque[tuple[float, bytes]] = collections.deque()
        self.counts = {"forwarded": 0, "dropped": 0, "lost": 0}

    def take(self, packet: bytes, now: float) -> None:
        """Puts a packet into the queue, on the link, and in flight; drops it during the outage."""
        self.cut(now)
        if self.down_from <= now < self.down_until:
            self.counts["lost"] += 1
            return
        if len(packet) > self.mtu:
            self.counts["lost"] += 1
            return
        if self.traffic_class is not None:
            packet = remarked(packet, self.traffic_class)
        self.leaving = [at for at in self.leaving if at > now]
        if len(self.leaving) > self.arguments.limit:
            self.counts["dropped"] += 1
            return
        self.free_at = max(self.free_at, now) + 8 * (len(packet) + FRAMING_BYTES) / self.arguments.rate
        self.leaving.append(self.free_at)
        if self.random.random() < self.arguments.loss:
            self.counts["lost"] += 1
            return
        self.in_flight.append((self.free_at, packet))

    def cut(self, now: float) -> None:
        """As the outage begins, loses what is queued and being sent; what is on the wire arrives, as simulated."""
        if self.is_cut or now < self.down_from:
            return
        self.is_cut = True
        while self.in_flight and self.in_flight[-1][0] > self.down_from:
            self.in_flight.pop()
            self.counts["lost"] += 1
        self.free_at, self.leaving = self.down_from, []

    def due(self) -> float:
        """When there is something to deliver."""
        return self.in_flight[0][0] + self.arguments.delay if self.in_flight else math.inf

    def deliver(self, now: float) -> None:
        """Hands over what has arrived."""
        self.cut(now)
        while self.in_flight and self.in_flight[0][0] + self.arguments.delay <= now:
            os.write(self.into, self.in_flight.popleft()[1])
            self.counts["forwarded"] += 1


class FairDirection(Direction):
    """A direction whose queue is FQ-CoDel."""

    def __init__(self, into: int, arguments: argparse.Namespace, seed: int) -> None:
        super().__init__(into, arguments, seed)
        self.scheduler = FqCodel(arguments.rate)

    def take(self, packet: bytes, now: float) -> None:
        """Puts a packet into its flow's queue."""
        self.scheduler.put(packet, now)

    def due(self) -> float:
        """When there is something to send or to deliver."""
        waits = self.scheduler.new or self.scheduler.old
        return min(super().due(), self.scheduler.link_free if waits else math.inf)

    def deliver(self, now: float) -> None:
        """Sends the packets whose turn has come, and hands over what has arrived."""
        self.in_flight.extend((now, packet) for packet in self.scheduler.leaving(now))
        self.counts["dropped"] = self.scheduler.dropped
        super().deliver(now)


def main() -> None:
    """Forwards until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("near")
    parser.add_argument("far")
    parser.add_argument("--rate", type=float, default=20e6, help="bit/s")
    parser.add_argument("--delay", type=float, default=0.01, help="s")
    parser.add_argument("--loss", type=float, default=0.005)
    parser.add_argument("--limit", type=int, default=100, help="packets")
    parser.add_argument("--fq-codel", action="store_true", help="before the link from near to far")
    parser.add_argument("--outage", type=float, nargs=2, default=(0.0, 0.0), help="s, its begin and end")
    parser.add_argument("--mtu", type=float, default=math.inf, help="bytes; longer packets vanish")
    parser.add_argument("--tos-forward", type=int, help="traffic class that packets get from near to far")
    parser.add_argument("--seed", type=int, default=1, help="of the losses; the next one is the other direction's")
    arguments = parser.parse_args()
    if arguments.fq_codel and any(arguments.outage):
        parser.error("an outage needs the FIFO queue")
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    near = tun(arguments.near, "10.37.0.1", "10.37.0.2")
    far = tun(arguments.far, "10.37.0.2", "10.37.0.1")
    forward = FairDirection if arguments.fq_codel else Direction
    directions = {near: forward(far, arguments, arguments.seed), far: Direction(near, arguments, arguments.seed + 1)}
    directions[near].traffic_class = arguments.tos_forward
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        wait = max(0.0, min(now + 1.0, *(direction.due() for direction in directions.values())) - now)
        readable, _, _ = select.select([near, far, sys.stdin], [], [], wait)
        if sys.stdin in readable:
            break
        for device in readable:
            for _ in range(64):
                try:
                    packet = os.read(device, 65536)
                except BlockingIOError:
                    break
                directions[device].take(packet, time.monotonic())
        for direction in directions.values():
            direction.deliver(time.monotonic())
    print(json.dumps([direction.counts for direction in directions.values()]))


if __name__ == "__main__":
    main()
