"""The scenarios of the folder, and the editor of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from sojourn import secret, web
from sojourn.bindings import call, call_json
from sojourn.errors import UnknownName, UserError
from sojourn.workbench.access import Role
from sojourn.workbench.asked import of_form
from sojourn.workbench.guard import SIMULATING_POLICY
from sojourn.workbench.pages import new
from sojourn.workbench.rendering import editor_address, engine_address, form_of, page, visitor
from sojourn.workbench.scenarios import Changed, Scenarios, Text, refuse_large, refuse_name, version_of
from sojourn.workbench.texts import Texts

if TYPE_CHECKING:
    from starlette.requests import Request

WITHOUT_NETWORK = ("measurement", "monitor", "mesh")
"""Kinds of documents that have no stations to simulate."""
EVENT_ADDED = "The event is at the end of the text. Save it, or run a job, which saves it."
RECENT = 5
"""Jobs shown beside the scenarios."""


async def listed(request: Request) -> Response:
    """All scenarios, what new ones begin with, and the latest jobs."""
    return await _listed(request)


async def create(request: Request) -> Response:
    """A new scenario; where its form is refused, the list with what is wrong beside its fields."""
    try:
        return await new.create(request)
    except new.Refused as refused:
        return await _listed(request, 400, refused.answered)


async def _listed(request: Request, status: int = 200, answered: new.Answered | None = None) -> Response:
    state, whose = request.app.state, visitor(request)
    entries = await state.scenarios.list(lambda names: state.texts.heads(names, visitor=whose))
    context = await run_in_threadpool(new.offered, [entry.name for entry in entries], answered)
    context |= {"folder": state.settings.folder.name, "entries": entries, "jobs": state.jobs.list()[:RECENT]}
    return page(request, "scenarios", status, section="/", **context)


async def edited(request: Request) -> Response:
    """The editor of a scenario with what its check found, and the forms that start jobs of it."""
    name = request.path_params["name"]
    return await _editor(request, name, request.app.state.scenarios.read(name), _answer(request.query_params))


def _answer(query: Mapping[str, str]) -> Answer:
    """What led to the editor: a text that was saved, or a scenario that was made of an installation."""
    if "asks" in query:
        return Answer("The scenario is written. Change what you like, and let it answer its question.", asks=True)
    return Answer("Saved." if "saved" in query else "")


async def save(request: Request) -> Response:
    """Saves a text. Where the file has changed meanwhile, both texts are shown and nothing is written."""
    name, form = request.path_params["name"], await form_of(request)
    refused = await _kept(request, name, form)
    # the Back button leads to a page, not to a form that is sent again
    return refused or RedirectResponse(f"/scenarios/{name}?saved", 303)


async def run(request: Request, form: Mapping[str, Sequence[str]]) -> Response:
    """Starts a job of the text that is on the screen, which is saved first; what refuses it is shown beside it."""
    state, name = request.app.state, form.get("name", [""])[0]
    refused = await _kept(request, name, form)
    if refused is not None:
        return refused
    try:
        asked = await run_in_threadpool(of_form, form, state.settings)
        job = await state.jobs.start(asked, request.scope["visitor"], visitor(request))
    except UserError as error:
        shown = await run_in_threadpool(state.scenarios.read, name)
        return await _editor(request, name, shown, Answer(str(error), 400, form))
    return RedirectResponse(f"/jobs/{job.record.number}", 303)


async def add_event(request: Request) -> Response:
    """Writes the event of a form into the text that is on the screen, and saves nothing."""
    name, form = request.path_params["name"], await form_of(request)
    refuse_name(name)
    text, version = form.get("text", [""])[0].replace("\r\n", "\n"), form.get("version", [""])[0]
    texts: Texts = request.app.state.texts
    try:
        refuse_large(text)
        changed = await texts.with_event(text, form, visitor=visitor(request))
    except UserError as error:
        return await _editor(request, name, Text(text, version), Answer(str(error), 400, form, opens="event"))
    return await _editor(request, name, Text(changed, version), Answer(EVENT_ADDED, is_unsaved=True, is_simulated=True))


async def _kept(request: Request, name: str, form: Mapping[str, Sequence[str]]) -> Response | None:
    """Saves the text of a form; the page that says why not."""
    scenarios: Scenarios = request.app.state.scenarios
    texts: Texts = request.app.state.texts
    text, version = form.get("text", [""])[0].replace("\r\n", "\n"), form.get("version", [""])[0]
    refuse_name(name)
    try:
        refuse_large(text)
        await texts.refuse_outside(text, visitor=visitor(request))
        await run_in_threadpool(_save, scenarios, name, text, version)
    except Changed as error:
        now = await run_in_threadpool(scenarios.read, name)
        lines = await texts.differences(now.text, text, visitor=visitor(request))
        answer = Answer(str(error), 409, form, theirs=now.text, differences=lines)
        return await _editor(request, name, Text(text, now.version), answer)
    except UserError as error:
        return await _editor(request, name, Text(text, version), Answer(str(error), 400, form))
    return None


def _save(scenarios: Scenarios, name: str, text: str, version: str) -> None:
    """Writes a text, unless the file has it already."""
    if scenarios.read(name).version != version_of(text.encode()):
        scenarios.save(name, text, version)


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


async def request_of_file(request: Request) -> Response:
    """What the page's engine simulates of the scenario as it is saved, for a visitor who may not send a text."""
    name = request.path_params["name"]
    return await _request_of(request, name, request.app.state.scenarios.read(name).text)


