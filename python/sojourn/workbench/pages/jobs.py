"""Jobs: the list, one with its progress and results, starting, stopping and removing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from sojourn.errors import UnknownName, UserError
from sojourn.reading import json_of
from sojourn.secret import shown_document
from sojourn.workbench.asked import Command, of_form
from sojourn.workbench.drawing import KEPT, figures_of
from sojourn.workbench.guard import OF_REPORT
from sojourn.workbench.pages import scenarios
from sojourn.workbench.rendering import form_of, page, visitor
from sojourn.workbench.streaming import HEARTBEAT_S, stream

if TYPE_CHECKING:
    from starlette.requests import Request

    from sojourn.workbench.jobs import Job, Jobs
    from sojourn.workbench.journal import Journal

MOST_LISTED = 200
FILES = {
    "report.html": "text/html",
    "results.json": "application/json",
    "find.json": "application/json",
    "verdicts.json": "application/json",
    "scenario.toml": "text/plain",
    "samples.csv.gz": "application/gzip",
    "samples.parquet": "application/vnd.apache.parquet",
    "flows.csv": "text/csv",
    "conversations.csv": "text/csv",
}
"""The files of results that can be opened, and their types."""


def listed(request: Request) -> Response:
    """The latest jobs; those with results can be compared."""
    jobs: Jobs = request.app.state.jobs
    latest = jobs.list()[:MOST_LISTED]
    ended = [job for job in latest if job.record.state.has_ended]
    compares = [job for job in ended if jobs.journal.file(job.record.number, "results.json") is not None]
    numbers = [job.record.number for job in compares]
    return page(request, "jobs", jobs=latest, compares=numbers, chosen=_same_scenario(compares))


def _same_scenario(latest: Sequence[Job]) -> tuple[int, ...]:
    """The last two jobs of one scenario, the older one first; empty where there are none."""
    before: dict[str, int] = {}
    for job in latest:
        record = job.record
        if record.asked.name in before:
            return record.number, before[record.asked.name]
        before[record.asked.name] = record.number
    return ()


async def start(request: Request) -> Response:
    """Starts the job of a form: of the text that the editor shows, or of a file as it is."""
    state, form = request.app.state, await form_of(request)
    if "text" in form:
        return await scenarios.run(request, form)
    asked = await run_in_threadpool(of_form, form, state.settings)
    if asked.command is Command.analyse:
        raise UserError("a capture is analysed from the page of captures, which sends it")
    job: Job = await state.jobs.start(asked, request.scope["visitor"], visitor(request))
    return _to(job.record.number)


async def shown(request: Request) -> Response:
    """A job with its progress or its results; that of a monitor is among the monitors."""
    state, number = request.app.state, request.path_params["number"]
    job = state.jobs.get(number)
    if job.record.asked.command is Command.monitor:
        return RedirectResponse(f"/monitors/{number}", 303)
    journal = state.jobs.journal
    output = await run_in_threadpool(journal.output, number) if job.record.state.has_ended else ""
    output = await state.texts.without_secrets(output, visitor=visitor(request)) if output else ""
    found = [name for name in FILES if journal.file(number, name) is not None]
    return page(
        request,
        "job",
        job=job,
        record=job.record,
        message=shown_document(job.record.message),
        shown=shown_document(job.record.asked.shown),
        output=output,
        answers=_answers(journal, number),
        files=found,
        reports="report.html" in found,
        draws="results.json" in found and "report.html" not in found,
    )


def _answers(journal: Journal, number: int) -> list[tuple[str, str]]:
    """The questions of a search and their answers."""
    from sojourn.answers.limit import answered  # noqa: PLC0415

    found = journal.file(number, "find.json")
    return [] if found is None else list(answered(json_of(found, {})))


async def events(request: Request) -> Response:
    """The states of a job as server-sent events, until it has ended."""
    jobs: Jobs = request.app.state.jobs
    number = request.path_params["number"]
    jobs.get(number)
    return stream(jobs.watch(number, HEARTBEAT_S))


async def figures(request: Request) -> Response:
    """The figures of results, for the script that draws them."""
    state, number = request.app.state, request.path_params["number"]
    state.jobs.get(number)
    if state.jobs.journal.file(number, "results.json") is None:
        raise UnknownName("there are no figures")
    kept = state.jobs.journal.file(number, KEPT)
    if kept is not None:
        return FileResponse(kept, media_type="application/json")
    text: str = await state.drawing.do(figures_of, str(state.jobs.journal.results(number)))
    return Response(text, media_type="application/json")


def file(request: Request) -> Response:
    """A file of the results; a report runs its script without any right."""
    number, name = request.path_params["number"], request.path_params["name"]
    request.app.state.jobs.get(number)
    found = request.app.state.jobs.journal.file(number, name) if name in FILES else None
    if found is None:
        raise UnknownName("there is no such file")
    headers = OF_REPORT if name == "report.html" else {}
    return FileResponse(found, media_type=FILES[name], headers=headers)


async def stop(request: Request) -> Response:
    """Stops a job."""
    number: int = request.path_params["number"]
    request.app.state.jobs.stop(number, request.scope["visitor"])
    return _to(number)


async def resume(request: Request) -> Response:
    """Continues a job that was stopped, or computes one that has ended again, as a new job."""
    jobs: Jobs = request.app.state.jobs
    job = await jobs.resume(request.path_params["number"], request.scope["visitor"], visitor(request))
    return _to(job.record.number)


async def remove(request: Request) -> Response:
    """Deletes a job."""
    jobs, number = request.app.state.jobs, request.path_params["number"]
    is_monitor = jobs.get(number).record.asked.command is Command.monitor
    jobs.remove(number)
    return RedirectResponse("/monitors" if is_monitor else "/jobs", 303)


def _to(number: int) -> Response:
    return RedirectResponse(f"/jobs/{number}", 303)
