"""The scenarios of the folder, and the editor of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from sojourn.bindings import call, call_json
from sojourn.errors import UserError
from sojourn.scenario import Scenario
from sojourn.store.redaction import cleaned, without_secrets
from sojourn.workbench.access import Role
from sojourn.workbench.confined import refuse_outside
from sojourn.workbench.rendering import form_of, page
from sojourn.workbench.scenarios import Changed, Checked, Scenarios, Text, head_of, refuse_name

if TYPE_CHECKING:
    from starlette.requests import Request

MEASUREMENTS = ("ip-measurement", "monitor")
RECENT = 5
"""Jobs shown beside the scenarios."""


def listed(request: Request) -> Response:
    """All scenarios, and the latest jobs."""
    state = request.app.state
    return page(
        request,
        "scenarios",
        folder=state.settings.folder.name,
        entries=state.scenarios.list(),
        templates=[*(network["kind"] for network in call_json("networks")), *MEASUREMENTS],
        jobs=state.jobs.list()[:RECENT],
    )


async def create(request: Request) -> Response:
    """A new scenario from a template."""
    form = await form_of(request)
    name = form.get("name", [""])[0].strip()
    name = name if name.endswith(".toml") else f"{name}.toml"
    refuse_name(name)
    text = str(call("new", form.get("template", [""])[0]))
    await run_in_threadpool(request.app.state.scenarios.save, name, text, None)
    return RedirectResponse(f"/scenarios/{name}", 303)


def edited(request: Request) -> Response:
    """The editor of a scenario with what its check found, and the forms that start jobs of it."""
    name = request.path_params["name"]
    note = "Saved." if "saved" in request.query_params else ""
    return _editor(request, name, request.app.state.scenarios.read(name), note=note)


async def save(request: Request) -> Response:
    """Saves a text. Where the file has changed meanwhile, the text is shown again and nothing is written."""
    scenarios: Scenarios = request.app.state.scenarios
    name, form = request.path_params["name"], await form_of(request)
    text, version = form.get("text", [""])[0].replace("\r\n", "\n"), form.get("version", [""])[0]
    try:
        await run_in_threadpool(scenarios.save, name, text, version)
    except Changed as error:
        now = await run_in_threadpool(scenarios.read, name)
        shown, note, status = Text(text, now.version), str(error), 409
    except UserError as error:
        shown, note, status = Text(text, version), str(error), 400
    else:
        # the Back button leads to a page, not to a form that is sent again
        return RedirectResponse(f"/scenarios/{name}?saved", 303)
    return await run_in_threadpool(_editor, request, name, shown, note=note, status=status)


async def check(request: Request) -> Response:
    """What is wrong with a text that is not saved, for the editor's script."""
    form = await form_of(request)
    scenarios: Scenarios = request.app.state.scenarios
    name, text = request.path_params["name"], form.get("text", [""])[0]
    refuse_name(name)
    found = await run_in_threadpool(scenarios.check, name, text)
    return JSONResponse(vars(found) | {"valid": found.is_valid})


def full(request: Request) -> Response:
    """The full form of a scenario: every key with its value and where it comes from."""
    name = request.path_params["name"]
    scenarios: Scenarios = request.app.state.scenarios
    refuse_outside(scenarios.folder, scenarios.read(name).text)
    text = Scenario(scenarios.path(name)).expanded()
    return page(request, "text", title=f"{name} in full", text=_for_role(request, text), back=f"/scenarios/{name}")


def _editor(request: Request, name: str, shown: Text, *, note: str = "", status: int = 200) -> Response:
    scenarios: Scenarios = request.app.state.scenarios
    found: Checked = scenarios.check(name, shown.text)
    if request.scope["role"] is not Role.run:
        found = Checked(**cleaned(vars(found)))
    title, kind = head_of(shown.text)
    return page(
        request,
        "scenario",
        status,
        name=name,
        title=title,
        kind=kind,
        text=_for_role(request, shown.text),
        version=shown.version,
        note=note,
        checked=found,
        measures=request.app.state.settings.measures,
    )


def _for_role(request: Request, text: str) -> str:
    """A text as a role may see it: one that cannot run sees no passwords."""
    return text if request.scope["role"] is Role.run else without_secrets(text)
