"""What pages need of a visitor's text: its head, its mistakes, its full form, and the same without secrets.

The functions run in a process of `children`, take and return JSON, and are called with `Texts`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sojourn.bindings import call
from sojourn.errors import ScenarioError
from sojourn.scenario import Scenario
from sojourn.secret import shown_document
from sojourn.store.redaction import cleaned
from sojourn.workbench import events
from sojourn.workbench.children import Children, Limits, TooMuch
from sojourn.workbench.confined import files_named, refuse_outside
from sojourn.workbench.scenarios import Checked, Scenarios, head_of, question_of

LIMITS = Limits(processor_s=8, wall_s=30.0, memory=2 << 30, output=8 << 20)
MOST = 8
OF_VISITOR = 2
CALLS = 500


class Texts:
    """The processes that read texts of one folder."""

    def __init__(self, folder: Path) -> None:
        """None has begun."""
        self._folder = str(folder)
        self._children = Children(LIMITS, most=MOST, of_visitor=OF_VISITOR, calls=CALLS, has_spare=True)

    async def examine(self, name: str, text: str, *, hides: bool, visitor: str) -> dict[str, Any]:
        """Title, kind, question and mistakes of a text, and the text itself; without secrets where they are hidden."""
        try:
            found: dict[str, Any] = await self._do(examined, name, text, hides, visitor=visitor)
        except TooMuch as error:
            if hides:
                raise
            return {
                "title": "",
                "kind": "",
                "question": "",
                "events": [],
                "text": text,
                "checked": Checked(rendered=f"The check of {name}: {error}."),
            }
        return found | {"checked": Checked(**found["checked"])}

    async def check(self, name: str, text: str, *, visitor: str) -> Checked:
        """The mistakes of a text that is not saved."""
        try:
            return Checked(**await self._do(checked, name, text, [], visitor=visitor))
        except TooMuch as error:
            return Checked(rendered=f"The check of {name}: {error}.")

    async def request(self, name: str, text: str, *, hides: bool, visitor: str) -> dict[str, Any] | None:
        """What the engine of a page simulates of a text, with the files that it names; None of a text with mistakes."""
        try:
            found: dict[str, Any] | None = await self._do(requested, name, text, hides, visitor=visitor)
        except TooMuch:
            return None
        return found

    async def with_event(self, text: str, form: Mapping[str, Sequence[str]], *, visitor: str) -> str:
        """A text with the event of a form; `UserError` for a value that none has."""
        found: str = await self._children.do(with_event, text, dict(form), visitor=visitor)
        return found

    async def refuse_outside(self, text: str, *, visitor: str) -> None:
        """`UserError` for a text that names a file it may not."""
        await self._do(refused, text, [], visitor=visitor)

    async def named(self, text: str, settings: Sequence[str], *, visitor: str) -> list[tuple[str, bool]]:
        """The files of the folder that a text and settings name, each with whether it is a secret."""
        found = await self._do(named, text, list(settings), visitor=visitor)
        return [(path, is_secret) for path, is_secret in found]

    async def refuse_mistakes(self, frozen: Path, name: str, settings: Sequence[str], *, visitor: str) -> None:
        """`UserError` with the mistakes of a scenario in a job's snapshot."""
        await self._children.do(refused_mistakes, str(frozen), name, list(settings), visitor=visitor)

    async def differences(self, old: str, new: str, *, visitor: str) -> list[str] | None:
        """The lines in which two texts differ, as `diff -u` shows them; None where that takes too long."""
        try:
            lines: list[str] = await self._children.do(differences, old, new, visitor=visitor)
        except TooMuch:
            return None
        return lines

    async def full(self, name: str, *, hides: bool, visitor: str) -> str:
        """The full form of a scenario."""
        text: str = await self._do(full, name, hides, visitor=visitor)
        return text

    async def heads(self, names: Sequence[str], *, visitor: str) -> dict[str, list[str]]:
        """Title and kind of files; none of a file that takes too much."""
        found: dict[str, list[str]] = {}
        for name in names:
            try:
                found[name] = await self._do(head, name, visitor=visitor)
            except TooMuch:
                found[name] = ["", ""]
        return found

    async def without_secrets(self, text: str, *, visitor: str) -> str:
        """A text as one may see it who cannot run."""
        shown: str = await self._children.do(cleaned, text, visitor=visitor)
        return shown

    async def close(self) -> None:
        """Ends the processes."""
        await self._children.close()

    async def _do(self, function: Callable[..., Any], *arguments: Any, visitor: str) -> Any:
        try:
            return await self._children.do(function, self._folder, *arguments, visitor=visitor)
        except TooMuch:
            Scenarios(Path(self._folder)).remove_left(2 * LIMITS.wall_s)
            raise


def examined(folder: str, name: str, text: str, hides: bool) -> dict[str, Any]:
    """See `Texts.examine`."""
    title, kind = head_of(text)
    found: dict[str, Any] = {"title": title, "kind": kind, "question": question_of(text)}
    found["events"] = [] if hides else events.fields_of(kind, text)
    found |= {"checked": checked(folder, name, text, [])}
    return cleaned(found) | {"text": shown_document(text)} if hides else found | {"text": text}


def checked(folder: str, name: str, text: str, settings: Sequence[str]) -> dict[str, Any]:
    """See `Texts.check`."""
    return vars(Scenarios(Path(folder)).check(name, text, settings))


def requested(folder: str, name: str, text: str, hides: bool) -> dict[str, Any] | None:
    """See `Texts.request`."""
    document = Scenarios(Path(folder)).document(text)
    if document is None:
        return None
    shown = shown_document(document["text"]) if hides else document["text"]
    return {"name": name, "text": shown, "files": document["files"], "set": [], "over": [], "runs": {}}


def with_event(text: str, form: Mapping[str, Sequence[str]]) -> str:
    """See `Texts.with_event`."""
    return events.added(text, head_of(text)[1], form)


def refused(folder: str, text: str, settings: Sequence[str]) -> None:
    """See `Texts.refuse_outside`."""
    refuse_outside(Path(folder), text, settings)


def named(folder: str, text: str, settings: Sequence[str]) -> list[tuple[str, bool]]:
    """See `Texts.named`."""
    refuse_outside(Path(folder), text, settings)
    return files_named(Path(folder), text, settings)


def refused_mistakes(frozen: str, name: str, settings: Sequence[str]) -> None:
    """See `Texts.refuse_mistakes`."""
    path = str(Path(frozen) / name)
    try:
        call("warnings", path, list(settings))
    except ScenarioError as error:
        raise ScenarioError(str(error).replace(path, name)) from None


def differences(old: str, new: str) -> list[str]:
    """See `Texts.differences`."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return list(lines)[2:]


def full(folder: str, name: str, hides: bool) -> str:
    """See `Texts.full`."""
    scenarios = Scenarios(Path(folder))
    refuse_outside(scenarios.folder, scenarios.read(name).text)
    text = Scenario(scenarios.path(name)).expanded()
    return shown_document(text) if hides else text


def head(folder: str, name: str) -> tuple[str, str]:
    """See `Texts.heads`."""
    return head_of(Scenarios(Path(folder)).read(name).text)
