"""Measurements of a peer: a form that starts one without a document, and those of before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sojourn.bindings import call_json
from sojourn.errors import UserError
from sojourn.secret import shown_document
from sojourn.workbench.asked import Command, of_form
from sojourn.workbench.rendering import form_of, page, visitor

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_LISTED = 50
DECLARED = ("rate",)
"""The options of the form that are keys of `[measure]`."""


def listed(request: Request) -> Response:
    """The form, and the latest measurements."""
    return _listed(request)


async def start(request: Request) -> Response:
    """Starts a measurement; a form that is refused is shown again with the reason."""
    state, form = request.app.state, await form_of(request)
    try:
        asked = await run_in_threadpool(of_form, {**form, "command": [Command.measure.value]}, state.settings)
        job = await state.jobs.start(asked, request.scope["visitor"], visitor(request))
    except UserError as error:
        return _listed(request, 400, str(error), form)
    return RedirectResponse(f"/jobs/{job.record.number}", 303)


def _listed(
    request: Request, status: int = 200, refused: str = "", form: Mapping[str, Sequence[str]] | None = None
) -> Response:
    state = request.app.state
    jobs = [job for job in state.jobs.list() if job.record.asked.command is Command.measure]
    return page(
        request,
        "measurements",
        status,
        jobs=jobs[:MOST_LISTED],
        hints=hints("ip", "measure", DECLARED),
        given=given(form or {}),
        refused=refused,
        measures=state.settings.measures,
    )


def given(form: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The fields of a form that is shown again, without a password that was typed."""
    return {name: values[0] for name, values in form.items() if values[0] == shown_document(values[0])}


@cache
def hints(schema: str, table: str, keys: tuple[str, ...]) -> dict[str, str]:
    """What keys of a table are, as they are declared, and the value of a field that is left empty."""
    declared = call_json("schema", schema)["properties"][table]
    members = (declared.get("items") or declared)["properties"]
    return {key: " ".join(filter(None, [members[key]["description"], _default(members[key])])) for key in keys}


def _default(declared: Mapping[str, Any]) -> str:
    default = str(declared.get("x-default", "")).strip('"')
    return f"Empty: {default}." if default else ""
