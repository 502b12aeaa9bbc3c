"""The link with the token, leaving, and the files that every page needs."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from sojourn import web
from sojourn.errors import UnknownName
from sojourn.workbench.access import SESSION_S
from sojourn.workbench.guard import WORKER_POLICY
from sojourn.workbench.rendering import page, refusal, static

if TYPE_CHECKING:
    from starlette.requests import Request

TYPES = {
    "page.css": "text/css",
    "workbench.css": "text/css",
    "editor.css": "text/css",
    "cards.css": "text/css",
    "captures.css": "text/css",
    "workbench.js": "text/javascript",
    "editor.js": "text/javascript",
    "vega.js": "text/javascript",
    "what-if.js": "text/javascript",
    "capture-here.js": "text/javascript",
    web.WORKER: "text/javascript",
    web.ENGINE: "application/gzip",
    web.CAPTURES: "application/gzip",
}
KEPT = {"cache-control": "private, max-age=31536000, immutable"}


async def enter(request: Request) -> Response:
    """Exchanges the token of a link for a cookie.

    It answers with a page that goes on by itself: a browser that comes from another site would not send a strict
    cookie with a redirect.
    """
    state, address = request.app.state, request.client.host if request.client else ""
    link = state.settings.tokens.link_of(request.query_params.get("token", ""))
    if link is None:
        if state.guesses.too_many(address):
            return refusal(request, 429, "Wait", "Too many wrong links: wait a minute.")
        state.guesses.count(address)
        return refusal(request, 401, "Refused", "This link is not of this server.")
    answer = page(request, "enter")
    settings = state.settings
    answer.set_cookie(
        settings.cookie,
        state.sessions.cookie(link),
        max_age=SESSION_S,
        path="/",
        secure=settings.is_encrypted,
        httponly=True,
        samesite="strict",
    )
    return answer


async def leave(request: Request) -> Response:
    """Forgets the cookie."""
    answer = RedirectResponse("/enter", 303, headers={"clear-site-data": '"cache"'})
    settings = request.app.state.settings
    answer.delete_cookie(settings.cookie, path="/", secure=settings.is_encrypted, httponly=True, samesite="strict")
    return answer


async def asset(request: Request) -> Response:
    """A style or a script, kept by the browser until its address changes."""
    name = request.path_params["name"]
    if name not in TYPES:
        raise UnknownName("there is no such file")
    if name == "editor.js":
        return _editor(request)
    if name in (web.ENGINE, web.CAPTURES) and not static(name):
        raise UnknownName("the simulation for pages was not built")
    policy = {"content-security-policy": WORKER_POLICY} if name == web.WORKER else {}
    return Response(static(name), media_type=TYPES[name], headers=KEPT | policy)


def _editor(request: Request) -> Response:
    """The editor, as it is compressed where the browser takes that."""
    octets = static("editor.js")
    if not octets:
        raise UnknownName("the editor was not bundled")
    headers = KEPT | {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers |= {"content-encoding": "gzip"}
    else:
        octets = gzip.decompress(octets)
    return Response(octets, media_type=TYPES["editor.js"], headers=headers)
