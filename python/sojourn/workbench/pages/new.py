"""New scenarios: of an installation with the values of its fields, of a template, or of an example."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sojourn import cards, paths
from sojourn.bindings import call, call_json
from sojourn.errors import UserError
from sojourn.installations import Installation, find_installation
from sojourn.workbench.asked import LONGEST
from sojourn.workbench.rendering import form_of
from sojourn.workbench.scenarios import Scenarios, refuse_name

if TYPE_CHECKING:
    from starlette.requests import Request

MEASUREMENTS = ("ip-measurement", "monitor", "mesh")
OF_FIELD = "field."
"""How the names of an installation's fields begin in its form."""
OF_EXAMPLE = "example:"


@dataclass(frozen=True)
class Answered:
    """The form of an installation that is shown again, with what is wrong beside its fields."""

    installation: str
    file: str
    """The name of the scenario."""
    values: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    """What is wrong with the values together."""
    file_problem: str = ""


class Refused(UserError):  # noqa: N818 - the name states the error
    """A form of an installation is answered by itself."""

    def __init__(self, answered: Answered) -> None:
        """With what is shown beside its fields."""
        super().__init__(answered.message)
        self.answered = answered


def offered(existing: Iterable[str], answered: Answered | None) -> dict[str, Any]:
    """What new scenarios begin with, for the template of the list."""
    return {
        "installations": _installations(),
        "files": {one.name: _free(one.name, set(existing)) for one in _installations()},
        "answered": answered,
        "templates": {
            "Networks": [(network["kind"], network["kind"]) for network in call_json("networks")],
            "Measurements": [(name, name) for name in MEASUREMENTS],
            "Examples": [(f"{OF_EXAMPLE}{name}", name) for name in _examples()],
        },
    }


async def create(request: Request) -> Response:
    """A new scenario; a form of an installation that is refused raises `Refused`."""
    form = await form_of(request)
    scenarios = request.app.state.scenarios
    name = _of(form, "name").strip()
    name = name if name.endswith(".toml") else f"{name}.toml"
    if "installation" in form:
        await run_in_threadpool(_fill, scenarios, name, find_installation(_of(form, "installation")), form)
        return RedirectResponse(f"/scenarios/{name}?asks", 303)
    refuse_name(name)
    text = await run_in_threadpool(_template, _of(form, "template"))
    await run_in_threadpool(scenarios.save, name, text, None)
    return RedirectResponse(f"/scenarios/{name}", 303)


def _fill(scenarios: Scenarios, name: str, installation: Installation, form: Mapping[str, Sequence[str]]) -> None:
    """Writes the scenario of an installation, never over another."""
    values = {one.name: _of(form, f"{OF_FIELD}{one.name}", one.default).strip() for one in installation.fields}
    problems, message, file_problem = _problems(installation, values), "", _refusal(refuse_name, name)
    if not problems:
        message = _refusal(installation.scenario, values)
    if not (problems or message or file_problem):
        file_problem = _refusal(scenarios.save, name, installation.scenario(values, name), None)
    if problems or message or file_problem:
        raise Refused(Answered(installation.name, name, values, problems, message, file_problem))


def _problems(installation: Installation, values: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with values, by the names of their fields; one that is too long is not read."""
    long = {name for name, value in values.items() if len(value) > LONGEST or not value.isprintable()}
    found = installation.problems({name: value for name, value in values.items() if name not in long})
    return found | {name: f"{name} has at most {LONGEST} printable characters" for name in long}


def _refusal(action: Callable[..., Any], *arguments: Any) -> str:
    """Why an action was refused; empty where it was not."""
    try:
        action(*arguments)
    except UserError as error:
        return str(error)
    return ""


def _template(name: str) -> str:
    if name.startswith(OF_EXAMPLE):
        return paths.find_example(f"{name.removeprefix(OF_EXAMPLE)}.toml").read_text(encoding="utf-8")
    return str(call("new", name))


@cache
def _installations() -> list[Installation]:
    return cards.installations()


@cache
def _examples() -> list[str]:
    return [file.stem for file in paths.examples() if file.suffix == ".toml"]


def _free(name: str, existing: set[str]) -> str:
    """A name that no scenario of the folder has: "office.toml", or "office-2.toml" and so on."""
    file, number = f"{name}.toml", 1
    while file in existing:
        number += 1
        file = f"{name}-{number}.toml"
    return file


def _of(form: Mapping[str, Sequence[str]], name: str, default: str = "") -> str:
    return form.get(name, [default])[0]
