"""A Dask scheduler with workers on loopback, as a user starts them; one cluster serves all tests of this folder."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from distributed import Client

if not find_spec("distributed"):
    collect_ignore = ["test_cluster.py", "test_hostile.py", "test_suspects.py", "test_untrusted.py"]

DASK = Path(sys.prefix) / "bin" / "dask"
HERE = Path(__file__).parent
START_S = 60.0


class Cluster:
    """A scheduler and its workers, each a process of its own that may be stopped and killed."""

    def __init__(self, folder: Path, **environment: str) -> None:
        """Starts the scheduler on a free port; `environment` holds settings of Dask."""
        self.folder = folder
        self.environment = os.environ | environment
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Starts the scheduler, again where it was killed."""
        self.scheduler = self._started("scheduler", "--host", "127.0.0.1", "--port", self.port, "--no-show")

    def start_worker(self, name: str, *more: object, nanny: bool = False) -> subprocess.Popen[bytes]:
        """Starts a worker of one thread; with a nanny it is started again where it ends."""
        watched = "--nanny" if nanny else "--no-nanny"
        process = self._started("worker", self.address, "--name", name, watched, *more)
        self.workers[name] = process
        return process

    def client(self) -> "Client":
        """A client of its own, as a context."""
        from distributed import Client  # noqa: PLC0415 - it takes a second that collecting tests has no need of

        return Client(self.address, set_as_default=False)

    def wait_for_workers(self, count: int) -> None:
        """Waits until this many have registered."""
        with self.client() as client:
            client.wait_for_workers(count, timeout=START_S)

    def stop(self) -> None:
        """Ends all processes."""
        for process in (*self.workers.values(), self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in (*self.workers.values(), self.scheduler):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _started(self, role: str, *arguments: object) -> subprocess.Popen[bytes]:
        words = [str(DASK), role, *map(str, arguments), "--no-dashboard"]
        if role == "worker":
            words += ["--nthreads", "1", "--local-directory", str(self.folder)]
        log = (self.folder / f"{role}-{time.monotonic_ns()}.log").open("wb")
        return subprocess.Popen(words, stdout=log, stderr=log, env=self.environment)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with two workers."""
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    running.start_worker("one")
    running.start_worker("two")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with three workers, to be killed."""
    running = Cluster(tmp_path_factory.mktemp("trial"))
    for name in ("one", "two", "three"):
        running.start_worker(name)
    yield running
    running.stop()


@pytest.fixture
def nannies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with two workers that are started again where replication 3 ends them."""
    once = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    running = Cluster(tmp_path_factory.mktemp("nannies"), **once)
    for name in ("one", "two"):
        running.start_worker(name, "--preload", str(HERE / "killed_by_replication.py"), nanny=True)
    yield running
    running.stop()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An M/M/1 queue whose replications take some milliseconds each."""
    shutil.copy(HERE.parents[1] / "examples" / "queue-mm1.toml", tmp_path / "site.toml")
    return tmp_path / "site.toml"
