"""Keeps a cluster busy with the batches of a job, and returns their answers to the job."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sojourn.cluster import worker
from sojourn.cluster.connection import Connection
from sojourn.cluster.inert import reading
from sojourn.cluster.workers import Workers
from sojourn.errors import RunFailed

if TYPE_CHECKING:
    from distributed import Future, as_completed

BATCH_S = 1.0
"""Computing time of a batch, at least: long beside the few milliseconds that a task costs, short beside a run."""
TASKS_PER_S = 400.0
"""Tasks of all workers together, at most: a scheduler is busy for about a millisecond with each."""
AHEAD = 2
"""Batches on the cluster for each of its threads, so that a thread that ends one finds the next."""
AT_ONCE = 256
"""Batches submitted in one message."""
BUSY_S = 0.2
HUNGRY_S = 0.02
"""Between two turns, each of which takes a millisecond from the workers of this host: while each thread has long
batches, and while they are short or the job may have more to compute at any moment."""
LOOKS = 8
"""While each thread has its batches, how often to look in the time from handing one out to its answers."""
WAIT_FOR_WORKERS_S = 60.0
WAIT_FOR_SCHEDULER_S = 300.0
"""How long to wait for workers, or for a scheduler that was lost."""
LATE_S = 10.0
LATE_TIMES = 4.0
"""A batch is late after this time, and this many times that of the others: an idle worker computes it, too."""
MOST_FAULTS = 10
"""Faults of workers in a row, without one answer between them."""


@dataclass
class Submitted:
    """A batch on the cluster."""

    number: int
    future: Future
    since: float
    workers: list[str] | None
    is_trial: bool = False
    """Whether it holds a suspect, and its worker computes nothing else."""
    is_copied: bool = False


class Driver:
    """The cluster that computes for a job, used as a context; `turn` is called until the job has ended."""

    def __init__(self, job: Any, address: str, warn: Callable[[str], None]) -> None:
        """Connects to the cluster at `address`; `warn` gets a line for each worker that is refused."""
        self._job = job
        self._connection = Connection(address)
        self._workers = Workers(warn)
        self._submitted: dict[str, Submitted] = {}
        self._ended = self._awaited()
        self._name = f"sojourn-{uuid.uuid4().hex}"
        self._turnaround_s = 0.0
        self._last_s = 0.0
        self._faults = 0
        self._without_since: float | None = time.monotonic()

    def __enter__(self) -> Driver:
        """Returns the driver."""
        return self

    def __exit__(self, *_: object) -> None:
        """Cancels what is left on the cluster."""
        self._connection.close()

    def turn(self) -> str:
        """Submits what the job has to compute, delivers what was computed, waits a moment; a note on the cluster."""
        with reading():
            note = self._turn()
        busy_s = min(max(HUNGRY_S, self._last_s / LOOKS), BUSY_S)
        time.sleep(busy_s if self._room() <= 0 else HUNGRY_S)
        return note

    def _turn(self) -> str:
        if not self._connection.is_alive():
            return self._without_scheduler()
        try:
            if self._workers.look(self._connection.client):
                self._after_look()
            self._collect()
            self._submit()
        except (OSError, TimeoutError):
            # the connection is about to be known as lost, or the scheduler does not answer
            self._wait(WAIT_FOR_SCHEDULER_S, f"the scheduler at {self._connection.address} does not answer")
            return "waiting for the scheduler"
        return self._note()

    def _awaited(self) -> as_completed:
        """What fetches the answers of batches as they end."""
        from distributed import as_completed  # noqa: PLC0415

        return as_completed(loop=self._connection.client.loop, with_results=True)

    def _note(self) -> str:
        count = self._workers.count
        if count:
            self._without_since = None
            return f"{count} worker" + ("s" if count > 1 else "")
        self._wait(WAIT_FOR_WORKERS_S, f"no worker at {self._connection.address}", self._workers.refused)
        return "waiting for workers"

    def _without_scheduler(self) -> str:
        """Everything on a lost scheduler is lost: it is handed out once more when the scheduler is back."""
        if not self._connection.may_return:
            raise RunFailed("the processes of the local cluster ended")
        for batch in self._submitted.values():
            self._job.offer_again(batch.number)
        self._submitted.clear()
        self._wait(WAIT_FOR_SCHEDULER_S, f"the scheduler at {self._connection.address} was lost")
        if self._connection.reopen():
            self._ended = self._awaited()
            self._workers = self._workers.renewed()
            self._without_since = None
        return "waiting for the scheduler"

    def _wait(self, at_most_s: float, why: str, more: list[str] | None = None) -> None:
        now = time.monotonic()
        self._without_since = self._without_since or now
        if now - self._without_since > at_most_s:
            kept = "finished replications are kept and the same command continues"
            raise RunFailed("; ".join([f"{why} for {at_most_s:.0f} s", *(more or []), kept]))

    def _submit(self) -> None:
        """Hands out batches until each thread has enough of them; suspects first, and nothing beside them."""
        trials = [batch for batch in self._submitted.values() if batch.is_trial]
        if self._job.has_suspects() or not all(trial.is_copied for trial in trials):
            if all(batch.is_trial or batch.is_copied for batch in self._submitted.values()):
                self._try_suspects({address for trial in trials for address in trial.workers or ()})
            return
        threads = self._workers.threads
        room = min(self._room(), AT_ONCE)
        seconds = max(BATCH_S, threads / TASKS_PER_S)
        batches: list[tuple[int, str]] = []
        while len(batches) < room and (batch := self._job.take(seconds, threads)) is not None:
            batches.append(batch)
        if batches:
            self._hand_out(batches, self._workers.allowed)

    def _try_suspects(self, busy: set[str]) -> None:
        """Has each worker that is not busy compute one suspect alone: where it ends, the suspect is to blame."""
        for address in sorted(self._workers.addresses - busy):
            if (trial := self._job.take_suspect()) is None:
                return
            self._hand_out([trial], [address], is_trial=True)

    def _hand_out(self, batches: list[tuple[int, str]], workers: list[str] | None, is_trial: bool = False) -> None:
        keys = [f"{self._name}-{number}" for number, _ in batches]
        texts = [text for _, text in batches]
        try:
            futures = self._connection.client.map(worker.compute, texts, key=keys, pure=False, workers=workers)
        except (OSError, TimeoutError):
            for number, _ in batches:
                self._job.offer_again(number)
            raise
        now = time.monotonic()
        for (number, _), future in zip(batches, futures, strict=True):
            self._submitted[future.key] = Submitted(number, future, now, workers, is_trial)
            self._ended.add(future)

    def _room(self) -> int:
        """How many batches the cluster lacks until each thread has enough of them."""
        # one that is computed a second time may never end
        waiting = sum(not batch.is_copied for batch in self._submitted.values())
        return AHEAD * self._workers.threads - waiting

    def _collect(self) -> None:
        """Delivers the answers that have arrived since the last turn."""
        # answers were fetched meanwhile: one that lies on a worker that hangs is not waited for
        for future, answer in self._ended.next_batch(block=False):
            batch = self._submitted.pop(future.key, None)
            if batch is None:
                continue
            if future.status != "finished":
                self._failed(batch, future.exception() if future.status == "error" else None)
            elif isinstance(answer, bytes) and self._job.deliver(batch.number, answer):
                self._faults = 0
            else:
                self._wrong(batch)
            self._last_s = time.monotonic() - batch.since
            self._turnaround_s += (self._last_s - self._turnaround_s) / 8

    def _failed(self, batch: Submitted, fault: BaseException | None) -> None:
        """A batch without answers: others compute what it holds, unless it ends each worker that computes it."""
        from distributed import KilledWorker  # noqa: PLC0415

        match fault:
            case KilledWorker(args=(_, last, *_)):
                # the next suspect is not for a worker that is not there any more
                address = str(getattr(last, "address", "unknown"))
                self._workers.ended(address)
                self._suspect(batch, address)
            case worker.OtherBuild(args=(str(address), str(identity), str(version))):
                self._workers.refuse(address, identity, version)
                self._job.offer_again(batch.number)
            case _:
                self._faults += fault is not None
                if self._faults > MOST_FAULTS:
                    raise RunFailed(f"the workers of {self._connection.address} fail: {fault}")
                self._job.offer_again(batch.number)

    def _wrong(self, batch: Submitted) -> None:
        """An answer that is none to its batch: others compute that, and the worker is left out where it goes on so."""
        for address in self._connection.client.who_has([batch.future]).get(batch.future.key, ()):
            self._workers.wrong(address)
        self._job.offer_again(batch.number)

    def _suspect(self, batch: Submitted, last: str) -> None:
        self._job.suspect(batch.number, f"every worker that computed it ended, the last {last}; out of memory?")

    def _after_look(self) -> None:
        """Hands out once more what no worker may compute any more, and what is late while threads are idle."""
        addresses = self._workers.addresses
        now = time.monotonic()
        late_s = max(LATE_S, LATE_TIMES * self._turnaround_s)
        # a worker that hangs keeps its own threads and batches
        idle = self._workers.threads - sum(now - batch.since <= late_s for batch in self._submitted.values())
        for key, batch in list(self._submitted.items()):
            if batch.workers is not None and addresses.isdisjoint(batch.workers):
                del self._submitted[key]
                if batch.is_trial:
                    self._suspect(batch, batch.workers[0])
                else:
                    self._job.offer_again(batch.number)
            elif idle > 0 and now - batch.since > late_s and not batch.is_copied:
                batch.is_copied = True
                idle -= 1
                self._job.offer_again(batch.number)
