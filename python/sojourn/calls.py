"""Errors of the extension named by the Python call that they are of, in place of a file or the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sojourn.errors import ScenarioError, UnknownName, UserError
from sojourn.synonyms import nearest

LINE = "command line"
"""Where the extension places an error of a change."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
BEGIN = re.compile(r"(?m)^(?= *[×x] )")
"""Where the rendering of a problem begins."""
SHOWN = re.compile(r"(?m)^ *1 [│|] (.*)$")
"""The text of a change in its rendering."""
OPTION = re.compile(r"--([a-z][a-z-]*)")
Name = Callable[[Mapping[str, Any], str], str | None]
"""The call that a problem, with its rendering, is of; None for one that stays as it is."""


@contextmanager
def named(name: Name) -> Iterator[None]:
    """Raises errors of the extension with the calls that they are of."""
    try:
        yield
    except ScenarioError as error:
        raise _renamed(error, name) from None


def of_changes(calls: Mapping[str, str]) -> Name:
    """Names by the texts of changes: `run.seed=three` is of `scenario.set('run.seed', ...)`."""

    def name(problem: Mapping[str, Any], block: str) -> str | None:
        shown = SHOWN.search(block)
        if problem.get("file") != LINE or shown is None:
            return None
        text = shown[1].split()
        return next((call for change, call in calls.items() if change.split() == text), None)

    return name


def of_option(command: str) -> Name:
    """Names of options: a problem that begins with `--precision` is of `run(precision=...)`."""

    def name(problem: Mapping[str, Any], _: str) -> str | None:
        found = OPTION.match(problem["message"]) if problem.get("file") is None else None
        return f"{command}({found[1].replace('-', '_')}=...)" if found else None

    return name


def anywhere(call: str) -> Name:
    """The name of a problem that is of no place."""
    return lambda problem, _: call if problem.get("file") is None else None


def first_of(*names: Name) -> Name:
    """The first name that there is."""
    return lambda problem, block: next((found for one in names if (found := one(problem, block))), None)


def _renamed(error: ScenarioError, name: Name) -> ScenarioError:
    plain = COLOUR.sub("", str(error))
    head, *blocks = BEGIN.split(plain)
    if head.strip() or len(blocks) < len(error.problems):
        return error
    problems, said = [], []
    for problem, block in zip(error.problems, blocks, strict=False):
        call = name(problem, block)
        message = OPTION.sub(lambda found: found[1].replace("-", "_"), problem["message"]) if call else ""
        problems.append(problem if call is None else problem | {"file": call, "message": message})
        said.append(block.rstrip() if call is None else sentence(problems[-1]))
    if problems == error.problems:
        return error
    return ScenarioError("\n".join([*said, *(one.rstrip() for one in blocks[len(said) :])]), problems, error.count)


def sentence(problem: Mapping[str, Any]) -> str:
    """A problem on a line: the call, what is wrong, and what to do."""
    advice = str(problem.get("help") or "")
    between = ". " if advice[:1].isupper() else "; " if advice else ""
    return f"{problem['file']}: {problem['message']}{between}{advice}"


def options(command: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command; `UnknownName` for one that there is not, `UserError` for a value of another type."""
    for name, value in given.items():
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"
            raise UnknownName(f"{command}({name}=...): no option `{name}`; {hint}")
        if not _fits(value, known[name]):
            what = WORDS.get(known[name], "another value")
            raise UserError(f"{command}({name}=...): takes {what}, not {value!r}")
    return {name: int(value) if _is_whole(value) else value for name, value in given.items()}


WORDS = {
    int | None: "a whole number",
    float | None: "a number",
    str | None: "a text",
    bool: "True or False",
    bool | None: "True or False",
}


def _fits(value: object, hint: Any) -> bool:
    if hint == int | None:
        return value is None or _is_whole(value)
    if hint == float | None:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    if hint == str | None:
        return value is None or isinstance(value, str)
    return isinstance(value, bool | None) if hint in (bool, bool | None) else True


def _is_whole(value: object) -> bool:
    """Whether it is a whole number, of an array as well."""
    return not isinstance(value, bool) and hasattr(value, "__index__")
