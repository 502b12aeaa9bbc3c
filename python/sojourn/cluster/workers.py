"""The workers of a cluster that have the same build as this host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from sojourn.cluster import worker

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 2.0
LOOK_FOR_FIRST_S = 0.1
"""How often to look for workers that came and went; for the first, and for answers of those just asked."""
BEFORE_BATCHES = 1
"""Priority of the question for the build; that of batches is 0."""


class Workers:
    """Who computes: workers of another build are refused by name, once each."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        """No worker is known yet; `warn` gets a line for each worker that is refused."""
        self._warn = warn
        self._identity, self._version = worker.build()
        self._threads: dict[str, int] = {}
        self._asked: dict[str, Future] = {}
        self._refused: dict[str, str] = {}
        self._looked = 0.0
        self._asked_last = 0.0

    @property
    def count(self) -> int:
        """Workers that compute."""
        return len(self._threads)

    @property
    def addresses(self) -> set[str]:
        """Their addresses."""
        return set(self._threads)

    @property
    def threads(self) -> int:
        """Threads of all of them."""
        return sum(self._threads.values())

    @property
    def refused(self) -> list[str]:
        """What was said of workers with other builds."""
        return list(self._refused.values())

    @property
    def allowed(self) -> list[str] | None:
        """The addresses that tasks are restricted to; None while every worker computes."""
        return list(self._threads) if len(self._threads) < len(self._asked) else None

    def renewed(self) -> Workers:
        """No worker known, as after a scheduler's restart, in which workers may come back with the same address."""
        return Workers(self._warn)

    def look(self, client: Client) -> bool:
        """Looks which workers are there, every few seconds; whether it looked."""
        now = time.monotonic()
        waits = now - self._asked_last < LOOK_S and any(asked.status == "pending" for asked in self._asked.values())
        if now - self._looked < (LOOK_S if self._threads and not waits else LOOK_FOR_FIRST_S):
            return False
        threads: dict[str, int] = client.ncores()
        for address in threads.keys() - self._asked.keys():
            # nothing waits for the answer: a worker that hangs gives none
            options = {"workers": [address], "allow_other_workers": False, "pure": False, "priority": BEFORE_BATCHES}
            self._asked[address] = client.submit(worker.check, self._identity, **options)
            self._asked_last = now
        self._asked = {address: asked for address, asked in self._asked.items() if address in threads}
        self._refused = {address: said for address, said in self._refused.items() if address in threads}
        self._threads = {
            address: threads[address] for address, asked in self._asked.items() if self._is_good(asked, address)
        }
        self._looked = time.monotonic()
        return True

    def refuse(self, address: str, identity: str, version: str) -> None:
        """A worker answered that it has another build."""
        self._judge(address, worker.OtherBuild(address, identity, version))
        self._threads.pop(address, None)

    def ended(self, address: str) -> None:
        """A worker ended; the next look finds one that was started again."""
        self._threads.pop(address, None)

    def _is_good(self, asked: Future, address: str) -> bool:
        """Whether a worker has answered that it has this build."""
        if asked.status == "error":
            self._judge(address, asked.exception())
        return bool(asked.status == "finished") and address not in self._refused

    def _judge(self, address: str, fault: BaseException) -> None:
        if address in self._refused:
            return
        match fault:
            case worker.OtherBuild(args=(_, str(identity), str(version))):
                said = f"has sojourn {version}, build {identity}; here is {self._version}, build {self._identity}"
            case _:
                said = f"cannot load sojourn: {fault}"
        self._refused[address] = f"worker {address} is not used: it {said}"
        self._warn(self._refused[address])
