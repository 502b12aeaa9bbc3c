"""A path with delay and random loss between two network namespaces, and one transfer over it by the kernel's TCP.

    python lossy_path.py LOSS DELAY_S SECONDS SEED

Both namespaces have a TUN device; this process carries their packets, each after the delay, unless it is lost. It runs
with the priority of real time, so that a busy machine does not lengthen the path. It prints the bytes acknowledged.
"""

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

CLONE_NEWNET, TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x40000000, 0x400454CA, 1, 0x1000
ENDS = {"sojourn-lossy-near": ("10.39.0.1", "10.39.0.2"), "sojourn-lossy-far": ("10.39.0.2", "10.39.0.1")}
NEAR, FAR = ENDS
SINK = """
import socket
connection, _ = socket.create_server(("10.39.0.2", 5001)).accept()
while connection.recv(1 << 16):
    pass
"""
SOURCE = """
import socket, struct, sys, time
with socket.socket() as tcp:
    tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    tcp.connect(("10.39.0.2", 5001))
    tcp.settimeout(1)
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        try:
            tcp.send(bytes(1 << 16))
        except TimeoutError:
            pass
    print(struct.unpack_from("Q", tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 120)[0])
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
"""


def tun(space: str) -> int:
    """A TUN device in a namespace, up and with its address; its file, without blocking."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open() as own, Path("/run/netns", space).open() as other:
        if libc.setns(other.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"path", IFF_TUN | IFF_NO_PI))
        libc.setns(own.fileno(), CLONE_NEWNET)
    address, peer = ENDS[space]
    subprocess.run(["ip", "-n", space, "address", "add", address, "peer", peer, "dev", "path"], check=True)
    subprocess.run(["ip", "-n", space, "link", "set", "path", "up", "txqueuelen", "1000"], check=True)
    return device


def carry(ends: tuple[int, int], loss: float, delay: float, seed: str, stop: threading.Event) -> None:
    """Carries packets until `stop`; each direction has its own random numbers."""
    lost = {end: random.Random(f"{seed} {number}") for number, end in enumerate(ends)}
    to = dict(zip(ends, reversed(ends), strict=True))
    poll, number, flying = select.poll(), itertools.count(), []
    for end in ends:
        poll.register(end, select.POLLIN)
    while not stop.is_set():
        wait = flying[0][0] - time.monotonic() if flying else 0.1
        for end, _ in poll.poll(max(0.0, 1000 * wait)):
            packet = os.read(end, 2000)
            if lost[end].random() >= loss:
                heapq.heappush(flying, (time.monotonic() + delay, next(number), to[end], packet))
        while flying and flying[0][0] <= time.monotonic():
            os.write(*heapq.heappop(flying)[2:])


def main() -> None:
    loss, delay, seconds, seed = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4]
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    stop = threading.Event()
    try:
        for space in ENDS:
            subprocess.run(["ip", "netns", "add", space], check=True)
        path = threading.Thread(target=carry, args=((tun(NEAR), tun(FAR)), loss, delay, seed, stop))
        path.start()
        quiet = ["ip", "netns", "exec", NEAR, "sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1"]
        subprocess.run(quiet, check=True)
        python = [sys.executable, "-c"]
        with subprocess.Popen(["ip", "netns", "exec", FAR, *python, SINK]) as sink:
            time.sleep(1)
            subprocess.run(["ip", "netns", "exec", NEAR, *python, SOURCE, seconds], check=True)
            sink.terminate()
        stop.set()
        path.join()
    finally:
        stop.set()
        for space in ENDS:
            subprocess.run(["ip", "netns", "delete", space], check=False)


if __name__ == "__main__":
    main()
