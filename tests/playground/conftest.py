"""The playground in a browser without a network; at the end of each test nothing was requested or complained of."""

import base64
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from ..scenarios import QUEUE as ONE_SERVER

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "target" / "playground" / "index.html"
QUEUE = ONE_SERVER.replace("replications = 2", "replications = 3")
RATE = "flow.customers.arrivals.rate"


def packed(text: str) -> str:
    """A text as an address holds it."""
    deflated = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(deflated.compress(text.encode()) + deflated.flush()).decode().rstrip("=")


def address(text: str, **ask: str) -> str:
    """The address of a scenario and what is asked of it."""
    return "#" + urlencode({"scenario": packed(text), **ask})


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    made = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield made
    made.close()


@pytest.fixture
def opened(context: Any) -> Iterator[Callable[..., Any]]:
    """Opens the page at an address and waits for an answer, where one is begun."""
    said: list[str] = []
    requests: list[str] = []

    def load(fragment: str = "", answered: bool = True) -> Any:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(PAGE.as_uri() + fragment)
        if fragment and answered:
            wait(page)
        return page

    yield load
    assert said == []
    assert {url.partition("#")[0] for url in requests if not url.startswith("blob:")} <= {PAGE.as_uri()}


def wait(page: Any) -> None:
    """Waits for a whole answer; a search takes ten seconds of a core of its own, and tests share theirs."""
    page.wait_for_selector("#work[data-ran]", timeout=180_000)


def edit(page: Any, text: str) -> None:
    """Replaces the text of the editor as one who types."""
    page.click("#code .cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def table(page: Any) -> list[list[str]]:
    """The cells of the table of numbers, as text."""
    rows = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim()))"
    return page.eval_on_selector_all("#numbers tr", rows)
