"""The one door to the extension: imports it when first needed and turns its errors into Sojourn's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sojourn.errors import RunFailed, ScenarioError

if TYPE_CHECKING:
    from types import ModuleType


def extension() -> ModuleType:
    """The compiled part of Sojourn."""
    try:
        return import_module("sojourn._sojourn")
    except ImportError as error:
        raise RunFailed(
            "the compiled part of sojourn is missing; build it with `make demo`, or with "
            "`.venv/bin/maturin develop --release` where you develop"
        ) from error


@contextmanager
def translated() -> Iterator[None]:
    """Raises the extension's error for users as `ScenarioError`."""
    module = extension()
    try:
        yield
    except module.UserError as error:
        problems, rendered = _problems(error)
        raise ScenarioError(rendered, problems) from None


def call(name: str, *arguments: object) -> Any:
    """Calls one function of the extension."""
    function: Callable[..., Any] = getattr(extension(), name)
    with translated():
        return function(*arguments)


def call_json(name: str, *arguments: object) -> Any:
    """Calls one function of the extension that answers in JSON."""
    return json.loads(call(name, *arguments))


def _problems(error: Exception) -> tuple[list[dict[str, Any]], str]:
    """The problems as data and as rendered text, from the two arguments of the extension's error."""
    problems, rendered = error.args
    return json.loads(problems), str(rendered)
