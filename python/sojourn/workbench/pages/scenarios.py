"""The scenarios of the folder, and the editor of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from sojourn.bindings import call, call_json
from sojourn.errors import UserError
from sojourn.workbench.access import Role
from sojourn.workbench.rendering import form_of, page, visitor
from sojourn.workbench.scenarios import Changed, Scenarios, Text, refuse_large, refuse_name
from sojourn.workbench.texts import Texts

if TYPE_CHECKING:
    from starlette.requests import Request

MEASUREMENTS = ("ip-measurement", "monitor", "mesh")
RECENT = 5
"""Jobs shown beside the scenarios."""


async def listed(request: Request) -> Response:
    """All scenarios, and the latest jobs."""
    state, whose = request.app.state, visitor(request)
    entries = await state.scenarios.list(lambda names: state.texts.heads(names, visitor=whose))
    return page(
        request,
        "scenarios",
        folder=state.settings.folder.name,
        entries=entries,
        templates=[*(network["kind"] for network in call_json("networks")), *MEASUREMENTS],
        jobs=state.jobs.list()[:RECENT],
    )


async def create(request: Request) -> Response:
    """A new scenario from a template."""
    form = await form_of(request)
    name = form.get("name", [""])[0].strip()
    name = name if name.endswith(".toml") else f"{name}.toml"
    refuse_name(name)
    text = str(await run_in_threadpool(call, "new", form.get("template", [""])[0]))
    await run_in_threadpool(request.app.state.scenarios.save, name, text, None)
    return RedirectResponse(f"/scenarios/{name}", 303)


async def edited(request: Request) -> Response:
    """The editor of a scenario with what its check found, and the forms that start jobs of it."""
    name = request.path_params["name"]
    note = "Saved." if "saved" in request.query_params else ""
    return await _editor(request, name, request.app.state.scenarios.read(name), note=note)


async def save(request: Request) -> Response:
    """Saves a text. Where the file has changed meanwhile, the text is shown again and nothing is written."""
    scenarios: Scenarios = request.app.state.scenarios
    texts: Texts = request.app.state.texts
    name, form = request.path_params["name"], await form_of(request)
    text, version = form.get("text", [""])[0].replace("\r\n", "\n"), form.get("version", [""])[0]
    refuse_name(name)
    try:
        refuse_large(text)
        await texts.refuse_outside(text, visitor=visitor(request))
        await run_in_threadpool(scenarios.save, name, text, version)
    except Changed as error:
        now = await run_in_threadpool(scenarios.read, name)
        shown, note, status = Text(text, now.version), str(error), 409
    except UserError as error:
        shown, note, status = Text(text, version), str(error), 400
    else:
        # the Back button leads to a page, not to a form that is sent again
        return RedirectResponse(f"/scenarios/{name}?saved", 303)
    return await _editor(request, name, shown, note=note, status=status)


async def check(request: Request) -> Response:
    """What is wrong with a text that is not saved, for the editor's script."""
    form = await form_of(request)
    texts: Texts = request.app.state.texts
    name, text = request.path_params["name"], form.get("text", [""])[0]
    refuse_name(name)
    found = await texts.check(name, text, visitor=visitor(request))
    return JSONResponse(vars(found) | {"valid": found.is_valid})


async def full(request: Request) -> Response:
    """The full form of a scenario: every key with its value and where it comes from."""
    name = request.path_params["name"]
    text = await request.app.state.texts.full(name, hides=_hides(request), visitor=visitor(request))
    return page(request, "text", title=f"{name} in full", text=text, back=f"/scenarios/{name}")


async def _editor(request: Request, name: str, shown: Text, *, note: str = "", status: int = 200) -> Response:
    texts: Texts = request.app.state.texts
    found = await texts.examine(name, shown.text, hides=_hides(request), visitor=visitor(request))
    measures = request.app.state.settings.measures
    return page(request, "scenario", status, name=name, version=shown.version, note=note, measures=measures, **found)


def _hides(request: Request) -> bool:
    """Whether secrets are hidden: who cannot run sees no passwords."""
    return request.scope["role"] is not Role.run
