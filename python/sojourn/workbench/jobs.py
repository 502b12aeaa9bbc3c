"""Jobs: each is a process of the command line in its snapshot of the folder, some at a time; the others wait.

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
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from sojourn.bindings import call
from sojourn.errors import UnknownName, UserError
from sojourn.secret import shown_document
from sojourn.workbench import snapshot
from sojourn.workbench.asked import Command
from sojourn.workbench.journal import OUTPUT, SNAPSHOT, Journal, Record, State

if TYPE_CHECKING:
    from sojourn.workbench.asked import Asked
    from sojourn.workbench.scenarios import Scenarios
    from sojourn.workbench.settings import Settings
    from sojourn.workbench.texts import Texts

MOST_WAITING = 50
MOST_MONITORS = 8
"""Monitors that run at the same time, beside the other jobs: they wait most of the time, and have no end."""
MOST_MESSAGES = 100
"""Lines beside the progress that are kept."""
MOST_LINE = 1 << 20
"""Octets of a line; what exceeds it is dropped."""
MOST_COURSE = 400
"""Points of a live figure; then every second one is dropped."""
STOP_TIMEOUT_S = 20.0
"""After which a job that does not stop is killed."""
EXIT_WELL, EXIT_FAILED, EXIT_UNDECIDED, EXIT_INTERRUPTED = 0, 1, 3, 130
CHILD = (sys.executable, "-m", "sojourn.workbench.child")
NOT_INHERITED = ("COLUMNS", "SOJOURN_PROGRESS")
PATHS = ("SOJOURN_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Variables with paths, which may be relative to where the server was started."""
MOST_ACTS = 50
"""Actions of visitors with a job that are kept."""
MOST_OF_MESSAGE = 4000
"""Characters of a line beside the progress that are kept."""


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
            self.messages.append(_cut(shown_document(line.rstrip().replace(self.results, ""))))
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

    def __init__(self, settings: Settings, scenarios: Scenarios, texts: Texts) -> None:
        """Finds those of before in the journal."""
        self._settings, self._scenarios, self._texts = settings, scenarios, texts
        self._build = str(call("identity"))
        self.journal = Journal(settings.folder)
        self._jobs = {record.number: self._job(record) for record in self.journal.read()}
        self._places = asyncio.Semaphore(settings.at_once)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.is_closing = False

    def monitors(self) -> Sequence[Job]:
        """Those of monitors, the latest first."""
        return [job for job in self.list() if job.record.asked.command is Command.monitor]

    def list(self) -> list[Job]:
        """The latest first."""
        return [self._jobs[number] for number in sorted(self._jobs, reverse=True)]

    def get(self, number: int) -> Job:
        """One of them; `UnknownName` where there is none."""
        if number not in self._jobs:
            raise UnknownName(f"there is no job {number}")
        return self._jobs[number]

    async def start(self, asked: Asked, by: str, visitor: str) -> Job:
        """Freezes what was asked for and begins it, or has it wait; `UserError` for a mistake in the scenario."""
        return await self._new(asked, by, lambda place: self._freeze(asked, place, visitor))

    async def analyse(self, asked: Asked, by: str, receive: Callable[[Path], Awaitable[None]]) -> Job:
        """Begins the analysis of a capture, which `receive` writes to a path as it arrives."""

        async def fill(place: Path) -> None:
            (place / SNAPSHOT).mkdir(mode=0o700)
            await receive(place / SNAPSHOT / asked.name)

        return await self._new(asked, by, fill)

    async def resume(self, number: int, by: str, visitor: str) -> Job:
        """Continues a job that was stopped: its finished replications are in the cache. Any other that has ended, and a
        measurement, which nothing continues, is a new job of the same snapshot.
        """
        job = self.get(number)
        if not job.record.state.has_ended or number in self._tasks:
            raise UserError(f"job {number} is {job.record.state}")
        if job.record.state is State.damaged:
            raise UserError(f"what job {number} was asked for is lost with its record")
        if job.record.state is not State.stopped or job.record.asked.command is Command.measure:
            return await self._again(job, by, visitor)
        if job.record.build not in ("", self._build):
            raise UserError(f"job {number} was begun by another build of Sojourn: start it anew")
        self._refuse_more(job.record.asked)
        if job.record.asked.command is not Command.monitor:  # which goes on in its files
            shutil.rmtree(self.journal.results(number), ignore_errors=True)
        self._set(job, state=State.waiting, began_s=None, ended_s=None, message="", acts=_acts(job, by, "continued"))
        job.progress, job.course, job.is_to_stop = {}, [], False
        job.messages.clear()
        self._begin(job)
        return job

    async def _again(self, job: Job, by: str, visitor: str) -> Job:
        asked, source = job.record.asked, self.journal.snapshot(job.record.number)
        if not source.is_dir():
            return await self.start(asked, by, visitor)
        return await self._new(asked, by, lambda place: run_in_threadpool(snapshot.copy, source, place / SNAPSHOT))

    async def _new(self, asked: Asked, by: str, fill: Callable[[Path], Awaitable[None]]) -> Job:
        self._refuse_more(asked)
        place = self.journal.begin()
        try:
            await fill(place)
            self._refuse_more(asked)
            job = self._job(self.journal.create(asked, time.time(), by=by, build=self._build, place=place))
        finally:
            await run_in_threadpool(shutil.rmtree, place, ignore_errors=True)
        self._jobs[job.record.number] = job
        self._begin(job)
        return job

    async def _freeze(self, asked: Asked, place: Path, visitor: str) -> None:
        """Puts the scenario and the files that it names into a folder, and checks what is there."""
        has_document = asked.command is not Command.study and asked.name != ""
        text = self._scenarios.read(asked.name).text if has_document else ""
        files = await self._texts.named(text, asked.assignments, visitor=visitor)
        into, name = place / SNAPSHOT, asked.name if has_document else ""
        await run_in_threadpool(snapshot.freeze, self._settings.folder, into, name, text, files)
        if has_document and asked.command is not Command.measure:
            await self._texts.refuse_mistakes(into, name, asked.settings, visitor=visitor)

    def stop(self, number: int, by: str = "") -> None:
        """Stops a job as Ctrl-C does; one that waits does not begin."""
        job = self.get(number)
        if job.record.state.has_ended:
            raise UserError(f"job {number} is {job.record.state}")
        job.is_to_stop = True
        if by:
            self._set(job, acts=_acts(job, by, "stopped"))
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

    def _refuse_more(self, asked: Asked) -> None:
        if self.is_closing:
            raise UserError("the server ends")
        if asked.command is Command.monitor:
            running = sum(not job.record.state.has_ended for job in self.monitors())
            if running >= MOST_MONITORS:
                raise UserError(f"{running} monitors run already: stop one of them")
            return
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
            if job.record.asked.command is Command.monitor:
                await self._process(job)
                return
            async with self._places:
                await self._process(job)
        except asyncio.CancelledError:
            self._set(job, state=State.stopped, ended_s=time.time(), message="stopped before it began")
        except OSError as error:
            self._set(job, state=State.failed, ended_s=time.time(), message=f"it did not begin: {error.strerror}")

    async def _process(self, job: Job) -> None:
        number, settings = job.record.number, self._settings
        words = job.record.asked.arguments(self.journal.results(number), settings)
        # where the snapshot is missing, the job was begun by an earlier version
        frozen = self.journal.snapshot(number)
        self._set(job, state=State.running, began_s=time.time())
        with (self.journal.folder(number) / OUTPUT).open("wb") as output:
            job.process = await asyncio.create_subprocess_exec(
                *CHILD,
                str(os.getpid()),
                cwd=frozen if frozen.is_dir() else settings.folder,
                env=_environment(),
                stdin=asyncio.subprocess.PIPE,
                # the lines of a monitor are in its files, of a bounded size
                stdout=asyncio.subprocess.DEVNULL if job.record.asked.command is Command.monitor else output,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the server's terminal is the server's
            )
        if job.is_to_stop:
            self._signal(job, signal.SIGINT)
        try:
            await _say(job.process, words)
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


