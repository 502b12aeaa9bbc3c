"""The published studies, each with a form that runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn.workbench.rendering import page
from sojourn.workbench.studies import studies

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def listed(request: Request) -> Response:
    """All studies."""
    return page(request, "studies", studies=list(studies().values()))
