"""The interface to the extension: imports it on first use and converts its errors to Sojourn's."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.errors import RunFailed, ScenarioError, UserError

if TYPE_CHECKING:
    from types import ModuleType


@cache
def extension() -> ModuleType:
    """The compiled part of Sojourn."""
    try:
        module = import_module("sojourn._sojourn")
    except ImportError as error:
        raise RunFailed(
            "the compiled part of sojourn is missing; build it with `make demo`, or with "
            "`.venv/bin/maturin develop --release` during development"
        ) from error
    _set_up(module)
    return module


def _set_up(module: ModuleType) -> None:
    """Sets the terminal width for error messages and the folder of studies and published numbers."""
    colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    module.set_rendering(colour, max(40, shutil.get_terminal_size((100, 24)).columns))
    module.set_root(Path(str(files("sojourn") / "data")))


@contextmanager
def translated() -> Iterator[None]:
    """Raises the extension's error for users as `ScenarioError`."""
    module = extension()
    try:
        yield
    except module.UserError as error:
        problems, rendered, count = error.args
        raise ScenarioError(str(rendered), json.loads(problems), count) from None
    except UnicodeError:
        raise UserError("an argument is not valid UTF-8") from None


def call(name: str, *arguments: object) -> Any:
    """Calls one function of the extension."""
    function: Callable[..., Any] = getattr(extension(), name)
    with translated():
        return function(*arguments)


def call_json(name: str, *arguments: object) -> Any:
    """Calls one function of the extension and parses its JSON."""
    return json.loads(call(name, *arguments))


def network(kind: str) -> dict[str, Any]:
    """The description of a network kind; empty for an unknown kind."""
    return next((known for known in call_json("networks") if known["kind"] == kind), {})
