"""The workers of a cluster that have the same build as this host, and answer what they are asked."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from sojourn.cluster import worker

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 2.0
LOOK_FOR_FIRST_S = 0.1
"""How often to look for workers that came and went; for the first, and for answers of those just asked."""
MOST_WRONG = 3
"""Answers of a worker that are none to what was asked, after which it is left out."""
LONGEST = 200
"""Characters of what a worker says that are shown."""
BEFORE_BATCHES = 1
"""Priority of the question for the build; that of batches is 0."""


class Workers:
    """Who computes: workers of another build are refused by name, once each."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        """No worker is known yet; `warn` gets a line for each worker that is left out."""
        self._warn = warn
        self._identity, self._version = worker.build()
        self._threads: dict[str, int] = {}
        self._asked: dict[str, Future] = {}
        self._refused: dict[str, str] = {}
        self._wrong: Counter[str] = Counter()
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

    def wrong(self, address: str) -> None:
        """A worker answered something else than it was asked for; after some such answers it computes nothing more."""
        self._wrong[address] += 1
        if self._wrong[address] >= MOST_WRONG:
            self._leave_out(address, f"gave {MOST_WRONG} answers that were none to what was asked")
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
        match fault:
            case worker.OtherBuild(args=(_, str(identity), str(version))):
                here = f"here is {self._version}, build {self._identity}"
                self._leave_out(address, f"has sojourn {_shown(version)}, build {_shown(identity)}; {here}")
            case _:
                self._leave_out(address, f"cannot load sojourn: {_shown(str(fault))}")

    def _leave_out(self, address: str, why: str) -> None:
        if address not in self._refused:
            self._refused[address] = f"worker {_shown(address)} is not used: it {why}"
            self._warn(self._refused[address])


def _shown(text: str) -> str:
    """What a worker says, as a terminal may show it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:LONGEST])
