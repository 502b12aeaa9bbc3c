"""The connection to a scheduler, or to a cluster of this host's own processes."""

from __future__ import annotations

import contextlib
import logging
import re
from typing import TYPE_CHECKING

from sojourn.errors import UserError
from sojourn.extras import require

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

CONNECT_S = 10.0
CLOSE_S = 10.0
LOST_S = 1.0
"""How long to wait for a scheduler, for it to take leave, and for one that was lost to do so."""
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "30s",
    "distributed.admin.event-loop-monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Settings of a local cluster: what Dask samples for its dashboard takes 3 % of a processor in each process."""
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
        self._own: LocalCluster | None = _started(int(local[1])) if local else None
        self.client = self._opened()

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
        if self._own is not None:
            _close(self._own, CLOSE_S)

    def _opened(self) -> Client:
        from distributed import Client  # noqa: PLC0415

        _silence()
        # workers of this host hand over their answers themselves; others may be behind their scheduler
        direct = self._own is not None
        try:
            return Client(self._own or self.address, timeout=CONNECT_S, set_as_default=False, direct_to_workers=direct)
        except (OSError, ValueError) as error:
            raise UserError(f"no scheduler answers at {self.address}: {error}") from None


def _close(end: Client | LocalCluster, at_most_s: float) -> None:
    """Closes what may not answer any more."""
    with contextlib.suppress(OSError, TimeoutError):
        end.close(timeout=at_most_s)


def _started(workers: int) -> LocalCluster:
    """Worker processes of this host, a thread each."""
    import dask  # noqa: PLC0415
    from distributed import LocalCluster  # noqa: PLC0415

    _silence()
    with dask.config.set(QUIET):
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            preload=["sojourn.cluster.interrupts"],
        )


def _silence() -> None:
    """Keeps the library's own messages of lost connections from the terminal: the driver reports them."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
