"""The connection to a scheduler, or to a cluster of processes of this host."""

from __future__ import annotations

import contextlib
import logging
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from sojourn import platforms
from sojourn.cluster.inert import reading
from sojourn.errors import RunFailed, UserError
from sojourn.extras import require

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10.0
CLOSE_S = 10.0
LOST_S = 1.0
"""How long to wait for a scheduler, for it to take leave, and for one that was lost to do so."""
LOCAL = re.compile(r"local:([1-9]\d{0,2})")
"""`local:8`: eight worker processes on this host."""
REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+")


class Connection:
    """A client of a cluster, which is opened again where the scheduler restarts."""

    def __init__(self, address: str) -> None:
        """Connects to the scheduler at `tcp://HOST:PORT`, or starts `local:N` processes."""
        require("distributed", "clusters")
        local = LOCAL.fullmatch(address)
        if not local and not REMOTE.fullmatch(address):
            raise UserError(
                f"--cluster {address}: write tcp://HOST:PORT of a scheduler, or local:8 for 8 processes here"
            )
        self.address = address
        self._own = _started(int(local[1])) if local else None
        try:
            self.client = self._opened()
        except BaseException:
            self._end()
            raise

    def is_alive(self) -> bool:
        """Whether the scheduler is connected."""
        return bool(self.client.status == "running")

    @property
    def may_return(self) -> bool:
        """Whether a lost scheduler may come back: one that this process started does not."""
        return self._own is None

    def reopen(self) -> bool:
        """Tries to connect to a scheduler that was lost."""
        _close(self.client, LOST_S)
        try:
            self.client = self._opened()
        except UserError:
            return False
        return True

    def close(self) -> None:
        """Releases all that this client asked for, which cancels it on the cluster."""
        _close(self.client, CLOSE_S if self.is_alive() else LOST_S)
        self._end()

    def _end(self) -> None:
        """Ends the processes of this host: their standard input ends."""
        if self._own is None or self._own.stdin is None or self._own.stdout is None:
            return
        self._own.stdin.close()
        self._own.stdout.close()
        try:
            self._own.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._own.kill()
            self._own.wait()

    def _opened(self) -> Client:
        # the processes of a local cluster import the same meanwhile
        from sojourn.cluster.client import DataClient  # noqa: PLC0415

        _silence()
        address = self.address if self._own is None else _scheduler(self._own)
        # workers of this host hand over their answers themselves; others may be behind their scheduler
        direct = self._own is not None
        try:
            with reading():
                return DataClient(address, timeout=CONNECT_S, set_as_default=False, direct_to_workers=direct)
        except (OSError, ValueError) as error:
            raise UserError(f"no scheduler answers at {self.address}: {error}") from None


def _close(client: Client, at_most_s: float) -> None:
    """Closes a client whose scheduler may not answer any more."""
    with contextlib.suppress(OSError, TimeoutError), reading():
        client.close(timeout=at_most_s)


def _started(workers: int) -> subprocess.Popen[str]:
    """A scheduler and worker processes of this host, which begin to start."""
    platforms.require("--cluster local:N")
    # -P: files of the user's folder do not stand in for modules
    command = [sys.executable, "-P", "-m", "sojourn.cluster.processes", str(workers)]
    # in a session of their own: Ctrl-C is the client's to handle
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)


def _scheduler(processes: subprocess.Popen[str]) -> str:
    """The address of the scheduler that was started."""
    address = processes.stdout.readline().strip() if processes.stdout is not None else ""
    if not address:
        raise RunFailed("the processes of the local cluster did not start")
    return address


def _silence() -> None:
    """Keeps the library's own messages of lost connections from the terminal: the driver reports them."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
