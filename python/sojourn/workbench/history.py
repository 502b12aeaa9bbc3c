"""The store of results for pages: one engine, and answers that several readers share for some seconds."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from sojourn.errors import UserError
from sojourn.extras import has, require

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

LOAD_EVERY_S = 2.0
"""How often records that wait are loaded, at most."""
OLDEST = 10
"""Times of an answer after which it is not shown any more."""
MOST_KEPT = 100
"""Answers that are kept."""


class History:
    """The store that the environment names; it is opened by its first reader."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._engine: Engine | None = None
        self._loaded_at = 0.0

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that reads, with what was recorded until some seconds ago."""
        with self._ready().connect().execution_options(reads=True) as connection:
            yield connection

    def tag(self, run: int, name: str) -> None:
        """Adds a tag to a run."""
        from sojourn.store.tagging import change  # noqa: PLC0415

        change(self._ready(), run, [name], remove=False)

    def close(self) -> None:
        """Closes the store."""
        with self._lock:
            self._open.close()
            self._engine = None

    def _ready(self) -> Engine:
        require("sqlalchemy", "pages of the history")
        from sojourn.store import settings, spool  # noqa: PLC0415
        from sojourn.store.database import opened  # noqa: PLC0415
        from sojourn.store.loading import load  # noqa: PLC0415

        with self._lock:
            place = settings.place()
            if place is None:
                raise UserError("there is no store: recording is off")
            if time.monotonic() - self._loaded_at >= LOAD_EVERY_S and spool.waiting(place.spool):
                load(place)
                self._loaded_at = time.monotonic()
            if self._engine is None:
                self._engine = self._open.enter_context(opened(place))
            return self._engine


def is_readable() -> bool:
    """Whether what reads the store is installed."""
    return has("sqlalchemy")


class Shared:
    """Answers that are the same for all readers, each computed once in a time however many ask for it.

    An old answer is shown once more while the next one is computed, unless it is too old.
    """

    def __init__(self, seconds: float) -> None:
        """Answers are computed again after so long, and not shown any more after ten times that."""
        self._seconds = seconds
        self._kept: OrderedDict[Any, tuple[float, Any]] = OrderedDict()
        self._next: dict[Any, asyncio.Task[Any]] = {}

    async def get(self, key: Any, compute: Callable[[], Awaitable[Any]]) -> Any:
        """The answer for a key."""
        made, answer = self._kept.get(key, (-math.inf, None))
        age_s = time.monotonic() - made
        if age_s < self._seconds:
            return answer
        task = self._next.get(key)
        if task is None:
            task = self._next[key] = asyncio.get_running_loop().create_task(self._compute(key, compute))
            task.add_done_callback(lambda done: self._ended(key, done))
        # a reader that leaves takes the answer from no other
        return answer if age_s < OLDEST * self._seconds else await asyncio.shield(task)

    async def _compute(self, key: Any, compute: Callable[[], Awaitable[Any]]) -> Any:
        answer = await compute()
        self._kept[key] = (time.monotonic(), answer)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return answer

    def _ended(self, key: Any, done: asyncio.Task[Any]) -> None:
        self._next.pop(key, None)
        if not done.cancelled() and done.exception() is not None:
            self._kept.pop(key, None)  # the next reader sees the error, not an old answer
