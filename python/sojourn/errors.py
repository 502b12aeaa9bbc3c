"""Everything Sojourn raises.

::

    SojournError
    ├── UserError             invalid input: exit code 2
    │   ├── ScenarioError     in a scenario, a study or an option; has the problems and their rendering with carets
    │   ├── ResultsError      a file of results, samples or published numbers that cannot be read
    │   ├── UnknownName       a study, network, figure or metric that does not exist
    │   └── MissingExtra      a package that an extra of the installation would bring
    ├── RunFailed             a point could not be computed, or results could not be written: exit code 1
    └── Interrupted           stopped on request; finished replications are kept
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SojournError(Exception):
    """Base class of all exceptions that Sojourn raises on purpose."""


class UserError(SojournError):
    """Invalid input: a wrong option, file or name."""


class ScenarioError(UserError):
    """Problems in a scenario, a study or an option, each with its position.

    `problems` holds a dictionary for each of the first twenty (message, help, file, line, column), `count` how many
    there are; the exception's text is the rendering of the first with carets.
    """

    def __init__(self, rendered: str, problems: Sequence[dict[str, Any]] = (), count: int | None = None) -> None:
        """From the rendering with carets, the first problems as data, and the number of all."""
        super().__init__(rendered)
        self.problems = list(problems)
        self.count = len(self.problems) if count is None else count


class ResultsError(UserError):
    """A file of results, samples or published numbers that cannot be read."""


class UnknownName(UserError):  # noqa: N818 - the name states the error
    """A study, network, figure or metric that does not exist; the message names the nearest one."""


class MissingExtra(UserError):  # noqa: N818 - the name states the error
    """A package that is not installed; the message names the extra that brings it."""


class RunFailed(SojournError):  # noqa: N818
    """A point could not be computed, or results could not be written."""


class Interrupted(SojournError):  # noqa: N818
    """Stopped on request; finished replications are kept and the same call continues from them."""
