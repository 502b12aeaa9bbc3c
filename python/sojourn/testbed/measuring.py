"""Measures on a testbed with the tool itself: an agent at one end, a load and a probe at the other."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sojourn.errors import RunFailed
from sojourn.testbed.plan import PACKETS, SERVER_ADDRESS, WINDOW, Setup, stream_class
from sojourn.testbed.site import Site, call

AGENT_PORT = 18620
URL = f"sojourn://{SERVER_ADDRESS}"
THINK_MS, SPREAD_MS = 2, 3
"""Minimum think time and its random spread: a constant think time would synchronise with the packets of the load."""
SAMPLES, QUICK_SAMPLES = 300, 100
SHORTEST_S, LONGEST_S, QUICK_LONGEST_S = 2.0, 40.0, 8.0
"""Bounds of the probe duration per size: enough samples, within reason for long queues."""
TRUNK_BIT_RATE = 100e6
BEGIN_S = 6.0
"""From the start of the load to the first probe: calibration and slow start of the streams."""
SETTLING_S = 15.0
"""Settling time before the first probe with auto-tuned windows: CUBIC leaves slow start early and then takes seconds to
fill a queue of a thousand packets."""
STOP_S = 5.0
PER_SIZE_S = 4.0
"""What each size takes beyond its probe: calibration, and the session's set-up and end."""
AGENT_S = 1800
"""Maximum lifetime of an agent that is not stopped."""
NICENESS = -15
"""Priority of the measuring processes, if permitted."""


CPU_LATENCY = Path("/dev/cpu_dma_latency")


def can_disable_cpu_idle() -> bool:
    """Whether CPU idle states can be disabled: with them, load would make the hosts faster by keeping CPUs awake."""
    return os.access(CPU_LATENCY, os.W_OK)


