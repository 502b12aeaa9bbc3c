"""Jobs: each is a process of the command line in the folder, some at a time; the others wait.

A process reports its progress as lines of JSON on standard error (SOJOURN_PROGRESS=json), so that a job means
what the same command does in a terminal, and has its messages and results.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sojourn.errors import UnknownName, UserError
from sojourn.workbench.journal import OUTPUT, Journal, Record, State

if TYPE_CHECKING:
    from sojourn.workbench.asked import Asked
    from sojourn.workbench.settings import Settings

MOST_WAITING = 50
MOST_MESSAGES = 100
"""Lines beside the progress that are kept."""
MOST_LINE = 1 << 20
"""Octets of a line; what exceeds it is dropped."""
MOST_COURSE = 400
"""Points of a live figure; then every second one is dropped."""
STOP_TIMEOUT_S = 20.0
"""After which a job that does not stop is killed."""
EXIT_WELL, EXIT_FAILED, EXIT_INTERRUPTED = 0, 1, 130
NOT_INHERITED = ("COLUMNS", "SOJOURN_PROGRESS")


@dataclass
class Job:
    """A job and what is known of its progress."""

    record: Record
    results: str = ""
    """Path of its results, which messages leave out."""
    progress: dict[str, Any] = field(default_factory=dict)
    """The last line of progress."""
    course: list[tuple[float, float]] = field(default_factory=list)
    """Seconds since it began, and replications done until then."""
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_MESSAGES))
    process: asyncio.subprocess.Process | None = None
    is_to_stop: bool = False
    version: int = 0
    """Counts the changes of all of this."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def touch(self) -> None:
        """Wakes those who watch it."""
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def take(self, line: str) -> None:
        """Takes a line of the process: its progress, or a message."""
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict) and found.get("type") == "progress":
                self.progress = found
                self._extend()
                self.touch()
                return
        if line.strip():
            self.messages.append(line.rstrip().replace(self.results, ""))
            self.touch()

    def state(self) -> dict[str, Any]:
        """What a page draws anew, bounded in size."""
        record = self.record
        began = record.began_s
        return {
            "state": record.state.value,
            "elapsed_s": None if began is None else (record.ended_s or time.time()) - began,
            "progress": self.progress,
            "course": self.course,
            "messages": list(self.messages)[-20:],
        }

    def _extend(self) -> None:
        elapsed, done = self.progress.get("elapsed_s"), self.progress.get("replications_done")
        if not isinstance(elapsed, int | float) or not isinstance(done, int):
            return
        self.course.append((round(elapsed, 2), done))
        if len(self.course) > MOST_COURSE:
            self.course = self.course[::2]


