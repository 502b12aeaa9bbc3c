"""The workbench for visitors by keyboard, by screen reader, in the dark and on a phone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.workbench.asked import Asked, Command
from sojourn.workbench.journal import Journal, State

from .conftest import ORIGIN, QUEUE

pytestmark = pytest.mark.peer("chromium", package="chromium")
ON_SCREENS = ("/", "/scenarios/wrong.toml", "/jobs/1", "/studies", "/history", "/targets")
ON_PHONES = ("/", "/scenarios/site.toml", "/jobs", "/jobs/2", "/history/over-time?scenario=site", "/nowhere")


@pytest.fixture
def with_jobs(folder: Path) -> None:
    """A job that has ended and one that failed, and a scenario with a mistake."""
    (folder / "wrong.toml").write_text(QUEUE.replace("poisson", "poison"))
    journal = Journal(folder)
    for state in (State.done, State.failed):
        record = journal.create(Asked(Command.run, "site.toml"), 0.0)
        journal.write(replace(record, state=state, began_s=1.0, ended_s=2.0, message="a line"))
        (journal.folder(record.number) / "output.txt").write_text("response_time 1 ms\n")


def served_by(client: TestClient, page: Any) -> None:
    """Answers what the page requests from the application in this process."""

    def answer(route: Any) -> None:
        got = client.get(route.request.url.removeprefix(ORIGIN))
        route.fulfill(status=got.status_code, headers=dict(got.headers), body=got.content)

    page.route("**/*", answer)


@pytest.mark.parametrize(
    ("scheme", "width", "paths"), [("light", 1280, ON_SCREENS), ("dark", 390, ON_PHONES)], ids=["light", "dark"]
)
def test_pages_meet_wcag(
    browser: Any,
    with_jobs: None,
    workbench: Callable[..., TestClient],
    violations: Callable[[Any], list[str]],
    scheme: str,
    width: int,
    paths: tuple[str, ...],
) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    served_by(workbench(), page)
    for path in paths:
        page.goto(f"{ORIGIN}{path}")
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.close()
