"""A testbed as a context manager: created on entry, removed on exit in all cases."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import FrameType, TracebackType

from sojourn.errors import RunFailed
from sojourn.testbed.plan import Command, Names, Setup, commands

PREFIX = "sojourn"
"""Namespaces are named sojourn-PID-ROLE, so that those of a killed run can be identified."""
CAPABILITIES = {12: "CAP_NET_ADMIN", 21: "CAP_SYS_ADMIN"}
"""Capabilities needed to create namespaces, links and queues, by bit (capabilities(7))."""
TOOLS = {"ip": "iproute2", "tc": "iproute2", "sysctl": "procps", "ss": "iproute2"}
"""Required commands and their Debian packages."""
STATUS = Path("/proc/self/status")
TIMEOUT_S = 20
ENDINGS = (signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
"""Windows, which reads what a testbed measured, has no SIGHUP."""
SIGNALS = (signal.SIGINT, *ENDINGS)


class Site:
    """Four namespaces and the links between them, for one run."""

    def __init__(self, setup: Setup) -> None:
        """Does not create anything yet."""
        self.setup = setup
        self.names = Names.of(f"{PREFIX}-{os.getpid()}")
        self._handlers: dict[signal.Signals, object] = {}

    def __enter__(self) -> Site:
        """Creates the testbed; `RunFailed` names what is missing."""
        refuse_without_means()
        remove_orphans()
        for number in ENDINGS:
            self._handlers[number] = signal.signal(number, _interrupt)
        try:
            for name in self.names.all:
                call(["ip", "netns", "add", name])
            for command in commands(self.names, self.setup):
                call(command)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the testbed."""
        self._remove()

    def _remove(self) -> None:
        # a second Ctrl-C must not interrupt the removal
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            for name in self.names.all:
                remove(name)
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)  # type: ignore[arg-type]
            self._handlers.clear()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def refuse_without_means() -> None:
    """`RunFailed` with the missing capability or command."""
    status = STATUS.read_text(encoding="ascii").splitlines()
    effective = int(next(line.split()[1] for line in status if line.startswith("CapEff:")), 16)
    missing = [name for bit, name in CAPABILITIES.items() if not effective >> bit & 1]
    if missing:
        raise RunFailed(
            f"a testbed of network namespaces needs {' and '.join(missing)}: run it as root, or in a container that "
            "has these capabilities"
        )
    absent = {package: tool for tool, package in TOOLS.items() if shutil.which(tool) is None}
    if absent:
        absent_tools = ", ".join(f"`{tool}` (Debian package {package})" for package, tool in absent.items())
        raise RunFailed(f"a testbed of network namespaces needs {absent_tools}")


def remove_orphans() -> None:
    """Removes the namespaces of killed runs."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    for line in listed.stdout.splitlines():
        name = line.split()[0] if line.split() else ""
        parts = name.split("-")
        if len(parts) == 3 and parts[0] == PREFIX and parts[1].isdigit() and not Path(f"/proc/{parts[1]}").exists():
            remove(name)


def remove(name: str) -> None:
    """Removes a namespace and its links, if it exists."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, timeout=TIMEOUT_S, check=False)


def call(command: Command) -> str:
    """Runs a command and returns its output; `RunFailed` with its error output if it fails."""
    shown = " ".join(command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise RunFailed(f"`{shown}` did not end within {TIMEOUT_S} s") from None
    if done.returncode != 0:
        raise RunFailed(f"`{shown}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
