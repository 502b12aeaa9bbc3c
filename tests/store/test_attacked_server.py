"""PostgreSQL under attack: clients and servers that are killed, a full disk, two hosts with one spool."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from sojourn.store import checksums, healing, loading, spool
from sojourn.store.database import StoreError, opened
from sojourn.store.loading import load
from sojourn.store.schema import metrics, runs, verdicts, windows
from sojourn.store.settings import Place

pytestmark = pytest.mark.hostile("a PostgreSQL that is killed, full and shared")

RUNS = 120


def forked(work) -> int:
    """The number of a process that does `work` and ends."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def counts(place: Place) -> list[int]:
    """Runs, metrics, verdicts and windows; all runs are what was recorded."""
    with opened(place) as engine, engine.connect() as connection:
        assert checksums.damaged(connection) == []
        tables = (runs, metrics, verdicts, windows)
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables]


@pytest.fixture
def waiting(postgresql, run_record, monitor_lines, monitored, monkeypatch) -> Place:
    """A store that is empty, and runs and windows that wait for it, to be loaded in small parts."""
    monkeypatch.setattr(loading, "PART", 10)
    spool.append(postgresql.spool, [run_record(number) for number in range(RUNS)])
    monitored(postgresql, monitor_lines(RUNS))
    return postgresql


WHOLE = [RUNS + 1, 2 * RUNS, RUNS, RUNS]


def test_a_client_that_is_killed_while_it_loads_leaves_each_run_once(waiting):
    kills = 0
    for pause_s in (0.05, 0.1, 0.2, 0.3, 0.5):
        child = forked(lambda: load(waiting))
        time.sleep(pause_s)
        os.kill(child, signal.SIGKILL)
        kills += os.waitpid(child, 0)[1] == signal.SIGKILL
    load(waiting)

    assert kills >= 2, "the client was killed while it loaded"
    assert counts(waiting) == WHOLE
    assert not list(waiting.spool.glob("*.damaged")) and not spool.waiting(waiting.spool)


def test_a_server_that_is_killed_while_a_client_loads_has_each_run_once_after_its_restart(server, waiting):
    for pause_s in (0.15, 0.4):
        child = forked(lambda: load(waiting))
        time.sleep(pause_s)
        server.kill()
        os.waitpid(child, 0)
        assert spool.waiting(waiting.spool)
        with pytest.raises(StoreError, match="does not answer"):
            load(waiting)
        server.start()
    load(waiting)

    assert counts(waiting) == WHOLE
    assert not list(waiting.spool.glob("*.damaged")), "an error of the server is none of a record"
    assert healing.check(waiting).damage == []


def test_two_hosts_that_load_one_spool_store_each_run_once(waiting, monkeypatch):
    # a folder in the network, whose locks another host does not see
    monkeypatch.setattr(spool, "_alone", lambda *_, **__: True)
    spool.seal(waiting.spool)

    def until_all_is_loaded() -> None:
        for _ in range(30):
            try:
                load(waiting)
            except (StoreError, FileNotFoundError):
                time.sleep(0.02)
            if not spool.waiting(waiting.spool):
                return

    for child in [forked(until_all_is_loaded) for _ in range(3)]:
        os.waitpid(child, 0)

    assert not spool.waiting(waiting.spool)
    assert counts(waiting) == WHOLE


def test_a_host_that_finds_its_file_loaded_further_by_another_one_stops(place, run_record, monkeypatch):
    monkeypatch.setattr(loading, "PART", 2)
    monkeypatch.setattr(spool, "_alone", lambda *_, **__: True)
    spool.append(place.spool, [run_record(number) for number in range(6)])
    spool.seal(place.spool)
    (file,) = spool.sealed(place.spool)
    read, kept = spool.read, shutil.copy(file, place.spool / "kept")

    def after_another_host(file: Path, start: int = 0) -> Iterator[spool.Line]:
        for line in read(file, start):
            if line.number == 4:
                monkeypatch.setattr(spool, "read", read)
                assert load(place) == 2, "the other host goes on behind what is loaded"
                shutil.move(kept, file)
            yield line

    monkeypatch.setattr(spool, "read", after_another_host)
    with pytest.raises(StoreError, match="is being loaded by another host"):
        load(place)

    assert load(place) == 0
    assert counts(place) == [6, 12, 6, 0]


@contextmanager
def small_disk(folder: Path, octets: int) -> Iterator[Path]:
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={octets}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_server_whose_disk_is_full_keeps_what_it_has_and_records_wait(server, waiting, tmp_path, run_record):
    with small_disk(server.folder / "small", 10 << 20) as disk, server.moved(waiting, disk) as place:
        spool.append(place.spool, [run_record(200 + n, text=os.urandom(300_000).hex()) for n in range(40)])
        with pytest.raises(StoreError, match="No space left"):
            load(place)
        before = counts(place)
        with pytest.raises(StoreError, match="No space left"):
            load(place)

        assert before[0] < RUNS + 41 and counts(place)[0] >= before[0]
        assert not list(place.spool.glob("*.damaged")), "a full disk is not damage of a record"
        subprocess.run(["mount", "-o", f"remount,size={200 << 20}", str(disk)], check=True)
        load(place)
        assert counts(place) == [count + 40 * more for count, more in zip(WHOLE, (1, 2, 1, 0), strict=True)]


def test_a_store_of_sqlite_on_a_full_disk_keeps_what_it_has_and_records_wait(sqlite, run_record, tmp_path):
    with small_disk(tmp_path / "small", 2 << 20) as disk:
        shutil.copy(sqlite.url.revealed().removeprefix("sqlite:///"), disk / "history.sqlite3")
        place = Place(f"sqlite:///{disk}/history.sqlite3", sqlite.spool)
        records = [run_record(number, text=os.urandom(200_000).hex()) for number in range(12)]
        spool.append(place.spool, [run_record(100)])
        load(place)
        spool.append(place.spool, records)

        with pytest.raises(StoreError, match="full"):
            load(place)

        assert counts(place)[0] == 1 and not list(place.spool.glob("*.damaged"))
        subprocess.run(["mount", "-o", f"remount,size={60 << 20}", str(disk)], check=True)
        assert load(place) == 12
        assert counts(place)[0] == 13
