"""The matrix of a mesh: agents that measure each other, live."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sojourn.errors import UnknownName
from sojourn.matrix import MARKS, WORDS
from sojourn.workbench.meshes import SHOWN, matrix_of, meshes_of
from sojourn.workbench.rendering import page
from sojourn.workbench.streaming import HEARTBEAT_S, stream

if TYPE_CHECKING:
    from starlette.requests import Request

LONGEST_NUMBER = 9


async def matrix(request: Request) -> Response:
    """The matrix of the latest mesh, or of the one asked for."""
    known = await _known(request)
    run, shown = _asked(request, [number for number, _, _ in known])
    state = await _state(request, run, shown) if run is not None else None
    return page(
        request,
        "mesh",
        mesh=state,
        meshes=known,
        run=run,
        shown=shown,
        choices=SHOWN,
        marks=[(state, mark, WORDS[state]) for state, mark in MARKS.items() if WORDS[state]],
        events=f"/mesh/events?{urlencode({'run': run, 'show': shown})}" if run is not None else "",
    )


async def events(request: Request) -> Response:
    """The cells as server-sent events, each time that one has changed."""
    known = await _known(request)
    run, shown = _asked(request, [number for number, _, _ in known])
    if run is None:
        raise UnknownName("there is no mesh")
    return stream(_changes(request, run, shown))


async def _changes(request: Request, run: int, shown: str) -> AsyncIterator[dict[str, Any] | None]:
    seen: dict[str, Any] | None = None
    while not request.app.state.jobs.is_closing:
        state = await _state(request, run, shown)
        yield None if state == seen else state
        seen = state
        await asyncio.sleep(HEARTBEAT_S)


async def _known(request: Request) -> list[tuple[int, str, int]]:
    history = request.app.state.history
    found: list[tuple[int, str, int]] = await request.app.state.answers.get(
        "meshes", lambda: run_in_threadpool(meshes_of, history)
    )
    return found


async def _state(request: Request, run: int, shown: str) -> dict[str, Any]:
    """What all readers of a matrix share for some seconds."""
    history = request.app.state.history
    found: dict[str, Any] = await request.app.state.answers.get(
        ("mesh", run, shown), lambda: run_in_threadpool(matrix_of, history, run, shown)
    )
    return found


def _asked(request: Request, known: list[int]) -> tuple[int | None, str]:
    """The mesh, by default the latest, and what of it is shown."""
    shown = request.query_params.get("show", "") or next(iter(SHOWN))
    if shown not in SHOWN:
        raise UnknownName("a matrix shows the response time or the one-way delay")
    number = request.query_params.get("run", "")
    if not number:
        return (known[0] if known else None), shown
    if not (number.isascii() and number.isdigit()) or len(number) > LONGEST_NUMBER or int(number) not in known:
        raise UnknownName("there is no such mesh among the latest")
    return int(number), shown
