"""The results of two jobs compared, as `sojourn compare` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from sojourn.errors import UnknownName
from sojourn.secret import shown_document
from sojourn.workbench import comparing
from sojourn.workbench.rendering import page

if TYPE_CHECKING:
    from starlette.requests import Request

    from sojourn.workbench.jobs import Job


async def shown(request: Request) -> Response:
    """Two jobs, the probe's numbers first, then what differs beside them."""
    both = _jobs(request)
    found: dict[str, Any] = await request.app.state.drawing.do(comparing.compared, *_folders(request, both))
    names = [shown_document(job.record.asked.shown) for job in both]
    return page(request, "jobs_compared", jobs=both, names=names, **found)


async def figure(request: Request) -> Response:
    """Both distributions, for the script that draws them."""
    both, drawing = _jobs(request), request.app.state.drawing
    names = [f"job {job.record.number}" for job in both]
    text: str = await drawing.do(comparing.figure, *_folders(request, both), names)
    return Response(text, media_type="application/json")


def _jobs(request: Request) -> list[Job]:
    """The two jobs that a request names; `UnknownName` unless they are two with results."""
    texts = [request.query_params.get(name, "") for name in ("first", "second")]
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts) or texts[0] == texts[1]:
        raise UnknownName("two jobs are compared: choose one in each column")
    jobs = request.app.state.jobs
    both = [jobs.get(int(text)) for text in texts]
    for job in both:
        if jobs.journal.file(job.record.number, "results.json") is None:
            raise UnknownName(f"job {job.record.number} has no results")
    return both


def _folders(request: Request, both: list[Job]) -> list[str]:
    return [str(request.app.state.jobs.journal.results(job.record.number)) for job in both]
