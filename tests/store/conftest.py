"""A real PostgreSQL for all tests of the store, and stores in it and in SQLite."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sojourn.store import spool
from sojourn.store.database import opened
from sojourn.store.records import MonitorRecords, build_and_host
from sojourn.store.settings import Place

PROGRAMS = sorted(
    (program.parent for program in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    key=lambda folder: int(folder.parent.name),
)
UNPRIVILEGED: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
SETTINGS = ("fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=20")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that need the server, whose programs are in no PATH."""
    initdb = str(PROGRAMS[-1] / "initdb") if PROGRAMS else "initdb"
    for item in items:
        parameters = getattr(item, "callspec", None)
        asked = {"server", "postgresql"} & {*getattr(item, "fixturenames", ())}
        if asked or (parameters is not None and parameters.params.get("place") == "postgresql"):
            item.add_marker(pytest.mark.peer(initdb, package="postgresql"))


class Server:
    """A PostgreSQL server in a folder of its own, on a loopback port with TLS and on a socket there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._numbers = count()
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", folder / "data", "-U", "sojourn", "-A", "trust", "--no-sync", "-E", "UTF8")
        self.certificate = folder / "data" / "server.crt"
        subprocess.run(
            ["openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-keyout", str(folder / "data/server.key"), "-out", str(self.certificate)],
            check=True, capture_output=True, **UNPRIVILEGED,
        )  # fmt: skip

    def start(self) -> None:
        settings = (*SETTINGS, "ssl=on", f"unix_socket_directories={self.folder}", f"port={self.port}")
        options = [word for setting in settings for word in ("-c", setting)]
        command = [PROGRAMS[-1] / "postgres", "-D", self.folder / "data", "-h", "127.0.0.1", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **UNPRIVILEGED)
        until = time.monotonic() + 60
        while subprocess.run(
            [PROGRAMS[-1] / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False
        ).returncode:
            assert time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Ends it at once, as a crash does."""
        assert self._process is not None
        subprocess.run(["kill", "-QUIT", str(self._process.pid)], check=True)
        self._process.wait(timeout=60)

    def kill(self) -> None:
        """Kills all of its processes, as a power failure does, and leaves its files as they are."""
        assert self._process is not None
        children = subprocess.run(
            ["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        subprocess.run(["kill", "-KILL", str(self._process.pid), *children], check=False)
        self._process.wait(timeout=60)
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    @contextmanager
    def moved(self, place: Place, folder: Path) -> Iterator[Place]:
        """The database of a store on another disk, for a while."""
        if UNPRIVILEGED:
            shutil.chown(folder, UNPRIVILEGED["user"], UNPRIVILEGED["group"])
        name, space = place.url.revealed().rpartition("/")[2].partition("?")[0], f"space{next(self._numbers)}"
        admin = ("psql", "-h", self.folder, "-p", self.port, "-U", "sojourn", "-d", "postgres", "-c")
        self._run(*admin, f"CREATE TABLESPACE {space} LOCATION '{folder}'")
        self._run(*admin, f"ALTER DATABASE {name} SET TABLESPACE {space}")
        try:
            yield place
        finally:
            self._run(*admin, f"DROP DATABASE {name} WITH (FORCE)")
            self._run(*admin, f"DROP TABLESPACE {space}")

    def database(self, template: str = "template1") -> str:
        """A new database, a copy of another one; its URL."""
        name = f"store{next(self._numbers)}"
        self._run("createdb", "-h", self.folder, "-p", self.port, "-U", "sojourn", "-T", template, name)
        return f"postgresql://sojourn@localhost:{self.port}/{name}?sslmode=disable"

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(PROGRAMS[-1] / program), *map(str, arguments)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, **UNPRIVILEGED)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    # below /tmp, where an unprivileged user can follow the path
    folder = Path(tempfile.mkdtemp(prefix="sojourn-postgresql-"))
    if UNPRIVILEGED:
        shutil.chown(folder, UNPRIVILEGED["user"], UNPRIVILEGED["group"])
    found = Server(folder)
    found.start()
    yield found
    found.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def migrated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The URL of a store of each kind that has its tables and nothing in them, to copy."""
    folder = tmp_path_factory.mktemp("migrated")

    @cache
    def made(kind: str) -> str:
        url = f"sqlite:///{folder}/store" if kind == "sqlite" else request.getfixturevalue("server").database()
        with opened(Place(url, folder)):
            return url

    return made


@pytest.fixture
def sqlite(migrated: Callable[[str], str], tmp_path: Path) -> Place:
    shutil.copy(migrated("sqlite").removeprefix("sqlite:///"), tmp_path / "history.sqlite3")
    return Place(f"sqlite:///{tmp_path}/history.sqlite3", tmp_path / "spool")


@pytest.fixture
def postgresql(server: Server, migrated: Callable[[str], str], tmp_path: Path) -> Place:
    template = migrated("postgresql").rpartition("/")[2].partition("?")[0]
    return Place(server.database(template), tmp_path / "spool")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def empty(request: pytest.FixtureRequest, place: Place, tmp_path: Path) -> Place:
    """A store without tables."""
    if place.is_postgresql:
        return Place(request.getfixturevalue("server").database(), place.spool)
    return Place(f"sqlite:///{tmp_path}/empty.sqlite3", place.spool)


@pytest.fixture
def run_record() -> Callable[..., dict[str, Any]]:
    """The record of a run, as `sojourn.store.records` makes it."""

    def made(number: int = 0, p99: float = 0.2, **members: Any) -> dict[str, Any]:
        response = {"unit": "s", "mean": 0.05, "ci95": [0.04, 0.06], "count": 100, "p50": 0.04, "p99": p99}
        metrics = {"response_time": response, "loss": {"unit": "1", "value": 0.0}}
        point = {"experiment": "site", "set": {"background.rate": 50.0}, "status": "ok", "replications": 5}
        return {
            "record": 1, "type": "run", "uuid": f"{number:032x}", "command": "run", "name": "site", "network": "queue",
            "world": "simulated", "peer": None, "text": '[network]\nkind = "queue"\n', "scenario_hash": "abc123",
            "began": f"2026-03-{1 + number // 24:02}T{number % 24:02}:00:00Z", "elapsed_s": 0.5, "version": "0.1.0",
            "commit": "abc", "build": "def", "host": "lab", "platform": "x86_64 linux", "processors": 2,
            "regime": None, "settings": {"command": "run"}, "seed": 1, "well": True, "answer": None, "folder": None,
            "points": [point | {"scenario_hash": "x", "metrics": metrics}],
            "verdicts": [{"point": 0, "text": "response_time.p99 < 250 ms", "verdict": "met", "value": p99}],
        } | members  # fmt: skip

    return made


REQUEST: dict[str, Any] = {"file": None, "urls": ["icmp://192.0.2.1"], "options": [], "set": [], "expect": []}


@pytest.fixture
def monitor_lines() -> Callable[..., list[dict[str, Any]]]:
    """The lines of a monitor: windows of 60 requests, one of them lost, with response times of 1 and 2 µs."""

    def made(windows: int, *, begin_s: float = 1_790_000_000, length_s: float = 60, targets: int = 1) -> list[dict]:
        names = [f"target-{number}" for number in range(targets)]
        urls = [[name, f"icmp://192.0.2.{number}"] for number, name in enumerate(names)]
        head = {"type": "monitor", "time": stamp(begin_s), "event": "begin", "targets": urls}
        return [
            head,
            *(window(names[n % targets], begin_s + n // targets * length_s, length_s) for n in range(windows)),
        ]

    return made


def window(target: str, begin_s: float, length_s: float) -> dict[str, Any]:
    response = {"unit": "s", "count": 59, "mean": 1.4e-6, "min": 1e-6, "max": 2e-6, "p50": 1e-6, "p90": 2e-6}
    condition = {"text": "response_time.p99 < 20 ms", "verdict": "met", "value": 2e-6, "raised": False}
    return {
        "type": "window", "time": stamp(begin_s + length_s + 1), "target": target, "begin": stamp(begin_s),
        "end": stamp(begin_s + length_s), "in_outage": False, "loaded": False, "sent": 60, "answered": 59,
        "metrics": {"response_time": response, "loss": {"unit": "1", "value": 1 / 60}},
        "histogram": [[317, 36], [381, 23]], "conditions": [condition],
    }  # fmt: skip


def stamp(at_s: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_s)) + f".{int(at_s % 1 * 1000):03}Z"


@pytest.fixture
def monitored() -> Callable[[Place, list[dict[str, Any]]], None]:
    """Puts the records of lines of a monitor into the spool."""

    def put(place: Place, lines: list[dict[str, Any]]) -> None:
        records = MonitorRecords(REQUEST, build_and_host())
        spool.append(place.spool, [record for line in lines for record in records.of_line(line)])

    return put
