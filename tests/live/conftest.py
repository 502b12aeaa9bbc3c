"""A listener as a user starts it, in a process of its own; two hosts on one wire, and what tshark says of it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from subprocess import Popen

import pytest

NEAR, FAR = "10.36.0.1", "10.36.0.2"
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
def listener(start) -> Callable[..., Listener]:
    """Starts `sojourn listen` and returns once it says where it listens."""

    def launch(url: str, *arguments: str, within: Sequence[str] = ()) -> Listener:
        process = start("listen", url, *arguments, within=within)
        told = process.stderr.readline()
        found = re.fullmatch(r"listening at (\S+); Ctrl-C ends it\n", told)
        assert found, told + process.stderr.read()
        return Listener(process, found[1])

    return launch


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
    """Two hosts on one wire, the near and the far one."""
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
def capture(hosts, tmp_path) -> Iterator[Callable[..., list[tuple[str, ...]]]]:
    """Records everything on the wire; called at the end, it gives the named fields of every packet a filter shows."""
    file = tmp_path / "wire.pcapng"
    sniffer = Popen(
        [*hosts[0].within, "dumpcap", "-q", "-B", "64", "-i", "wire", "-w", str(file)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Capturing on" in sniffer.stderr.readline()
    time.sleep(0.5)

    def fields(shown: str, *names: str) -> list[tuple[str, ...]]:
        if sniffer.poll() is None:
            time.sleep(1)  # the sniffer hands over what it holds once a second
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
