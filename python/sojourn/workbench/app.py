"""The application: the routes of the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sojourn.errors import SojournError, UnknownName, UserError
from sojourn.workbench.access import Guesses, Sessions
from sojourn.workbench.drawing import Drawing
from sojourn.workbench.guard import Guard
from sojourn.workbench.history import History, Shared
from sojourn.workbench.jobs import Jobs
from sojourn.workbench.monitors import Monitors
from sojourn.workbench.pages import (
    captures,
    compare,
    entrance,
    history,
    jobs,
    measurements,
    mesh,
    monitors,
    scenarios,
    studies,
    twins,
)
from sojourn.workbench.rendering import refusal
from sojourn.workbench.scenarios import Scenarios
from sojourn.workbench.texts import Texts

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from sojourn.workbench.settings import Settings

ANSWER_S = 3.0
"""How long a list of runs is shown to other readers."""
STATUS_S = 15.0
"""That of targets, whose windows are a minute long."""
FIGURE_S = 60.0
STALE_S = 120.0
"""Age of the text of a check whose process was killed."""
ROUTES = (
    ("/", "GET", scenarios.listed),
    ("/enter", "GET", entrance.enter),
    ("/leave", "POST", entrance.leave),
    ("/static/{name}", "GET", entrance.asset),
    ("/new", "POST", scenarios.create),
    ("/schema", "GET", scenarios.schema),
    ("/scenarios/{name}", "GET", scenarios.edited),
    ("/scenarios/{name}", "POST", scenarios.save),
    ("/scenarios/{name}/check", "POST", scenarios.check),
    ("/scenarios/{name}/event", "POST", scenarios.add_event),
    ("/scenarios/{name}/full", "GET", scenarios.full),
    ("/scenarios/{name}/request", "GET", scenarios.request_of_file),
    ("/scenarios/{name}/request", "POST", scenarios.request_of_text),
    ("/jobs", "GET", jobs.listed),
    ("/jobs", "POST", jobs.start),
    ("/jobs/compare", "GET", compare.shown),
    ("/jobs/compare/figure", "GET", compare.figure),
    ("/jobs/{number:int}", "GET", jobs.shown),
    ("/jobs/{number:int}/events", "GET", jobs.events),
    ("/jobs/{number:int}/figures", "GET", jobs.figures),
    ("/jobs/{number:int}/files/{name}", "GET", jobs.file),
    ("/jobs/{number:int}/stop", "POST", jobs.stop),
    ("/jobs/{number:int}/resume", "POST", jobs.resume),
    ("/jobs/{number:int}/remove", "POST", jobs.remove),
    ("/captures", "GET", captures.listed),
    ("/captures", "POST", captures.analyse),
    ("/captures/twin", "POST", twins.save),
    ("/studies", "GET", studies.listed),
    ("/history", "GET", history.listed),
    ("/history/compare", "GET", history.compared),
    ("/history/over-time", "GET", history.over_time),
    ("/history/figure", "GET", history.figure),
    ("/history/{number:int}", "GET", history.shown),
    ("/history/{number:int}/tag", "POST", history.tag),
    ("/targets", "GET", history.targets),
    ("/measurements", "GET", measurements.listed),
    ("/measurements", "POST", measurements.start),
    ("/monitors", "GET", monitors.listed),
    ("/monitors", "POST", monitors.start),
    ("/monitors/events", "GET", monitors.events),
    ("/monitors/{number:int}", "GET", monitors.shown),
    ("/monitors/{number:int}/events", "GET", monitors.events),
    ("/mesh", "GET", mesh.matrix),
    ("/mesh/events", "GET", mesh.events),
)
"""Path, method and page; a test visits each without a role and with the lesser one."""


def application(settings: Settings) -> ASGIApp:
    """The workbench of a folder."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.settings = settings
        app.state.sessions, app.state.guesses = Sessions(settings.tokens), Guesses()
        app.state.scenarios, app.state.drawing = Scenarios(settings.folder), Drawing()
        app.state.texts = Texts(settings.folder)
        app.state.scenarios.remove_left(STALE_S)
        app.state.jobs = Jobs(settings, app.state.scenarios, app.state.texts)
        app.state.history, app.state.monitors = History(), Monitors()
        app.state.answers, app.state.status, app.state.figures = Shared(ANSWER_S), Shared(STATUS_S), Shared(FIGURE_S)
        yield
        await app.state.jobs.close()
        await app.state.texts.close()
        await app.state.drawing.close()
        app.state.history.close()

    routes = [Route(path, handler, methods=[method]) for path, method, handler in ROUTES]
    handlers: dict[Any, Callable[..., Any]] = {
        SojournError: _refused,
        404: _absent,
        405: _absent,
        413: _too_large,
        OSError: _unwritten,
        500: _broken,
    }
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), settings, _refusal)


def _refusal(status: int, reason: str) -> ASGIApp:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await refusal(Request(scope), status, "Refused", reason)(scope, receive, send)

    return answer


def _refused(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, UnknownName) else 400 if isinstance(error, UserError) else 500
    return refusal(request, status, "That did not work", str(error))


def _unwritten(request: Request, error: Exception) -> Response:
    why = getattr(error, "strerror", None) or "the operating system refused it"
    return refusal(request, 500, "That did not work", f"{why}.")


def _too_large(request: Request, error: HTTPException) -> Response:
    return refusal(request, 413, "Refused", error.detail)


def _broken(request: Request, _: Exception) -> Response:
    return refusal(request, 500, "That did not work", "The server has a fault; its terminal has more.")


def _absent(request: Request, _: Exception) -> Response:
    return refusal(request, 404, "No such page", "There is no such page.")
