"""What the path does to packets, against what a path of the test's own did to them."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATH = Path(__file__).with_name("lossy_path.py")


class Middle:
    """A path for datagrams on the loopback that is rebound once: from then on the agent sees another port."""

    def __init__(self, agent: str, rebound_after: float) -> None:
        host, port = agent.rsplit(":", 1)
        self.agent = (host, int(port))
        self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.near.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.near.getsockname()[1]}"
        self.far = [self._upstream()]
        self.client: tuple[str, int] | None = None
        self.rebound_after, self.first, self.rebound = rebound_after, 0.0, 0.0
        self.runs = True
        self.thread = threading.Thread(target=self._forward)
        self.thread.start()

    def _upstream(self) -> socket.socket:
        found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        found.bind(("127.0.0.1", 0))
        return found

    def _forward(self) -> None:
        for one in (self.near, self.far[0]):
            one.setblocking(False)
        while self.runs:
            is_idle = True
            for one in (self.near, self.far[-1]):
                try:
                    datagram, sender = one.recvfrom(65536)
                except BlockingIOError:
                    continue
                is_idle = False
                if one is self.near:
                    self._outward(datagram, sender)
                elif self.client:
                    self.near.sendto(datagram, self.client)
            if is_idle:
                time.sleep(0.0005)

    def _outward(self, datagram: bytes, sender: tuple[str, int]) -> None:
        now = time.monotonic()
        self.client = sender
        if datagram[20] == PROBE:
            self.first = self.first or now
            if not self.rebound and now - self.first >= self.rebound_after:
                self.rebound = now
                self.far.append(self._upstream())
                self.far[-1].setblocking(False)
        self.far[-1].sendto(datagram, self.agent)

    def ports(self) -> list[int]:
        return [one.getsockname()[1] for one in self.far]

    def close(self) -> None:
        self.runs = False
        self.thread.join()
        for one in (self.near, *self.far):
            one.close()


PROBE = 6
"""Kind of a probe, octet 20 of a packet of sojourn://."""


@pytest.fixture
def middle() -> Iterator[Callable[[str, float], Middle]]:
    made = []

    def begin(agent: str, rebound_after: float) -> Middle:
        made.append(Middle(agent, rebound_after))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def findings(output: str) -> list[dict]:
    return json.loads(output)["path"]


def test_nat_that_is_rebound_is_found_with_its_time_and_both_ports(begun, sojourn, middle):
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    path = middle(agent, 2.0)

    schedule = ("--duration", "6 s", "--rate", "50 /s", "--timeout", "300 ms")
    done = sojourn("measure", f"sojourn://{path.address}", *schedule, "--format", "json")

    assert done.returncode == 0, done.stderr
    (found,) = [one for one in findings(done.stdout) if one["finding"] == "rebinding"]
    old, new = path.ports()
    assert (found["values"]["old"], found["values"]["new"]) == (f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    assert found["at"] == pytest.approx(path.rebound - path.first, abs=0.1)


def test_the_findings_are_a_statement_of_the_answer_and_nothing_is_said_of_a_plain_path(begun, sojourn, tmp_path):
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    plain = sojourn("measure", f"sojourn://{agent}", "--duration", "2 s")
    assert "What the path does to packets" not in plain.stdout
    _, relay = begun("relay", "--to", agent, "--delay", "5 ms", "--reordering", "5 %", "--reorder-delay", "25 ms")

    done = sojourn("measure", f"sojourn://{relay}", "--duration", "3 s", "--rate", "100 /s", "--out", "results")

    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "What the path does to packets:" in said
    assert "packets are overtaken in the forward direction" in said and "(reordering extent)" in said
    report = (tmp_path / "results" / "report.html").read_text()
    assert "What the path does to packets" in report


@pytest.fixture
def across(request, tmp_path) -> Iterator[Callable[..., tuple[str, str]]]:
    """Two namespaces with a path between them that drops long packets or bleaches DSCP; their names."""
    names = [f"sojourn-{end}-{request.node.name[:8]}" for end in ("near", "far")]
    started = []
    for name in names:
        made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
        if made.returncode:
            pytest.skip("needs the rights to create network namespaces")
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)

    def begin(*words: str) -> tuple[str, str]:
        command = [sys.executable, str(PATH), *names, "--loss", "0", "--delay", "0.005", "--rate", "1e9", *words]
        path = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(path)
        assert path.stdout.readline() == "ready\n"
        return names[0], names[1]

    yield begin
    for path in started:
        path.communicate(timeout=20)
    for name in names:
        subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def within(name: str) -> tuple[str, ...]:
    return ("ip", "netns", "exec", name)


@pytest.fixture
def agent_across(across, begun, tmp_path) -> Callable[..., tuple[str, Path]]:
    """An agent behind such a path: the namespace that measures, and the key."""

    def begin(*words: str) -> tuple[str, Path]:
        near, far = across(*words)
        key = tmp_path / "sojourn.key"
        key.touch(mode=0o600)
        key.write_text("zQ3vK9pLr7XwTn2bYc8FhJd6Gm4RsV1aUe5WiOx0ABC=")
        begun("agent", "sojourn://10.37.0.2", "--key-file", str(key), within=within(far))
        return near, key

    return begin


def test_the_path_mtu_lies_between_the_sizes_that_pass_and_vanish(agent_across, start):
    near, key = agent_across("--mtu", "1400")
    measuring = start("measure", "sojourn://10.37.0.2", "--key-file", key, "--duration", "1 s", "--rate", "50 /s",
                      "--exchange-size", "64 B,1300 B,1390 B,1472 B", "--timeout", "500 ms", "--format", "json",
                      within=within(near))  # fmt: skip
    output, errors = measuring.communicate(timeout=120)

    (found,) = [one for one in findings(output) if one["finding"] == "mtu"]
    assert (found["values"]["least"], found["values"]["most"]) == (1328, 1417), errors
    assert found["values"]["least"] <= 1400 <= found["values"]["most"]
    assert found["text"].startswith("path MTU between 1328 and 1417 B")


def test_a_dscp_that_is_bleached_in_one_direction_is_found_in_that_direction(agent_across, start):
    near, key = agent_across("--tos-forward", "0")
    measuring = start("measure", "sojourn://10.37.0.2", "--key-file", key, "--duration", "1 s", "--rate", "50 /s",
                      "--dscp", "46", "--format", "json", within=within(near))  # fmt: skip
    output, errors = measuring.communicate(timeout=120)

    assert measuring.returncode == 0, errors
    (found,) = [one for one in findings(output) if one["finding"] == "dscp"]
    values = found["values"]
    assert (found["direction"], values["sent"], values["received"]) == ("forward", 46, 0)
    assert values["packets"] == values["of"] == 50
