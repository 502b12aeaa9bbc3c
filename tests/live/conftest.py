"""A listener as a user starts it, in a process of its own; two hosts on one link, captured by tshark."""

import contextlib
import itertools
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest

NEAR, FAR = "10.36.0.1", "10.36.0.2"
UNUSED = "10.36.0.{}"
UNHEARD = "import socket, sys; socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', (sys.argv[1], 9))"
"""A host that sends to an unused address sends ARP requests, and no packet leaves."""
FIRST_PORT, LAST_PORT = 20000, 32000
"""Below the ports that the system gives to those who ask for any (ip(7))."""
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# What an interface would fill in later, a capture shows as wrong: SIOCETHTOOL with ETHTOOL_STXCSUM and 0 (ethtool.h).
FILL_IN_CHECKSUMS = """
import array, fcntl, socket, struct
value = array.array("I", [0x17, 0])
request = struct.pack("16sP16x", b"wire", value.buffer_info()[0])
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8946, request)
"""


@dataclass
class Listener:
    process: Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])


@pytest.fixture
def begun(start) -> Callable[..., tuple[Popen[str], str]]:
    """Starts a server and returns it with its address once it prints where it listens."""

    def launch(*arguments: str, within: Sequence[str] = ()) -> tuple[Popen[str], str]:
        process = start(*arguments, within=within)
        message = process.stderr.readline()
        found = re.fullmatch(r"listening at (\S+); Ctrl-C ends it\n", message)
        assert found, message + process.stderr.read()
        return process, found[1]

    return launch


@pytest.fixture
def listener(begun) -> Callable[..., Listener]:
    """Starts `sojourn listen` and returns once it prints where it listens."""

    def launch(url: str, *arguments: str, within: Sequence[str] = ()) -> Listener:
        return Listener(*begun("listen", url, *arguments, within=within))

    return launch


@pytest.fixture
def free_port() -> Callable[[], int]:
    """Returns free UDP ports of this host, reserved until use."""
    ports = itertools.count(os.getpid() * 31)

    def free() -> int:
        while True:
            port = FIRST_PORT + next(ports) % (LAST_PORT - FIRST_PORT)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port

    return free


@pytest.fixture
def at_work(until) -> Callable[[Popen[str]], None]:
    """Waits until a listener has used a fifth of a second of CPU time: a transfer is in progress."""

    def wait(process: Popen[str]) -> None:
        def ticks() -> int:
            # the time that it took, behind its name in parentheses: proc(5)
            _, _, behind = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")
            return sum(int(word) for word in behind.split()[11:13])

        before = ticks()
        until(lambda: ticks() - before >= TICKS_PER_S / 5)

    return wait


@pytest.fixture
def answered(until) -> Callable[..., None]:
    """Reads the events of a measurement (--format jsonl) until this many requests were answered."""

    def wait(process: Popen[str], count: int) -> None:
        def enough() -> bool:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            event = json.loads(line)
            return event["type"] == "standing" and event["phases"][0]["answered"] >= count

        until(enough)

    return wait


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass(frozen=True)
class Host:
    """A network namespace, and the words that run a program in it."""

    name: str
    address: str

    @property
    def within(self) -> tuple[str, ...]:
        return ("ip", "netns", "exec", self.name)


@pytest.fixture
def hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts on one link, the local and the remote one."""
    names = [f"sojourn-{end}-{os.getpid()}" for end in ("near", "far")]
    near, far = (Host(name, address) for name, address in zip(names, (NEAR, FAR), strict=True))
    try:
        for host in (near, far):
            ip("netns", "add", host.name)
        ip("link", "add", "wire", "netns", near.name, "type", "veth", "peer", "name", "wire", "netns", far.name)
        for host in (near, far):
            ip("-n", host.name, "address", "add", f"{host.address}/24", "dev", "wire")
            ip("-n", host.name, "link", "set", "wire", "up")
            ip("-n", host.name, "link", "set", "lo", "up")
            subprocess.run([*host.within, sys.executable, "-c", FILL_IN_CHECKSUMS], check=True)
        yield near, far
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture
def capture(hosts, tmp_path, until) -> Iterator[Callable[..., list[tuple[str, ...]]]]:
    """Records everything on the wire; called at the end, it gives the named fields of every packet a filter shows."""
    file = tmp_path / "wire.pcapng"
    sniffer = Popen(
        [*hosts[0].within, "dumpcap", "-q", "-B", "64", "-i", "wire", "-w", str(file)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Capturing on" in sniffer.stderr.readline()

    def has_seen_all_until_now(number: int) -> None:
        unused = UNUSED.format(number)
        until(lambda: _asked_for(hosts[0], unused) and file.exists() and socket.inet_aton(unused) in file.read_bytes())

    has_seen_all_until_now(100)

    def fields(shown: str, *names: str) -> list[tuple[str, ...]]:
        if sniffer.poll() is None:
            has_seen_all_until_now(101)
            sniffer.terminate()
            sniffer.communicate(timeout=20)
        wanted = [word for name in names for word in ("-e", name)]
        checked = ["-o", "udp.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
        command = ["tshark", "-r", file, *checked, "-Y", shown, "-T", "fields", "-E", "occurrence=f", *wanted]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    yield fields
    sniffer.kill()
    sniffer.communicate()


def _asked_for(host: Host, unused: str) -> bool:
    """Makes a host send ARP requests for an unused address."""
    subprocess.run([*host.within, sys.executable, "-c", UNHEARD, unused], check=True)
    return True
