"""Replications on Dask workers: the bytes of one thread, whatever ends in the middle.

One scheduler and its workers serve all tests here, 4 s to start; each test then computes for a second or two.
"""

import os
import re
import signal
import time
from pathlib import Path

import pytest

import sojourn
from sojourn.cluster import connection
from sojourn.cluster.workers import Workers
from sojourn.errors import Interrupted, UserError
from sojourn.jobs import Outcome, run_job

HUNG_S = 60
SWEEP = {"over": ["flow.customers.arrivals.rate=20:80:20 /s"], "replications": 6, "set": ["run.duration=60 s"]}


def computed(site: Path, command: str = "sweep", watch=None, **options: object) -> Outcome:
    """The outcome of a command with a cache of its own."""
    cache = site.parent / f"cache-{time.monotonic_ns()}"
    return run_job({"command": command, "file": str(site), "cache": cache} | options, watch)


def test_a_sweep_on_a_cluster_gives_the_bytes_of_one_thread(cluster, site):
    alone = computed(site, jobs=1, **SWEEP)
    together = computed(site, cluster=cluster.address, **SWEEP)
    assert together.results_text == alone.results_text
    assert together.provenance["replications"] == 24


def test_the_stopping_rule_and_the_warm_up_stay_where_they_are(cluster, site):
    options = {"precision": 0.05, "set": ["run.warm_up=auto", "run.duration=200 s"], "traces": True}
    alone = computed(site, "run", jobs=1, **options)
    together = computed(site, "run", cluster=cluster.address, **options)
    assert together.results_text == alone.results_text


def test_a_search_on_a_cluster_gives_the_answer_of_one_thread(cluster, site):
    question = {
        "vary": "flow.customers.arrivals.rate=20:95 /s",
        "until": "response_time.mean < 40 ms",
        "budget": 2_000_000,
    }
    alone = computed(site, "find", jobs=1, set=["run.duration=60 s"], **question)
    together = computed(site, "find", cluster=cluster.address, set=["run.duration=60 s"], **question)
    assert together.answer == alone.answer
    assert together.results_text == alone.results_text


def test_a_study_on_a_cluster_gives_the_bytes_of_one_thread(cluster, tmp_path):
    study = sojourn.load_study("lontalk-response-time")
    size = {"set": ["run.duration=10 s", "run.warm_up=1 s"], "replications": 2, "experiments": ["D"], "store": False}
    alone = study.run(jobs=1, cache=tmp_path / "one", **size)
    together = study.run(cluster=cluster.address, cache=tmp_path / "two", **size)
    assert together.results_text == alone.results_text
    assert together.provenance["from_cache"] == 0


def test_what_the_cache_has_does_not_travel(cluster, site):
    cache = site.parent / "shared"
    request = {"command": "sweep", "file": str(site), "cache": cache} | SWEEP
    first = run_job(request | {"jobs": 2, "replications": 4})
    second = run_job(request | {"cluster": cluster.address})
    assert first.provenance["from_cache"] == 0
    assert second.provenance["from_cache"] == 16


def test_a_worker_of_another_build_is_refused_by_name_and_the_others_compute(cluster, site):
    stranger = cluster.start_worker("stranger", "--preload", str(Path(__file__).with_name("other_build.py")))
    said = []
    try:
        cluster.wait_for_workers(3)
        workers = Workers(said.append)
        until = time.monotonic() + 60
        with cluster.client() as client:
            # a worker that has just begun imports the package before it answers
            while not said or workers.count < 2:
                assert time.monotonic() < until
                workers.look(client)
                time.sleep(0.01)
        together = computed(site, cluster=cluster.address, **SWEEP)
    finally:
        stranger.kill()
    (line,) = said
    assert re.match(r"worker tcp://127\.0\.0\.1:\d+ is not used: it has sojourn 9\.9\.9", line)
    assert workers.allowed is not None and len(workers.allowed) == 2
    assert together.results_text == computed(site, jobs=1, **SWEEP).results_text


def test_a_worker_killed_in_the_middle_loses_nothing(cluster, site):
    options = SWEEP | {"set": ["run.duration=2000 s"]}
    alone = computed(site, jobs=2, **options)
    doomed = cluster.start_worker("doomed")
    cluster.wait_for_workers(3)

    def watch(progress):
        if progress.replications_done >= 2 and doomed.poll() is None:
            doomed.kill()

    together = computed(site, cluster=cluster.address, watch=watch, **options)
    assert doomed.wait(timeout=30) != 0
    assert together.results_text == alone.results_text


def test_a_worker_that_hangs_is_not_waited_for(cluster, site):
    alone = computed(site, jobs=1, **SWEEP)
    hung = cluster.start_worker("hung")
    cluster.wait_for_workers(3)
    hung.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    together = computed(site, cluster=cluster.address, **SWEEP)
    took_s = time.monotonic() - began
    hung.kill()
    assert together.results_text == alone.results_text
    assert took_s < HUNG_S, "the scheduler takes minutes to give up a worker that hangs"


def test_a_process_of_a_local_cluster_starts_again_and_all_end_with_the_command(site):
    options = SWEEP | {"set": ["run.duration=2000 s"]}
    started: list[int] = []

    def watch(progress):
        if progress.replications_done >= 2 and not started:
            (parent,) = [child for child in children(os.getpid()) if b"sojourn.cluster" in command_line(child)]
            started.extend([parent, *children(parent)])
            os.kill(started[-1], signal.SIGKILL)

    together = computed(site, cluster="local:2", watch=watch, **options)
    assert len(started) == 4, "one that forks, a scheduler, two workers"
    assert not any(b"sojourn.cluster" in command_line(process) for process in started)
    assert together.results_text == computed(site, jobs=2, **options).results_text


def test_ctrl_c_cancels_on_the_cluster_and_keeps_what_was_finished(cluster, site):
    cache = site.parent / "cache"
    request = {"command": "sweep", "file": str(site), "cache": cache, "cluster": cluster.address} | SWEEP
    # a replication of hours is abandoned in its middle
    request["set"] = ["run.duration=20000 s"]

    def interrupt(progress):
        if progress.replications_done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run_job(request, interrupt)
    kept = len(list(cache.glob("replications/*/*")))
    assert 2 <= kept < 24
    with cluster.client() as client:
        deadline = time.monotonic() + 10
        while any(client.processing().values()) or any(client.call_stack().values()):
            assert time.monotonic() < deadline, "the workers go on computing"
            time.sleep(0.1)


def test_a_scheduler_that_is_not_there_and_an_address_that_is_none_are_mistakes(site, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_S", 1.0)
    for address, said in (("tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9"), ("here", "write tcp://")):
        with pytest.raises(UserError, match=said):
            sojourn.run(site, cluster=address)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"jobs": 2}, "--jobs are threads of this host"),
        ({"shard": "1/2"}, "leave out --cluster or --shard"),
        ({"pcap": "site.pcap"}, "--pcap captures what this host simulates"),
    ],
)
def test_options_that_a_cluster_cannot_honour_are_refused(site, more, said):
    with pytest.raises(UserError, match=said):
        computed(site, "run", cluster="tcp://127.0.0.1:9", **more)


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def command_line(process: int) -> bytes:
    """Empty of a process that ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
