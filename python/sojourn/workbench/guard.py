"""The guard that every request passes first: Host, Origin, role, size, and the headers of every answer.

The rule of roles is that of methods: GET and HEAD change nothing and need a role, every other method needs `run`.
"""

from __future__ import annotations

import asyncio
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from sojourn.workbench.access import Link, Role, Sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sojourn.workbench.settings import Settings

MOST_BODY = 512 * 1024
"""Octets of a request's body."""
MOST_OF = {"/captures": 64 * 1024 * 1024, "/captures/twin": 16 * 1024 * 1024}
"""Those of a path that takes files."""
MOST_URL = 4096
SEND_TIMEOUT_S = 30.0
"""How long a reader may take for the next part of an answer."""
PUBLIC = ("/enter", "/static/")
"""Paths that need no role: the exchange of the token, style and script."""
OF_ANY_ROLE = ("/leave",)
"""Paths of other methods that a role of any kind may use."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SIMULATING_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") + "; worker-src 'self'"
"""Of the page of a scenario, which simulates what its reader changes, and of that of captures, which reads them.

The engine is WebAssembly, which a browser compiles under 'wasm-unsafe-eval' only (no text becomes a script by it), and
it computes in workers, whose script is the server's own.
"""
WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'"
"""Of the script of these workers: it computes, and requests nothing."""
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline' "
    "'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'self'"
)
"""Of a report, which brings its own script: an origin of its own, without cookies and without a network."""
OF_REPORT = {"content-security-policy": REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
"""Headers of a report, which the page of its job has in a frame."""
WITHOUT_ROLE = "Open the link that `sojourn serve` printed: it has the token of this server."
WITHOUT_RIGHT = "This link may look, not run: ask for the link of the role `run`."
TWO_LENGTHS = "A request has a length or comes in chunks: a proxy in front may take the one for the other."
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # a policy of no-referrer makes browsers send `Origin: null` with forms
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # kept for the Back button, with what was typed, and asked for again otherwise
    "cache-control": "private, no-cache",
}


class Guard:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp, settings: Settings, refusal: Callable[[int, str], ASGIApp]) -> None:
        """`refusal` makes the page of a status and a reason."""
        self._app = app
        self._settings = settings
        self._names = frozenset(settings.names)
        self._sessions = Sessions(settings.tokens)
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses a request or passes it on with its role and the name of its link."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        link = self._link(headers)
        role = scope["role"] = None if link is None else link.role
        scope["visitor"] = "" if link is None else link.name
        is_ambiguous = "content-length" in headers and "transfer-encoding" in headers
        answer = _Answer(send, encrypted=self._settings.is_encrypted, closes=is_ambiguous)
        refused = (400, TWO_LENGTHS) if is_ambiguous else self._refused(scope, headers, role)
        if refused is not None:
            await self._refusal(*refused)(scope, receive, answer)
            return
        await self._app(scope, _limited(receive, _most(scope["path"])), answer)

    def _refused(self, scope: Scope, headers: Headers, role: Role | None) -> tuple[int, str] | None:
        """Status and reason of the first check that fails, or None."""
        path, method, length = scope["path"], scope["method"], headers.get("content-length", "0")
        octets = len(scope["raw_path"] or b"") + len(scope["query_string"])
        is_named = headers.get("host", "").lower() in self._names and len(headers.getlist("host")) == 1
        is_reading = method in ("GET", "HEAD")
        checks = (
            (is_named, 421, "This name is not one of this server's."),
            (octets <= MOST_URL, 414, "The address is too long."),
            (role is not None or path.startswith(PUBLIC), 401, WITHOUT_ROLE),
            (is_reading or method == "POST", 405, "Pages use GET and POST."),
            (is_reading or self._is_own(headers), 403, "This request comes from another site."),
            (is_reading or role is Role.run or path in OF_ANY_ROLE, 403, WITHOUT_RIGHT),
            (length.isdigit() and int(length) <= _most(path), 413, _too_large(_most(path))),
        )
        return next(((status, reason) for holds, status, reason in checks if not holds), None)

    def _is_own(self, headers: Headers) -> bool:
        """Whether a request that changes something was made by a page of this server: every browser sends Origin."""
        scheme = "https" if self._settings.is_encrypted else "http"
        site = headers.get("sec-fetch-site", "same-origin")
        return headers.get("origin", "") == f"{scheme}://{headers.get('host', '').lower()}" and site == "same-origin"

    def _link(self, headers: Headers) -> Link | None:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(headers.get("cookie", ""))
        except CookieError:
            return None
        morsel = jar.get(self._settings.cookie)
        return None if morsel is None else self._sessions.link_of(morsel.value)


class _Answer:
    """Sends with the headers of every answer, and gives up a reader that does not read."""

    def __init__(self, send: Send, *, encrypted: bool, closes: bool) -> None:
        self._send = send
        self._encrypted = encrypted
        self._closes = closes

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self._encrypted:
                headers["strict-transport-security"] = "max-age=31536000"
            if self._closes:
                headers["connection"] = "close"
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self._send(message)


def _most(path: str) -> int:
    return MOST_OF.get(path, MOST_BODY)


def _limited(receive: Receive, most: int) -> Receive:
    """Counts the octets of a body, whose length a chunked request does not state."""
    octets = 0

    async def counted() -> Any:
        nonlocal octets
        message = await receive()
        octets += len(message.get("body", b""))
        if octets > most:
            raise HTTPException(413, _too_large(most))
        return message

    return counted


def _too_large(most: int) -> str:
    return f"The request is larger than {most // 1024} KiB."
