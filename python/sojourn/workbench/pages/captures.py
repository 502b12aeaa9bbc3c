"""Captures of real networks: one that is sent becomes a job that analyses it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from sojourn.bindings import call_json
from sojourn.errors import UserError
from sojourn.workbench.asked import ENDINGS, Command, of_form
from sojourn.workbench.guard import MOST_OF, SIMULATING_POLICY
from sojourn.workbench.rendering import captures_address, page

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_LISTED = 50


def listed(request: Request) -> Response:
    """The place that reads a capture in the browser, the form that sends one, and the latest analyses."""
    jobs = [job for job in request.app.state.jobs.list() if job.record.asked.command is Command.analyse]
    engine = captures_address()
    answered = page(
        request,
        "captures",
        jobs=jobs[:MOST_LISTED],
        kinds=[network["kind"] for network in call_json("networks")],
        endings=ENDINGS,
        most=MOST_OF["/captures"],
        engine=engine,
    )
    if engine:
        answered.headers["content-security-policy"] = SIMULATING_POLICY
    return answered


async def analyse(request: Request) -> Response:
    """Takes a capture as the body of the request, with its name and the options in the address."""
    state = request.app.state
    try:
        asked = await run_in_threadpool(of_form, _fields(request), state.settings)
        job = await state.jobs.analyse(asked, request.scope["visitor"], lambda file: _received(request, file))
    except UserError as error:
        return JSONResponse({"refused": str(error)}, 400)
    return JSONResponse({"address": f"/jobs/{job.record.number}"})


def _fields(request: Request) -> Mapping[str, Sequence[str]]:
    fields: dict[str, list[str]] = defaultdict(list)
    for name, value in request.query_params.multi_items():
        fields[name].append(value)
    return fields | {"command": [Command.analyse.value]}


async def _received(request: Request, file: Path) -> None:
    """Writes the body to a new file; `UserError` where it is empty or ends early."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    octets = 0
    with os.fdopen(handle, "wb") as stream:
        try:
            async for part in request.stream():
                octets += await run_in_threadpool(stream.write, part)
        except ClientDisconnect:
            raise UserError("the capture did not arrive") from None
    if not octets:
        raise UserError(f"{file.name} is empty")
