"""The spool: records survive kills, full disks and writers at the same time, each whole or not at all."""

import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest

from sojourn.store import spool


def records_of(folder: Path) -> list[dict]:
    folder.mkdir(exist_ok=True)
    spool.seal(folder)
    lines = [line for file in spool.sealed(folder) for line in spool.read(file)]
    assert not any(line.rest for line in lines)
    return [record.members for line in lines for record in line.records]


def forked(work) -> int:
    """The number of a process that does `work` and ends."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def test_records_are_read_in_the_order_they_were_appended(tmp_path):
    for number in range(3):
        spool.append(tmp_path / "spool", [{"number": number}, {"number": number + 0.5}])

    assert [record["number"] for record in records_of(tmp_path / "spool")] == [0, 0.5, 1, 1.5, 2, 2.5]
    assert not (tmp_path / "spool" / spool.OPEN).exists()


def test_an_unfinished_line_is_cut_off_before_the_next_record(tmp_path):
    spool.append(tmp_path, [{"number": 1}])
    with (tmp_path / spool.OPEN).open("a") as file:
        file.write('{"number": 2, "te')

    spool.append(tmp_path, [{"number": 3}])

    assert [record["number"] for record in records_of(tmp_path)] == [1, 3]


def test_writers_at_the_same_time_and_one_who_seals_lose_nothing_and_mix_nothing(tmp_path):
    def write(writer: int) -> None:
        for number in range(100):
            spool.append(tmp_path, [{"writer": writer, "number": number, "text": "x" * 500}], sync=False)

    children = [forked(lambda writer=writer: write(writer)) for writer in range(4)]
    for _ in range(20):
        spool.seal(tmp_path)
        time.sleep(0.005)
    for child in children:
        os.waitpid(child, 0)

    found = records_of(tmp_path)
    for writer in range(4):
        assert [record["number"] for record in found if record["writer"] == writer] == list(range(100))


@pytest.mark.parametrize("pause_s", [0.002, 0.01, 0.02, 0.05])
def test_a_writer_that_is_killed_leaves_whole_records_only(tmp_path, pause_s):
    acknowledged = tmp_path / "acknowledged"
    acknowledged.touch()

    def write() -> None:
        with acknowledged.open("a") as seen:
            for number in range(100_000):
                spool.append(tmp_path / "spool", [{"number": number, "text": "x" * 20_000}], sync=False)
                os.write(seen.fileno(), f"{number}\n".encode())

    child = forked(write)
    time.sleep(pause_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)

    found = [record["number"] for record in records_of(tmp_path / "spool")]
    assert found == list(range(len(found)))
    assert len(acknowledged.read_text().split()) <= len(found), "what was acknowledged is there"


def test_a_full_disk_refuses_the_record_and_keeps_those_before(tmp_path):
    spool.append(tmp_path, [{"number": 1}])
    size = (tmp_path / spool.OPEN).stat().st_size

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1000, size + 1000))
        with pytest.raises(OSError, match="File too large"):
            spool.append(tmp_path, [{"number": 2, "text": "x" * 5000}])
        spool.append(tmp_path, [{"number": 3}])
        (tmp_path / "well").touch()

    os.waitpid(forked(fill), 0)

    assert (tmp_path / "well").exists()
    assert [record["number"] for record in records_of(tmp_path)] == [1, 3]


def test_a_spool_at_its_limit_refuses_what_comes(tmp_path):
    spool.append(tmp_path, [{"text": "x" * 600}], limit=1000)
    spool.seal(tmp_path)

    with pytest.raises(spool.SpoolFull, match="sojourn history"):
        spool.append(tmp_path, [{"text": "x" * 600}], limit=1000)

    assert len(records_of(tmp_path)) == 1


def test_the_spool_is_readable_by_its_user_alone(tmp_path):
    spool.append(tmp_path / "spool", [{"number": 1}])

    assert (tmp_path / "spool").stat().st_mode & 0o077 == 0
    assert (tmp_path / "spool" / spool.OPEN).stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "spool" / spool.OPEN).read_text())["number"] == 1
