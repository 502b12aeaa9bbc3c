"""The studies of the library, which pages may run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sojourn import paths
from sojourn.study import Study, load_study

if TYPE_CHECKING:
    from sojourn.results import Results


@cache
def studies() -> dict[str, Study]:
    """All of them by name."""
    return {folder.name: load_study(folder.name) for folder in paths.studies()}


def study_of(results: Results) -> Study | None:
    """The study whose results these are."""
    return studies().get(str(results.raw.get("study")))
