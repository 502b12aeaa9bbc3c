"""The processes of a cluster on this host, `local:N`.

`python -m sojourn.cluster.processes N` imports once what a scheduler and its workers need, forks one scheduler and N
workers of one thread each, prints the scheduler's address, and forks a worker again where one ended. All of them end
with their client, however that ends: when standard input does.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import select
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

LOOK_S = 0.5
"""How often to look for workers that ended, which are forked again."""
HEARTBEAT_S = 5.0
"""Between two heartbeats of a worker; Dask's own send two a second, though a connection shows that they ended."""
HOST = "127.0.0.1"
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.use-file-locking": False,
    "distributed.worker.http.routes": [],
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.active-memory-manager.start": False,
    # which replication ended a worker is found by computing each alone
    "distributed.scheduler.allowed-failures": 0,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "30s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.diagnostics.nvml": False,
}
"""Settings of Dask: what it samples for its dashboard takes 3 % of a processor in each process."""


def main() -> None:
    """Starts the processes and keeps them until standard input ends."""
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="sojourn-cluster-") as folder:
        _prepare(folder)
        reader, writer = os.pipe()
        scheduler = _forked(lambda: _schedule(writer))
        os.close(writer)
        address = os.read(reader, 256).decode()
        workers = {_forked(lambda: _work(address)) for _ in range(count)} if address else set()
        print(address, flush=True)
        try:
            _keep(scheduler, workers, address)
        finally:
            _end({scheduler, *workers})


def _prepare(folder: str) -> None:
    """Imports and looks up everything that all processes need, without a thread, so that this one may fork."""
    gc.disable()  # nothing that is imported is garbage
    import dask  # noqa: PLC0415

    dask.config.set(QUIET | {"temporary-directory": folder})
    import distributed  # noqa: F401, PLC0415
    from distributed.versions import get_versions  # noqa: PLC0415

    from sojourn.bindings import extension  # noqa: PLC0415

    logging.disable(logging.CRITICAL)  # the driver reports what matters
    extension()
    get_versions()
    gc.freeze()  # the pages of what was imported stay shared
    gc.enable()


def _keep(scheduler: int, workers: set[int], address: str) -> None:
    """Forks workers again until standard input or the scheduler ends."""
    while not select.select([sys.stdin], [], [], LOOK_S)[0]:
        while ended := os.waitpid(-1, os.WNOHANG)[0]:
            if ended == scheduler:
                return
            workers.remove(ended)
            workers.add(_forked(lambda: _work(address)))


def _end(processes: set[int]) -> None:
    for process in processes:
        # the scheduler may have been waited for
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _forked(server: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """The number of a new process that runs `server` and ends with it, or with standard input."""
    process = os.fork()
    if process:
        return process
    try:
        asyncio.run(_until_the_end(server))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


async def _until_the_end(server: Callable[[], Coroutine[Any, Any, None]]) -> None:
    # where this process's parent was killed, the client goes on, and ends it in the end
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), os._exit, 0)
    await server()


async def _schedule(writer: int) -> None:
    from distributed import Scheduler  # noqa: PLC0415

    scheduler = await Scheduler(host=HOST, port=0, dashboard=False, dashboard_address=f"{HOST}:0")
    os.write(writer, scheduler.address.encode())
    os.close(writer)
    await scheduler.finished()


async def _work(address: str) -> None:
    from distributed import Worker  # noqa: PLC0415

    class SteadyWorker(Worker):  # type: ignore[misc]  # its annotations are skipped
        """A worker with few heartbeats."""

        async def heartbeat(self) -> None:
            await super().heartbeat()
            self.periodic_callbacks["heartbeat"].callback_time = 1000 * HEARTBEAT_S

    # what a replication needs of memory is not known: as with threads, the system decides
    worker = await SteadyWorker(address, nthreads=1, host=HOST, memory_limit=0, dashboard=False)
    await worker.finished()


if __name__ == "__main__":
    main()
