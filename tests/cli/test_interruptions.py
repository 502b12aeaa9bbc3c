"""Ctrl-C and kills in mid-sweep: what was finished is kept, and the next call continues to the same bytes."""

import json
import random
import signal
import time

import pytest

pytestmark = pytest.mark.hostile("sweeps that are killed")

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


@pytest.mark.nightly
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


def test_a_sweep_goes_on_from_its_checkpoint_without_the_cache_and_gives_the_bytes_of_an_unbroken_one(
    sojourn, start, queue, tmp_path, environment
):
    checkpoint = tmp_path / "sweep.checkpoint"
    sweep = ("sweep", queue, *SWEEP, "--set", "run.duration=200 s", "--checkpoint", checkpoint)
    process = start(*sweep, "--out", "broken")
    wait_until(lambda: checkpoint.exists() and checkpoint.stat().st_size > 20_000, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    kept = checkpoint.stat().st_size

    elsewhere = environment | {"XDG_CACHE_HOME": str(tmp_path / "elsewhere")}
    resumed = sojourn(*sweep, "--out", "broken", "--overwrite", env=elsewhere)
    untouched = environment | {"XDG_CACHE_HOME": str(tmp_path / "untouched")}
    unbroken = sojourn(*sweep[:-2], "--out", "whole", env=untouched)

    assert process.returncode == 130
    assert resumed.returncode == 0, resumed.stderr
    assert unbroken.returncode == 0, unbroken.stderr
    assert checkpoint.stat().st_size > kept, "it was not finished when it was interrupted"
    assert (tmp_path / "broken/results.json").read_bytes() == (tmp_path / "whole/results.json").read_bytes()
    provenance = json.loads((tmp_path / "broken/provenance.json").read_text())
    assert 0 < provenance["from_cache"] < provenance["replications"] == 72


def test_a_checkpoint_of_another_build_and_any_other_file_are_refused_before_anything_runs(sojourn, queue, tmp_path):
    for text, why in (
        ("sojourn checkpoint 1, build 0f3a\n", "another build of Sojourn (0f3a)"),
        (queue.read_text(), "not a checkpoint of Sojourn"),
    ):
        (tmp_path / "other").write_text(text)
        refused = sojourn("run", queue, "--checkpoint", "other")
        assert refused.returncode == 2
        assert why in " ".join(refused.stderr.replace("│", " ").split())
        assert (tmp_path / "other").read_text() == text


def test_a_checkpoint_of_another_scenario_says_that_nothing_of_it_was_used(sojourn, queue):
    first = sojourn("run", queue, "--checkpoint", "run.checkpoint", "--replications", "2")
    other = sojourn("run", queue, "--checkpoint", "run.checkpoint", "--replications", "2", "--seed", "9")

    assert "began anew" not in first.stderr
    assert "none of its 2 replications is of this scenario and seed" in " ".join(other.stderr.split())
