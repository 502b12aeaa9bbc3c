"""The twin of a capture that was read in the browser, saved as a scenario with its traces."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from sojourn.errors import UserError
from sojourn.workbench.rendering import form_of
from sojourn.workbench.scenarios import NO_FOLLOW, Scenarios, refuse_name

if TYPE_CHECKING:
    from starlette.requests import Request

TRACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,94}\.csv")
MOST_TRACES = 90
MOST_NAMES = 100


async def save(request: Request) -> Response:
    """Saves a twin under its name, or with a number behind it; its traces have names of their own."""
    state = request.app.state
    try:
        form = await form_of(request)
        name, text = (_one(form, field) for field in ("name", "text"))
        names, contents = (form.get(field, []) for field in ("trace", "content"))
        traces = dict(zip(names, contents, strict=False))
        are_named = all(TRACE.fullmatch(trace) for trace in traces)
        if not are_named or not len(traces) == len(names) == len(contents) <= MOST_TRACES:
            raise UserError(f"a twin has up to {MOST_TRACES} traces, each a CSV file with a name of its own")
        refuse_name(f"{name}.toml")
        await state.texts.refuse_outside(text, visitor=request.scope["visitor"])
        file = await run_in_threadpool(_kept, state.scenarios, name, text, traces)
    except UserError as error:
        return JSONResponse({"refused": str(error)}, 400)
    return JSONResponse({"address": f"/scenarios/{file}"})


def _one(form: Mapping[str, list[str]], field: str) -> str:
    values = form.get(field, [])
    if len(values) != 1 or not values[0].strip():
        raise UserError(f"a twin has one {field}")
    return values[0]


def _kept(scenarios: Scenarios, name: str, text: str, traces: Mapping[str, str]) -> str:
    """The name of the file, which replaces none; nothing is left where it cannot be written."""
    numbered = (f"{name}{number}.toml" for number in ("", *(f"-{number}" for number in range(2, MOST_NAMES))))
    file = next((one for one in numbered if not (scenarios.folder / one).exists()), None)
    if file is None:
        raise UserError(f"there are {MOST_NAMES} scenarios named {name} already")
    written: list[Path] = []
    try:
        for trace, content in traces.items():
            _write(scenarios.folder / trace, content)
            written.append(scenarios.folder / trace)
        scenarios.save(file, text, None)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return file


def _write(path: Path, content: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o644)
    except FileExistsError:
        raise UserError(f"{path.name} exists already: delete it, or give the capture another name") from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
        stream.write(content)
