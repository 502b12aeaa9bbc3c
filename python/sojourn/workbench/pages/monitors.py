"""Monitors: a form that starts one, those that run, and one with its windows and outages as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sojourn.errors import UnknownName, UserError
from sojourn.secret import shown_document
from sojourn.workbench.asked import Command, of_form
from sojourn.workbench.jobs import MOST_MONITORS
from sojourn.workbench.pages.measurements import given, hints
from sojourn.workbench.rendering import form_of, page, visitor
from sojourn.workbench.streaming import HEARTBEAT_S, stream

if TYPE_CHECKING:
    from starlette.requests import Request

    from sojourn.workbench.jobs import Job
    from sojourn.workbench.monitors import Watched

MOST_LISTED = 50
OF_TARGET, OF_MONITOR = ("rate", "timeout"), ("window", "quiet")
"""The options of the form that are keys of these tables of a document."""


async def listed(request: Request) -> Response:
    """The form, the monitors that run and those that ended."""
    return await _listed(request)


async def start(request: Request) -> Response:
    """Starts a monitor; a form that is refused is shown again with the reason."""
    state, form = request.app.state, await form_of(request)
    try:
        asked = await run_in_threadpool(of_form, {**form, "command": [Command.monitor.value]}, state.settings)
        job = await state.jobs.start(asked, request.scope["visitor"], visitor(request))
    except UserError as error:
        return await _listed(request, 400, str(error), form)
    return RedirectResponse(f"/monitors/{job.record.number}", 303)


async def _listed(
    request: Request, status: int = 200, refused: str = "", form: Mapping[str, Sequence[str]] | None = None
) -> Response:
    state = request.app.state
    monitors = state.jobs.monitors()
    running = [job for job in monitors if not job.record.state.has_ended]
    ended = [job for job in monitors if job.record.state.has_ended]
    return page(
        request,
        "monitors",
        status,
        running=[(job, await _watched(request, job)) for job in running],
        ended=ended[:MOST_LISTED],
        hints=hints("monitor", "target", OF_TARGET) | hints("monitor", "monitor", OF_MONITOR),
        given=given(form or {}),
        refused=refused,
        measures=state.settings.measures,
        most=MOST_MONITORS,
    )


async def shown(request: Request) -> Response:
    """A monitor with its targets."""
    job = _job(request)
    record = job.record
    return page(
        request,
        "monitor",
        job=job,
        record=record,
        watched=await _watched(request, job),
        command=shown_document(record.asked.shown),
        message=shown_document("\n".join(job.messages) or record.message),
    )


async def events(request: Request) -> Response:
    """A sign whenever a monitor has written lines or changed its state, until it has ended: one, or all that run."""
    jobs = request.app.state.jobs
    running = [job for job in jobs.monitors() if not job.record.state.has_ended]
    chosen = [_job(request)] if "number" in request.path_params else running
    return stream(_changes(request, chosen))


async def _changes(request: Request, chosen: Sequence[Job]) -> AsyncIterator[dict[str, Any] | None]:
    seen: dict[str, Any] = {}
    while not request.app.state.jobs.is_closing:
        states = {str(job.record.number): job.record.state.value for job in chosen}
        versions = {str(job.record.number): (await _watched(request, job)).version for job in chosen}
        found = {"states": states, "versions": versions}
        yield found if found != seen else None
        if all(job.record.state.has_ended for job in chosen):
            return
        seen = found
        await asyncio.sleep(HEARTBEAT_S)


async def _watched(request: Request, job: Job) -> Watched:
    """What the files of a monitor have until now."""
    state = request.app.state
    watched: Watched = state.monitors.of(job.record.number, state.jobs.journal.results(job.record.number))
    await run_in_threadpool(watched.read)
    return watched


def _job(request: Request) -> Job:
    job: Job = request.app.state.jobs.get(request.path_params["number"])
    if job.record.asked.command is not Command.monitor:
        raise UnknownName(f"job {job.record.number} is not a monitor")
    return job