def _cut(line: str) -> str:
    return line if len(line) <= MOST_OF_MESSAGE else f"{line[:MOST_OF_MESSAGE]}..."


def _acts(job: Job, by: str, what: str) -> tuple[tuple[float, str, str], ...]:
    """What was done with a job, and by whom, the latest last."""
    return (*job.record.acts, (time.time(), by, what))[-MOST_ACTS:]


def _environment() -> dict[str, str]:
    """That of the server; a job runs in another folder, so that paths from here are made whole."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    kept |= {name: str(Path(kept[name]).absolute()) for name in PATHS if kept.get(name)}
    return kept | {"SOJOURN_PROGRESS": "json", "COLUMNS": "140", "NO_COLOR": "1"}


async def _say(process: asyncio.subprocess.Process, words: list[str]) -> None:
    """Passes the command line on where other users of the host do not read it."""
    assert process.stdin is not None
    with suppress(ConnectionError):  # it has ended already
        process.stdin.write(json.dumps(words).encode())
        await process.stdin.drain()
    process.stdin.close()


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
    if job.is_to_stop and job.record.asked.command is Command.monitor:
        return State.stopped  # it has no other end, and can be continued
    # an answer that is not decided says what would decide it
    if code in (EXIT_WELL, EXIT_UNDECIDED):
        return State.done
    if code == EXIT_FAILED and journal.is_missed(job.record.number):
        return State.missed
    if code == EXIT_INTERRUPTED or job.is_to_stop:
        return State.stopped
    return State.failed