async def request_of_text(request: Request) -> Response:
    """The same of the text that is on the screen."""
    form, name = await form_of(request), request.path_params["name"]
    refuse_name(name)
    return await _request_of(request, name, form.get("text", [""])[0])


async def _request_of(request: Request, name: str, text: str) -> Response:
    texts: Texts = request.app.state.texts
    return JSONResponse({"request": await texts.request(name, text, hides=_hides(request), visitor=visitor(request))})


@cache
def _schema(kind: str) -> bytes:
    return str(call("schema", kind or None)).encode()


async def schema(request: Request) -> Response:
    """The schema of a kind of network, or of all, with which the editor completes and describes keys."""
    kind = request.query_params.get("kind", "")
    if kind and kind not in {network["kind"] for network in call_json("networks")}:
        raise UnknownName("there is no such network")
    octets = await run_in_threadpool(_schema, kind)
    return Response(octets, media_type="application/json", headers={"cache-control": "private, max-age=600"})


@dataclass(frozen=True)
class Answer:
    """What a page of the editor says of the form that it answers."""

    note: str = ""
    status: int = 200
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Its fields, which are shown again."""
    theirs: str | None = None
    """The text that another visitor has saved meanwhile."""
    differences: list[str] | None = None
    """Lines in which the text that is shown differs from it."""
    asks: bool = False
    """Whether the scenario is new and has a question to answer."""
    opens: str = ""
    """The part of the page that is open, where no command is."""
    is_unsaved: bool = False
    """Whether the text is another one than that of the file."""
    is_simulated: bool = False
    """Whether the page simulates the text at once."""

    def context(self) -> dict[str, Any]:
        """For the template."""
        # a password that was typed is not shown again
        given = {
            name: values[0]
            for name, values in self.form.items()
            if "." in name and values[0] == secret.shown(values[0])
        }
        command = self.form.get("command", ["find" if self.asks else ""])[0]
        return {
            "note": self.note,
            "is_refused": self.status != 200,
            "is_rendered": "\n" in self.note,
            "given": given,
            "opened": command,
            "opens": self.opens,
            "is_unsaved": self.is_unsaved or self.theirs is not None or self.status != 200,
            "is_simulated": self.is_simulated,
            "asks": self.asks,
            "theirs": self.theirs,
            "differences": self.differences,
        }


async def _editor(request: Request, name: str, shown: Text, answer: Answer) -> Response:
    texts: Texts = request.app.state.texts
    found = await texts.examine(name, shown.text, hides=_hides(request), visitor=visitor(request))
    context = found | answer.context()
    context |= {"measures": request.app.state.settings.measures, "editor": editor_address(), "section": "/"}
    simulates = found["kind"] not in WITHOUT_NETWORK
    context |= {"simulates": simulates, "engine": engine_address(), "missing": web.HOW}
    answered = page(request, "scenario", answer.status, name=name, version=shown.version, **context)
    if simulates and context["engine"]:
        answered.headers["content-security-policy"] = SIMULATING_POLICY
    return answered


def _hides(request: Request) -> bool:
    """Whether secrets are hidden: who cannot run sees no passwords."""
    return request.scope["role"] is not Role.run