class Tool:
    """The tool itself, running in a namespace."""

    def __init__(self, namespace: str, arguments: list[str], key: str) -> None:
        """Starts it in a session of its own, so that Ctrl-C reaches only this process, which stops it."""
        self.name = f"`sojourn {' '.join(arguments)}`"
        self._stderr = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115 - closed when it has ended
        self._process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, *_priority(), sys.executable, "-m", "sojourn", *arguments],
            env=os.environ | {"SOJOURN_KEY": key},
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
            start_new_session=True,
        )

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def finish(self, limit: float) -> None:
        """Waits until it ends; `RunFailed` on an error or after `limit` seconds."""
        try:
            status = self._process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"{self.name} did not end within {limit:.0f} s") from None
        if status != 0:
            raise RunFailed(f"{self.name} failed: {self.last_line()}")

    def last_line(self) -> str:
        """The last line of its standard error."""
        self._stderr.seek(0)
        lines = [line for line in self._stderr.read().splitlines() if line.strip()]
        return lines[-1] if lines else "no output"

    def stop(self) -> None:
        """Terminates it if it still runs, and kills it after a timeout."""
        if not self.has_ended:
            self._process.terminate()
            try:
                self._process.wait(timeout=STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._stderr.close()


@dataclass(frozen=True)
class Load:
    """A number of streams, and the sizes to probe under that load."""

    streams: int
    sizes: Sequence[int]
    quick: bool = False

    def seconds(self, setup: Setup) -> float:
        """The probe duration per size."""
        samples, longest = (QUICK_SAMPLES, QUICK_LONGEST_S) if self.quick else (SAMPLES, LONGEST_S)
        waiting = min(self.streams * (setup.buffer or WINDOW), PACKETS * setup.mtu) if setup.queue == "fifo" else 0
        each = (THINK_MS + SPREAD_MS / 2) / 1e3 + 8 * (waiting + self.streams * setup.frame) / TRUNK_BIT_RATE
        return min(max(samples * each, SHORTEST_S), longest)


class Bench:
    """A testbed with its agent, ready to be measured."""

    def __init__(self, site: Site) -> None:
        """Uses an existing site."""
        self._site = site
        self._key = secrets.token_hex(32)

    @contextlib.contextmanager
    def serving(self) -> Iterator[None]:
        """Runs the agent for the duration of the context."""
        agent = self._start(self._site.names.server, ["agent", URL, "--duration", f"{AGENT_S} s"])
        try:
            self._wait_for(agent)
            yield
        finally:
            agent.stop()

    def measure(self, load: Load, out: Path) -> tuple[Path, Path | None]:
        """Probes every size under load; returns the folders of the probe's and the load's results."""
        seconds = load.seconds(self._site.setup)
        probe, loaded = out / "probe", out / "load"
        if load.streams == 0:
            self._probe(load, seconds, probe)
            return probe, None
        settling = 0.0 if self._site.setup.buffer else SETTLING_S
        whole = BEGIN_S + settling + (seconds + PER_SIZE_S) * len(load.sizes) + BEGIN_S
        with self._loading(load, whole, loaded):
            time.sleep(settling)
            self._probe(load, seconds, probe)
        return probe, loaded

    def _probe(self, load: Load, seconds: float, out: Path) -> None:
        sizes = ",".join(f"{size} B" for size in load.sizes)
        think = ["--think", f"{THINK_MS} ms", "--set", f"probe.think_spread={SPREAD_MS} ms"]
        options = ["--schedule", "ping-pong", *think, "--exchange-size", sizes]
        limit = 30 + (seconds + PER_SIZE_S) * len(load.sizes)
        self._run(
            ["measure", URL, *options, *_no_cpu_idle(), "--duration", f"{seconds:.1f} s", "--out", str(out)], limit
        )

    @contextlib.contextmanager
    def _loading(self, load: Load, seconds: float, out: Path) -> Iterator[None]:
        setup = self._site.setup
        streams = f"tcp:{load.streams},up,congestion={setup.congestion}"
        options = ["--load", streams, "--idle", "0 s", "--recovery", "0 s", "--rate", "1 /s"]
        command = ["measure", URL, *options, *_no_cpu_idle(), "--duration", f"{seconds:.0f} s", "--out", str(out)]
        tool = self._start(self._site.names.client, command)
        try:
            self._classify_streams(load.streams, tool)
            yield
            if tool.has_ended:
                raise RunFailed(f"{tool.name} ended before the probe did: {tool.last_line()}")
            # it writes its results at the end of its duration
            tool.finish(seconds + 30)
        finally:
            tool.stop()

    def _classify_streams(self, count: int, tool: Tool) -> None:
        """Waits until all streams are connected, and assigns each to its class if there are classes."""
        until = time.monotonic() + 3 * BEGIN_S
        while len(ports := self._ports()) < count:
            if tool.has_ended or time.monotonic() > until:
                raise RunFailed(f"{len(ports)} of {count} streams connected; {tool.name}: {tool.last_line()}")
            time.sleep(0.05)
        if self._site.setup.classes > 1:
            for number, port in enumerate(ports):
                for command in stream_class(self._site.names, number, port):
                    call(command)

    def _ports(self) -> list[int]:
        """The source ports of connections to the agent."""
        command = ["ss", "-Htn", "state", "established", f"( dport = :{AGENT_PORT} )"]
        listed = call(["ip", "netns", "exec", self._site.names.client, *command])
        return sorted(int(line.split()[2].rsplit(":", 1)[1]) for line in listed.splitlines())

    def _wait_for(self, agent: Tool) -> None:
        until = time.monotonic() + 3 * BEGIN_S
        listening = ["ip", "netns", "exec", self._site.names.server, "ss", "-Hltn", f"( sport = :{AGENT_PORT} )"]
        while not call(listening).strip():
            if agent.has_ended or time.monotonic() > until:
                raise RunFailed(f"the agent did not start: {agent.last_line()}")
            time.sleep(0.05)

    def _run(self, arguments: list[str], limit: float) -> None:
        tool = self._start(self._site.names.client, arguments)
        try:
            tool.finish(limit)
        finally:
            tool.stop()

    def _start(self, namespace: str, arguments: list[str]) -> Tool:
        return Tool(namespace, arguments, self._key)


def _no_cpu_idle() -> list[str]:
    return ["--no-cpu-idle"] if can_disable_cpu_idle() else []


def _priority() -> list[str]:
    return ["nice", "-n", str(NICENESS)] if os.geteuid() == 0 else []
