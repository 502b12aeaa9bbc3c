"""Which replication is blamed where workers end, on a pretended cluster: what is queued on a worker ends with it."""

import json
import time
from types import SimpleNamespace

import pytest

from sojourn.bindings import extension
from sojourn.cluster import driver, workers
from sojourn.jobs import run_job

FATAL = 3
"""The replication that ends its worker."""


class Cluster:
    """Two workers that are started again with another address; connection, client and what awaits futures in one."""

    address, loop, may_return = "tcp://pretended:1", None, False
    fatal: int | None = FATAL

    def __init__(self) -> None:
        self.client = self
        self.started = 0
        self.queues: dict[str, list[tuple[SimpleNamespace, str]]] = {}
        self.ended: list[list[list[int]]] = []
        """Replications of each batch that was on a worker that ended."""
        self.start()
        self.start()

    def start(self) -> None:
        self.started += 1
        self.queues[f"tcp://worker:{self.started}"] = []

    def is_alive(self) -> bool:
        return True

    def close(self) -> None:
        pass

    def ncores(self) -> dict[str, int]:
        return dict.fromkeys(self.queues, 1)

    def who_has(self, futures: list[SimpleNamespace]) -> dict[str, list[str]]:
        return {future.key: [future.worker] for future in futures}

    def submit(self, *_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(status="finished")

    def map(self, _, texts, key, workers, **__) -> list[SimpleNamespace]:
        """Queues everything that may be anywhere on one worker."""
        futures = [SimpleNamespace(key=one, status="pending") for one in key]
        for future, text in zip(futures, texts, strict=True):
            (queue, *_) = [self.queues[address] for address in workers or self.queues]
            queue.append((future, text))
        return futures

    def add(self, future: SimpleNamespace) -> None:
        pass

    def next_batch(self, block: bool) -> list[tuple[SimpleNamespace, bytes | None]]:
        """Each worker computes its next batch, or ends."""
        answered = []
        for address, queue in list(self.queues.items()):
            if not queue:
                continue
            if any(self.fatal in run["replications"] for run in json.loads(queue[0][1])["runs"]):
                answered += self.end(address)
            else:
                future, text = queue.pop(0)
                computation = extension().Computation(text)
                while not computation.wait(1.0):
                    pass
                future.status = "finished"
                answered.append((future, computation.answers()))
        return answered

    def end(self, address: str) -> list[tuple[SimpleNamespace, None]]:
        from distributed import KilledWorker  # noqa: PLC0415 - not needed to collect

        lost = self.queues.pop(address)
        self.start()
        self.ended.append([json.loads(text)["runs"][0]["replications"] for _, text in lost])
        fault = KilledWorker("batch", SimpleNamespace(address=address), 0)
        for future, _ in lost:
            future.status, future.exception = "error", lambda: fault
        return [(future, None) for future, _ in lost]


@pytest.fixture
def pretended(monkeypatch) -> Cluster:
    cluster = Cluster()
    monkeypatch.setattr(driver, "Connection", lambda _: cluster)
    monkeypatch.setattr(driver.Driver, "_awaited", lambda _: cluster)
    monkeypatch.setattr(workers, "LOOK_S", 0.0)
    return cluster


def test_what_is_queued_behind_a_replication_that_ends_its_worker_is_not_blamed(pretended, site):
    request = {"command": "sweep", "file": str(site), "over": ["flow.customers.arrivals.rate=20,40 /s"]}
    request |= {"set": ["run.duration=5 s"], "replications": 8, "cluster": pretended.address}
    outcome = run_job(request | {"cache": site.parent / "cache"})

    assert [failure["point"] for failure in outcome.failures] == [0, 1]
    for failure in outcome.failures:
        assert failure["message"].startswith("replication 3: every worker that computed it ended, the last tcp://")
    assert len(list((site.parent / "cache").glob("replications/*/*"))) == 14
    beside = [batches for batches in pretended.ended if len(batches) > 1]
    assert beside, "nothing was queued behind it"
    assert pretended.ended.count([[FATAL]]) >= 6, "three workers for each point, none of which computed anything else"


class Hanging(Cluster):
    """A cluster whose first worker takes batches and answers none of them; the other is idle soon."""

    fatal = None

    def next_batch(self, block: bool) -> list[tuple[SimpleNamespace, bytes | None]]:
        hung, _ = self.queues
        taken, self.queues[hung] = self.queues[hung], []
        answered = super().next_batch(block)
        self.queues[hung] = taken
        return answered

    def map(self, _, texts, key, workers, **__) -> list[SimpleNamespace]:
        """Queues each batch where fewest are."""
        futures = [SimpleNamespace(key=one, status="pending") for one in key]
        for future, text in zip(futures, texts, strict=True):
            min(self.queues.values(), key=len).append((future, text))
        return futures


def test_a_batch_on_a_worker_that_answers_nothing_is_computed_a_second_time(monkeypatch, site):
    cluster = Hanging()
    monkeypatch.setattr(driver, "Connection", lambda _: cluster)
    monkeypatch.setattr(driver.Driver, "_awaited", lambda _: cluster)
    monkeypatch.setattr(workers, "LOOK_S", 0.0)
    monkeypatch.setattr(driver, "LATE_S", 0.2)
    until = time.monotonic() + 60

    def watch(_: object) -> None:
        assert time.monotonic() < until, "the late batch is not computed again"

    request = {"command": "sweep", "file": str(site), "over": ["flow.customers.arrivals.rate=20,40 /s"]}
    request |= {"set": ["run.duration=5 s"], "replications": 8, "cluster": cluster.address}
    outcome = run_job(request | {"cache": site.parent / "cache"}, watch)
    assert outcome.failures == []
    assert len(list((site.parent / "cache").glob("replications/*/*"))) == 16
    assert cluster.queues["tcp://worker:1"], "nothing was on the worker that hangs"
