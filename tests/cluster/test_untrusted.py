"""A worker or a scheduler that lies: nothing of theirs runs on the client, and a wrong answer is computed elsewhere."""

import os
import pickle
from pathlib import Path

import pytest

from sojourn.cluster import inert
from sojourn.cluster.worker import OtherBuild
from sojourn.cluster.workers import MOST_WRONG, Workers
from sojourn.jobs import run_job

pytestmark = pytest.mark.hostile("workers and schedulers that lie")

HERE = Path(__file__).parent
SWEEP = {"command": "sweep", "over": ["flow.customers.arrivals.rate=20:80:20 /s"], "replications": 6}
SWEEP |= {"set": ["run.duration=60 s"]}


class Trap:
    """Leaves a file where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.place}/$PPID",)


def test_nothing_of_a_hostile_worker_runs_on_the_client_and_the_others_compute(cluster, site, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    cluster.environment = cluster.environment | {"MARKS": str(marks)}
    hostile = cluster.start_worker("hostile", "--preload", str(HERE / "hostile_worker.py"))
    cluster.wait_for_workers(3)
    request = SWEEP | {"file": str(site)}
    try:
        with pytest.warns(UserWarning, match=r"^worker tcp://127\.0\.0\.1:\d+ is not used: it gave 3 answers"):
            together = run_job(request | {"cache": tmp_path / "together", "cluster": cluster.address})
    finally:
        hostile.kill()
    sprung = {mark.name for mark in marks.iterdir()}
    assert str(hostile.pid) in sprung, "the trap springs where it is unpickled: the worker does so with its own errors"
    assert str(os.getpid()) not in sprung
    assert together.results_text == run_job(request | {"cache": tmp_path / "alone", "jobs": 1}).results_text


def test_what_is_pickled_reads_as_data(tmp_path):
    from distributed import KilledWorker  # noqa: PLC0415 - not needed to collect
    from tblib import pickling_support  # noqa: PLC0415

    for value in (Trap(tmp_path), [Trap(tmp_path)], {"a": Trap(tmp_path)}, {1, 2}, Path("/"), print, os.system):
        found = inert.loads(pickle.dumps(value))
        assert not callable(found) or found is inert.Inert
    assert list(tmp_path.iterdir()) == []
    assert inert.loads(pickle.dumps(b"answers")) == b"answers"
    assert isinstance(inert.loads(b"\x80nothing"), inert.Inert)
    pickling_support.install()  # as a worker does
    for fault in (OtherBuild("tcp://a:1", "abc", "9.9"), KilledWorker("key", Path("/"), 0)):
        error = inert.loads(pickle.dumps(fault))
        assert (type(error), error.args[0]) == (type(fault), fault.args[0])
    assert str(inert.loads(pickle.dumps(ValueError("wrong")))) == "wrong"


def test_a_client_of_the_users_own_reads_as_ever(tmp_path):
    from distributed.protocol import pickle as theirs  # noqa: PLC0415 - not needed to collect

    with inert.reading():
        assert isinstance(theirs.loads(pickle.dumps(Trap(tmp_path))), inert.Inert)
    assert list(tmp_path.iterdir()) == []
    assert theirs.loads(pickle.dumps(Path("/"))) == Path("/")


def test_a_worker_is_left_out_after_some_wrong_answers_with_one_sentence():
    said: list[str] = []
    workers = Workers(said.append)
    workers._threads = {"tcp://a:1": 1, "tcp://b:1": 1}
    for _ in range(MOST_WRONG - 1):
        workers.wrong("tcp://a:1")
    assert (said, workers.count) == ([], 2)
    workers.wrong("tcp://a:1")
    workers.wrong("tcp://a:1")
    assert workers.addresses == {"tcp://b:1"}
    assert said == ["worker tcp://a:1 is not used: it gave 3 answers that were none to what was asked"]


@pytest.mark.parametrize("said", ["\x1b]0;title\x07", "x" * 10_000, "two\nlines"])
def test_what_a_worker_says_is_shown_in_one_short_printable_line(said):
    lines: list[str] = []
    Workers(lines.append).refuse("tcp://a:1", said, said)
    (line,) = lines
    assert line.isprintable()
    assert len(line) < 1000
