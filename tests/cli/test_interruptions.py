"""Ctrl-C and kills in mid-sweep: what was finished is kept, and the next call continues to the same bytes."""

import random
import signal
import time

import pytest

SWEEP = ("--over", "flow.customers.arrivals.rate=10:90:10 /s", "--replications", "8", "--jobs", "2")


@pytest.fixture
def queue(sojourn, tmp_path):
    """An M/M/1 scenario long enough that a sweep over it can be interrupted."""
    assert sojourn("new", "queue", "-o", "queue.toml").returncode == 0
    return tmp_path / "queue.toml"


def finished_replications(folder) -> int:
    return sum(1 for path in (folder / "home/cache/sojourn/replications").rglob("*") if path.is_file())


def wait_until(condition, process, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_ctrl_c_stops_a_sweep_at_once_and_keeps_what_was_finished(sojourn, start, queue, tmp_path):
    process = start("sweep", queue, *SWEEP, "--set", "run.duration=20000 s", "--out", "out")
    wait_until(lambda: finished_replications(tmp_path) >= 2, process)

    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert 2 <= finished_replications(tmp_path) < 72, "it stops long before all are done"
    assert not (tmp_path / "out" / "results.json").exists()


def test_a_sweep_killed_at_random_points_and_resumed_gives_the_bytes_of_an_unbroken_one(
    sojourn, start, queue, tmp_path, environment
):
    moments = random.Random(1)
    for _ in range(12):
        process = start("sweep", queue, *SWEEP, "--out", "broken")
        time.sleep(moments.uniform(0.1, 1.0))
        process.kill()
        process.wait()
    assert sojourn("sweep", queue, *SWEEP, "--out", "broken").returncode == 0

    untouched = environment | {"XDG_CACHE_HOME": str(tmp_path / "untouched")}
    unbroken = sojourn("sweep", queue, *SWEEP, "--out", "whole", env=untouched)

    assert unbroken.returncode == 0, unbroken.stderr
    assert (tmp_path / "broken/results.json").read_bytes() == (tmp_path / "whole/results.json").read_bytes()