class Jobs:
    """The jobs of a folder."""

    def __init__(self, settings: Settings) -> None:
        """Finds those of before in the journal."""
        self._settings = settings
        self.journal = Journal(settings.folder)
        self._jobs = {record.number: self._job(record) for record in self.journal.read()}
        self._places = asyncio.Semaphore(settings.at_once)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.is_closing = False

    def list(self) -> list[Job]:
        """The latest first."""
        return [self._jobs[number] for number in sorted(self._jobs, reverse=True)]

    def get(self, number: int) -> Job:
        """One of them; `UnknownName` where there is none."""
        if number not in self._jobs:
            raise UnknownName(f"there is no job {number}")
        return self._jobs[number]

    def start(self, asked: Asked) -> Job:
        """Begins a job, or has it wait for its turn."""
        self._refuse_more()
        job = self._job(self.journal.create(asked, time.time()))
        self._jobs[job.record.number] = job
        self._begin(job)
        return job

    def resume(self, number: int) -> Job:
        """Begins a job anew that has ended: its finished replications are in the cache."""
        job = self.get(number)
        if not job.record.state.has_ended or number in self._tasks:
            raise UserError(f"job {number} is {job.record.state}")
        self._refuse_more()
        shutil.rmtree(self.journal.results(number), ignore_errors=True)
        self._set(job, state=State.waiting, began_s=None, ended_s=None, message="")
        job.progress, job.course, job.is_to_stop = {}, [], False
        job.messages.clear()
        self._begin(job)
        return job

    def stop(self, number: int) -> None:
        """Stops a job as Ctrl-C does; one that waits does not begin."""
        job = self.get(number)
        if job.record.state.has_ended:
            raise UserError(f"job {number} is {job.record.state}")
        job.is_to_stop = True
        if job.record.state is State.waiting:
            self._tasks[number].cancel()
        else:
            self._signal(job, signal.SIGINT)

    def remove(self, number: int) -> None:
        """Deletes a job that has ended, with its results."""
        job = self.get(number)
        if not job.record.state.has_ended or number in self._tasks:
            raise UserError(f"job {number} is {job.record.state}: stop it first")
        self.journal.remove(number)
        del self._jobs[number]

    async def watch(self, number: int, wait_s: float) -> AsyncIterator[dict[str, Any] | None]:
        """Its state at each change, until it has ended; None when nothing has changed for a time.

        A slow reader misses states, never the last one.
        """
        job = self.get(number)
        seen = -1
        while True:
            if job.version != seen:
                seen = job.version
                yield job.state()
            elif not self.is_closing:
                yield None
            if self.is_closing or (job.record.state.has_ended and job.version == seen):
                return
            changed = job.changed
            if job.version == seen:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), wait_s)

    async def close(self) -> None:
        """Stops what runs, and waits for it."""
        self.is_closing = True
        for job in self._jobs.values():
            if not job.record.state.has_ended:
                with suppress(UserError):
                    self.stop(job.record.number)
            job.touch()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _job(self, record: Record) -> Job:
        return Job(record, f"{self.journal.results(record.number)}/")

    def _refuse_more(self) -> None:
        if self.is_closing:
            raise UserError("the server ends")
        waiting = sum(job.record.state is State.waiting for job in self._jobs.values())
        if waiting >= MOST_WAITING:
            raise UserError(f"{waiting} jobs wait already")

    def _begin(self, job: Job) -> None:
        number = job.record.number
        task = asyncio.get_running_loop().create_task(self._run(job))
        self._tasks[number] = task
        task.add_done_callback(lambda _: self._tasks.pop(number, None))

    async def _run(self, job: Job) -> None:
        try:
            async with self._places:
                await self._process(job)
        except asyncio.CancelledError:
            self._set(job, state=State.stopped, ended_s=time.time(), message="stopped before it began")
        except OSError as error:
            self._set(job, state=State.failed, ended_s=time.time(), message=f"it did not begin: {error.strerror}")

    async def _process(self, job: Job) -> None:
        number, settings = job.record.number, self._settings
        words = job.record.asked.arguments(self.journal.results(number), settings)
        command = [sys.executable, "-m", "sojourn.workbench.child", str(os.getpid()), *words]
        kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self._set(job, state=State.running, began_s=time.time())
        with (self.journal.folder(number) / OUTPUT).open("wb") as output:
            job.process = await asyncio.create_subprocess_exec(
                *command,
                cwd=settings.folder,
                env=kept | {"SOJOURN_PROGRESS": "json", "COLUMNS": "140", "NO_COLOR": "1"},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the server's terminal is the server's
            )
        if job.is_to_stop:
            self._signal(job, signal.SIGINT)
        try:
            await _lines(job)
            code = await job.process.wait()
        finally:
            job.process = None
        self._set(job, state=_state(code, job, self.journal), ended_s=time.time(), message="\n".join(job.messages))

    def _signal(self, job: Job, number: signal.Signals) -> None:
        process = job.process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        if number is signal.SIGINT:
            loop = asyncio.get_running_loop()
            loop.call_later(STOP_TIMEOUT_S, self._kill, job, process)

    def _kill(self, job: Job, process: asyncio.subprocess.Process) -> None:
        if job.process is process:
            self._signal(job, signal.SIGKILL)

    def _set(self, job: Job, **members: Any) -> None:
        job.record = replace(job.record, **members)
        self.journal.write(job.record)
        job.touch()


async def _lines(job: Job) -> None:
    """Passes each line of standard error on, however long it is."""
    assert job.process is not None
    assert job.process.stderr is not None
    rest = b""
    while octets := await job.process.stderr.read(1 << 16):
        *lines, rest = (rest + octets).split(b"\n")
        for line in lines:
            job.take(line.decode(errors="replace"))
        rest = rest[:MOST_LINE]
    if rest:
        job.take(rest.decode(errors="replace"))


def _state(code: int, job: Job, journal: Journal) -> State:
    if code == EXIT_WELL:
        return State.done
    if code == EXIT_FAILED and journal.is_missed(job.record.number):
        return State.missed
    if code == EXIT_INTERRUPTED or job.is_to_stop:
        return State.stopped
    return State.failed
