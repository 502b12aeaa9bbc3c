"""The workbench for visitors by keyboard, by screen reader, in the dark and on a phone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.jobs import run_job
from sojourn.workbench.asked import Asked, Command
from sojourn.workbench.journal import Journal, State

from .conftest import ORIGIN, QUEUE, write
from .test_monitors import window, written

pytestmark = pytest.mark.peer("chromium", package="chromium")
ON_SCREENS = (
    "/",
    "/scenarios/wrong.toml",
    "/jobs",
    "/jobs/1",
    "/jobs/compare?first=3&second=4",
    "/captures",
    "/studies",
    "/history",
    "/measurements",
    "/monitors",
    "/monitors/5",
    "/targets",
)
ON_PHONES = (
    "/",
    "/scenarios/site.toml",
    "/jobs",
    "/jobs/2",
    "/jobs/compare?first=3&second=4",
    "/captures",
    "/measurements",
    "/monitors",
    "/monitors/5",
    "/history/over-time?scenario=site",
    "/nowhere",
)


@pytest.fixture
def with_jobs(folder: Path) -> None:
    """A job that has ended and one that failed, and a scenario with a mistake."""
    (folder / "wrong.toml").write_text(QUEUE.replace("poisson", "poison"))
    journal = Journal(folder)
    for state in (State.done, State.failed):
        record = journal.create(Asked(Command.run, "site.toml"), 0.0)
        journal.write(replace(record, state=state, began_s=1.0, ended_s=2.0, message="a line"))
        (journal.folder(record.number) / "output.txt").write_text("response_time 1 ms\n")
    for seed in (1, 2):
        number = journal.create(Asked(Command.run, "site.toml", (("seed", str(seed)),)), 0.0).number
        journal.write(replace(journal.read()[number - 1], state=State.done, began_s=1.0, ended_s=2.0))
        run_job({"command": "run", "file": str(folder / "site.toml"), "seed": seed, "out": journal.results(number)})
    record = journal.create(Asked(Command.monitor, "", (("target", "icmp://192.0.2.1"),)), 0.0)
    journal.write(replace(record, state=State.stopped, began_s=1.0, ended_s=2.0))
    journal.results(record.number).mkdir()
    file = journal.results(record.number) / "monitor-2026-11-30-0001.jsonl"
    written(file, window(0), window(1), window(2, answered=0, p50=None), window(3))


def conflicting(page: Any, folder: Path) -> None:
    """The page of a text that another visitor has changed meanwhile."""
    page.goto(f"{ORIGIN}/scenarios/site.toml")
    (folder / "site.toml").write_text(QUEUE + "# theirs\n")
    write(page, QUEUE + "# mine\n")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".conflict").wait_for()


def served_by(client: TestClient, page: Any) -> None:
    """Answers what the page requests from the application in this process."""

    def answer(route: Any) -> None:
        asked, headers = route.request, {"content-type": route.request.headers.get("content-type", "")}
        got = client.request(
            asked.method, asked.url.removeprefix(ORIGIN), content=asked.post_data_buffer, headers=headers
        )
        kept = {
            name: value for name, value in got.headers.items() if name not in ("content-encoding", "content-length")
        }
        route.fulfill(status=got.status_code, headers=kept, body=got.content)

    page.route("**/*", answer)


@pytest.mark.parametrize(
    ("scheme", "width", "paths"), [("light", 1280, ON_SCREENS), ("dark", 390, ON_PHONES)], ids=["light", "dark"]
)
def test_pages_meet_wcag(
    browser: Any,
    with_jobs: None,
    folder: Path,
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
    conflicting(page, folder)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
