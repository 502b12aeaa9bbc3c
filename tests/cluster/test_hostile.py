"""The hostile trial: sweeps while workers are killed, stopped, slowed and starved, and while the scheduler dies.

`pytest -m nightly -s tests/cluster/test_hostile.py` prints the times. Each sweep is compared with one of threads.
"""

import random
import resource
import signal
import threading
import time
from collections.abc import Callable

import pytest

from sojourn.jobs import Outcome, run_job

pytestmark = [pytest.mark.nightly, pytest.mark.hostile("workers and schedulers that die")]

SWEEP = {
    "command": "sweep",
    "over": ["flow.customers.arrivals.rate=20:80:20 /s"],
    "set": ["run.duration=12000 s"],
    "replications": 150,
}
"""Half a minute of two processors with an optimised build."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> tuple[str, float]:
    """What threads give, and the time they take."""
    folder = tmp_path_factory.mktemp("expected")
    began = time.monotonic()
    outcome = run_job(SWEEP | {"file": "examples/queue-mm1.toml", "cache": folder, "jobs": 2})
    return outcome.results_text, time.monotonic() - began


class Hostility(threading.Thread):
    """Does something to a cluster every few seconds until it is ended."""

    def __init__(self, every_s: float, act: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.every_s, self.act, self.acts, self.ended = every_s, act, 0, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(self.every_s):
            self.act()
            self.acts += 1


def computed(trial, folder, every_s: float, act: Callable[[], None]) -> tuple[Outcome, float, int]:
    """The outcome of the sweep under hostility, its time, and how often something was done."""
    hostility = Hostility(every_s, act)
    began = time.monotonic()
    hostility.start()
    try:
        request = SWEEP | {"file": "examples/queue-mm1.toml", "cache": folder / "cache", "cluster": trial.address}
        return run_job(request), time.monotonic() - began, hostility.acts
    finally:
        hostility.ended.set()
        hostility.join()


def report(capfd, what: str, took_s: float, alone_s: float, acts: int) -> None:
    with capfd.disabled():
        print(f"\n{what}: {took_s:.0f} s, threads {alone_s:.0f} s, {acts} times")


def revive(trial) -> None:
    """Starts each worker that ended again."""
    for name, process in list(trial.workers.items()):
        if process.poll() is not None:
            trial.start_worker(name)


def test_a_worker_killed_every_five_seconds_loses_nothing(trial, expected, tmp_path, capfd):
    chance = random.Random(1)

    def kill() -> None:
        name = chance.choice(sorted(trial.workers))
        trial.workers[name].kill()
        trial.workers[name].wait()
        trial.start_worker(name)

    outcome, took_s, kills = computed(trial, tmp_path, 5.0, kill)
    report(capfd, "one of three workers killed every 5 s", took_s, expected[1], kills)
    assert kills >= 2
    assert outcome.results_text == expected[0]
    assert outcome.provenance["replications"] == 600


def test_a_scheduler_that_is_killed_and_started_again_loses_nothing(trial, expected, tmp_path, capfd):
    revive(trial)

    def restart() -> None:
        trial.scheduler.kill()
        trial.scheduler.wait()
        time.sleep(1)
        trial.start_scheduler()
        for process in trial.workers.values():
            process.kill()  # a service manager starts the workers again, which end with their scheduler
            process.wait()
        revive(trial)

    outcome, took_s, restarts = computed(trial, tmp_path, 6.0, restart)
    report(capfd, "scheduler killed and started again every 6 s", took_s, expected[1], restarts)
    assert restarts >= 1
    assert outcome.results_text == expected[0]


def test_a_worker_that_hangs_and_one_that_crawls_delay_nothing_for_long(trial, expected, tmp_path, capfd):
    revive(trial)
    time.sleep(5)
    hung, slow = trial.workers["one"], trial.workers["two"]
    hung.send_signal(signal.SIGSTOP)

    def crawl() -> None:
        slow.send_signal(signal.SIGSTOP)
        time.sleep(0.9)
        slow.send_signal(signal.SIGCONT)

    outcome, took_s, _ = computed(trial, tmp_path, 0.1, crawl)
    hung.send_signal(signal.SIGCONT)
    report(capfd, "one worker hangs, one has a tenth of its speed", took_s, expected[1], 1)
    assert outcome.results_text == expected[0]


def test_a_scheduler_cut_off_for_a_while_is_awaited(trial, expected, tmp_path, capfd):
    revive(trial)

    def cut() -> None:
        trial.scheduler.send_signal(signal.SIGSTOP)
        time.sleep(12)
        trial.scheduler.send_signal(signal.SIGCONT)

    outcome, took_s, cuts = computed(trial, tmp_path, 8.0, cut)
    report(capfd, "scheduler cut off for 12 s of every 20 s", took_s, expected[1], cuts)
    assert outcome.results_text == expected[0]


def test_a_worker_without_memory_ends_and_the_others_compute(trial, expected, tmp_path, capfd):
    revive(trial)
    time.sleep(5)
    starved = trial.workers["three"]

    def starve() -> None:
        if starved.poll() is None:
            resource.prlimit(starved.pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))

    outcome, took_s, _ = computed(trial, tmp_path, 3.0, starve)
    report(capfd, f"a worker without memory, ended with {starved.poll()}", took_s, expected[1], 1)
    assert outcome.results_text == expected[0]


def test_a_replication_that_ends_every_worker_fails_its_point_alone(nannies, site, capfd):
    request = {"command": "sweep", "file": str(site), "over": ["flow.customers.arrivals.rate=20,40 /s"]}
    request |= {"set": ["run.duration=20 s"], "cluster": nannies.address, "cache": site.parent / "cache"}
    began = time.monotonic()
    outcome = run_job(request | {"replications": 4})
    report(capfd, "replication 3 ends every worker that computes it", time.monotonic() - began, 0, 2)
    assert [failure["point"] for failure in outcome.failures] == [0, 1]
    for failure in outcome.failures:
        assert failure["message"].startswith("replication 3: every worker that computed it ended, the last tcp://")
    assert len(list((site.parent / "cache").glob("replications/*/*"))) == 6, "the others are kept"
