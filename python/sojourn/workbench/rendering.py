"""Pages from templates; every text is escaped."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse

from sojourn import templates, web
from sojourn.errors import UserError
from sojourn.units import format_duration

if TYPE_CHECKING:
    import jinja2
    from starlette.requests import Request

HERE = Path(__file__).parent
MOST_FIELDS = 200
SCRIPTS = ("uncertainty.js", "numbers.js", "shown.js", "problems.js", "chart.js", "scenario.js", "workbench.js")
WHAT_IF = (
    "packed.js",
    "engine.js",
    "uncertainty.js",
    "numbers.js",
    "shown.js",
    "chart.js",
    "timeline.js",
    "panel.js",
    "influence.js",
    "live.js",
    "what-if.js",
)
"""The modules of what a scenario's page simulates."""
CAPTURE_HERE = (*WHAT_IF[:-1], "captured.js", "slowest.js", "capture.js", "capture-here.js")
"""The modules of what reads captures in a page."""
MADE: dict[str, Callable[[], bytes]] = {
    "workbench.js": lambda: web.script(*SCRIPTS).encode(),
    "what-if.js": lambda: web.script(*WHAT_IF).encode(),
    "capture-here.js": lambda: web.script(*CAPTURE_HERE).encode(),
    "vega.js": lambda: gzip.decompress(web.vega()),
    "editor.js": lambda: web.editor() or b"",
    web.ENGINE: lambda: web.engine() or b"",
    web.CAPTURES: lambda: web.captures() or b"",
}
"""What is put together of files; empty where it was not built."""
FORM = "application/x-www-form-urlencoded"
SECTIONS = (
    ("/", "Scenarios"),
    ("/jobs", "Jobs"),
    ("/captures", "Captures"),
    ("/studies", "Studies"),
    ("/history", "History"),
    ("/measurements", "Measurements"),
    ("/monitors", "Monitors"),
    ("/targets", "Targets"),
    ("/mesh", "Mesh"),
)


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page of a template."""
    role = request.scope.get("role")
    section = next((path for path, _ in reversed(SECTIONS) if _is_below(request.url.path, path)), "")
    common = {"role": role, "may_run": role == "run", "sections": SECTIONS, "section": section}
    common |= {"asset": asset}
    text = environment().get_template(f"{template}.html.j2").render(common | context)
    return HTMLResponse(text, status)


def refusal(request: Request, status: int, title: str, reason: str) -> HTMLResponse:
    """The page of an error; a reason of several lines has carets, whose columns count."""
    return page(request, "error", status, title=title, reason=reason, is_rendered="\n" in reason)


def visitor(request: Request) -> str:
    """Whose calls wait for each other: those of one session at one link."""
    return f"{request.scope['visitor']} {request.headers.get('cookie', '')}"


def _is_below(path: str, section: str) -> bool:
    return path == "/" or path.startswith("/scenarios") if section == "/" else path.startswith(section)


@cache
def environment() -> jinja2.Environment:
    """The templates, compiled once."""
    made = templates.environment(HERE / "templates")
    made.filters.update(clock=clock, age=age, duration=duration, utc=utc)
    return made


@cache
def asset(name: str) -> str:
    """The address of a style or a script, which changes with its text."""
    return f"/static/{name}?v={hashlib.sha256(static(name)).hexdigest()[:12]}"


def engine_address() -> str:
    """The address of the simulation for pages; empty where it was not built."""
    return asset(web.ENGINE) if static(web.ENGINE) else ""


def captures_address() -> str:
    """The address of the simulation that reads captures as well; empty where it was not built."""
    return asset(web.CAPTURES) if static(web.CAPTURES) else ""


def editor_address() -> str:
    """The address of the editor; empty where it was not bundled, and pages have a plain text field."""
    return asset("editor.js") if static("editor.js") else ""


@cache
def static(name: str) -> bytes:
    """A style, a script and what it imports, what draws figures, or the editor or the engine as they are compressed.

    Reports and pages share a style.
    """
    if name in MADE:
        return MADE[name]()
    if name in ("editor.css", "cards.css", "captures.css", web.WORKER):
        return web.source(name).encode()
    return (HERE.parent / "report" / name if name == "page.css" else HERE / "static" / name).read_bytes()


async def form_of(request: Request) -> dict[str, list[str]]:
    """The fields of a form; `UserError` for a body that is none."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != FORM:
        raise UserError("this is not a form")
    try:
        text = (await request.body()).decode()
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise UserError("this is not a form of UTF-8 text") from None


def clock(at_s: float) -> str:
    """A time for people, in UTC."""
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M}"


def utc(at_us: int) -> str:
    """A time of the store for people."""
    return clock(at_us / 1e6)


def age(at_s: float) -> str:
    """How long ago a time was: "3 min ago"."""
    return f"{duration(max(0.0, time.time() - at_s))} ago"


def duration(seconds: float) -> str:
    """A length of time, to the tenth of a second: "0.4 s", "54 s", "3 min", "1.5 h"."""
    return format_duration(round(seconds, 1))
