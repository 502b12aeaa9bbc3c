"""Processes that compute for pages: what a visitor's text or a large result needs is done there, within limits.

The server itself reads no text of a visitor but to pass it on. A call that takes too long, too much memory or gives too
much ends its process and is refused; the calls of other visitors are in other processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any
from weakref import WeakValueDictionary

from sojourn import errors

MODULE = "sojourn.workbench.calls"
LENGTH = 4
"""Octets before a message that have its length."""


class TooMuch(errors.UserError):
    """A call exceeded its limits."""


@dataclass(frozen=True)
class Limits:
    """Of one call."""

    processor_s: int
    wall_s: float
    memory: int
    """Octets of address space of its process."""
    output: int
    """Octets of its answer as JSON."""
    nice: int = 0
    """How much lower the priority of its process is than the server's."""


class Children:
    """A few processes, each of which computes one call at a time and is kept for the next."""

    def __init__(self, limits: Limits, *, most: int, of_visitor: int, calls: int, has_spare: bool = False) -> None:
        """At most `most` processes, of which a visitor has `of_visitor`; one is replaced after `calls` calls.

        With a spare one has begun before it is needed.
        """
        self._limits, self._most, self._of_visitor, self._calls = limits, most, of_visitor, calls
        self._has_spare = has_spare
        self._places = asyncio.Semaphore(most)
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._visitors: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def do(self, function: Callable[..., Any], *arguments: Any, visitor: str = "") -> Any:
        """The value of a function of a module there, arguments and value being JSON. Raises its errors of Sojourn, and
        `TooMuch` where it exceeds a limit.
        """
        call = json.dumps([function.__module__, function.__qualname__, arguments]).encode()
        own = self._visitors.setdefault(visitor, asyncio.Semaphore(self._of_visitor))
        async with own, self._places:
            child = self._taken()
            self._all.add(child)
            self._begin_another()
            try:
                await child.begun()
                async with asyncio.timeout(self._limits.wall_s):
                    octets = await child.answer(call)
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
                raise TooMuch(_too_much(self._limits)) from None
            else:
                self._keep(child)
            finally:
                if child not in self._idle:
                    self._end(child)
        return _value(json.loads(octets))

    async def close(self) -> None:
        """Ends the processes, and waits for it."""
        children, self._idle = list(self._all), []
        for child in children:
            self._end(child)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _taken(self) -> _Child:
        """An idle process that has not ended by itself, or a new one."""
        while self._idle:
            child = self._idle.pop()
            if child.is_alive:
                return child
            self._end(child)
        return _Child(self._limits)

    def _begin_another(self) -> None:
        """Begins one that the next visitor need not wait for."""
        if self._has_spare and not self._idle and len(self._all) < self._most:
            spare = _Child(self._limits)
            self._all.add(spare)
            self._idle.append(spare)
            spare.begin()

    def _keep(self, child: _Child) -> None:
        if child.calls < self._calls:
            self._idle.append(child)

    def _end(self, child: _Child) -> None:
        self._all.discard(child)
        child.kill()
        # also of one that took too long the loop waits, or its pipes outlive the loop
        ending = asyncio.get_running_loop().create_task(child.ended())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


class _Child:
    """A process that answers calls."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: asyncio.Task[asyncio.subprocess.Process] | None = None
        self.calls = 0

    @property
    def is_alive(self) -> bool:
        """Whether it begins or runs."""
        begun = self._process
        return begun is None or not begun.done() or (begun.exception() is None and begun.result().returncode is None)

    def begin(self) -> None:
        """Starts the process, unless it has begun."""
        if self._process is None:
            self._process = asyncio.get_running_loop().create_task(self._started())

    async def begun(self) -> asyncio.subprocess.Process:
        """The process, once it has begun."""
        self.begin()
        assert self._process is not None
        return await asyncio.shield(self._process)

    async def answer(self, call: bytes) -> bytes:
        """Its answer to a call."""
        self.calls += 1
        process = await self.begun()
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(len(call).to_bytes(LENGTH) + call)
        await stdin.drain()
        length = int.from_bytes(await stdout.readexactly(LENGTH))
        if length > self._limits.output:
            raise ConnectionError
        return await stdout.readexactly(length)

    def kill(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            self._process.add_done_callback(_kill)

    async def ended(self) -> None:
        """Waits until it has ended and its pipes are closed."""
        if self._process is None:
            return
        with suppress(RuntimeError, OSError):  # a call that still reads its answer sees the end itself
            await (await self._process).communicate()

    async def _started(self) -> asyncio.subprocess.Process:
        limits = json.dumps(asdict(self._limits))
        return await asyncio.create_subprocess_exec(
            # -P: files of the user's folder do not stand in for modules
            *(sys.executable, "-P", "-m", MODULE, str(os.getpid()), limits),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"},
            start_new_session=True,  # Ctrl-C in the server's terminal is the server's
        )


def _kill(begun: asyncio.Task[asyncio.subprocess.Process]) -> None:
    if not begun.cancelled() and begun.exception() is None and begun.result().returncode is None:
        with suppress(ProcessLookupError):
            begun.result().kill()


def _value(answer: dict[str, Any]) -> Any:
    """What was returned; what was raised is raised here."""
    if "raised" in answer:
        kind = getattr(errors, answer["raised"], errors.UserError)
        raise kind(answer["text"])
    if "fault" in answer:
        raise RuntimeError(answer["fault"])
    return answer["value"]


def _too_much(limits: Limits) -> str:
    return f"this takes more than {limits.wall_s:.0f} s or {limits.memory >> 20} MiB, and was stopped"
