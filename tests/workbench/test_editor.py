"""The editor of a scenario's page in a browser: what it completes, underlines and runs."""

from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import QUEUE, Served, write

pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.editor]


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    """The page of a scenario; nothing is complained of and nothing requested from elsewhere."""
    (served.folder / "site.toml").write_text(QUEUE)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(served.run)
    page.wait_for_url(f"{served.origin}/")
    page.goto(f"{served.origin}/scenarios/site.toml")
    page.wait_for_selector("#editor[data-ready]")
    yield page
    assert [text for text in said if "409 (Conflict)" not in text] == []
    assert {url.split("/")[2] for url in asked if not url.startswith(("blob:", "data:"))} == {served.origin[7:]}
    context.close()


def test_a_key_is_completed_from_the_schema_of_its_network_and_described(page: Any) -> None:
    write(page, QUEUE)
    page.keyboard.type("see")
    page.locator(".cm-tooltip-autocomplete li", has_text="seed").wait_for()
    page.wait_for_timeout(200)  # what is typed while the list appears is not meant for it
    page.keyboard.press("Enter")
    page.locator("#key-help", has_text="run.seed").wait_for()
    assert "seed = " in page.inner_text(".cm-content")


def test_a_mistake_is_underlined_while_one_types_and_by_the_check_of_the_server(page: Any) -> None:
    write(page, QUEUE.replace("poisson", "poison"))
    page.locator(".cm-lintRange-error", has_text="poison").wait_for()
    assert page.locator("#checked li").count() == 1
    write(page, QUEUE)
    page.get_by_text("Valid.").wait_for()
    assert page.locator(".cm-lintRange-error").count() == 0


def test_the_styles_of_the_editor_apply_under_the_policy_of_the_workbench(page: Any) -> None:
    assert page.evaluate("getComputedStyle(document.querySelector('.cm-content')).whiteSpace") == "pre"
    assert page.evaluate("document.querySelectorAll('style').length") == 0
    number, text = page.locator(".cm-gutters").bounding_box(), page.locator(".cm-content").bounding_box()
    assert number["x"] + number["width"] <= text["x"] + 1, "line numbers stand beside the text"


def test_ctrl_enter_runs_the_text_that_is_on_the_screen(page: Any, served: Served) -> None:
    write(page, QUEUE.replace("20 s", "22 s"))
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"{served.origin}/jobs/*")
    page.locator(".state.done").wait_for(timeout=60_000)
    assert "22 s" in page.request.get(f"{page.url}/files/scenario.toml").text()
    assert "22 s" in (served.folder / "site.toml").read_text()


def test_enter_in_a_field_starts_the_job_of_the_field_and_not_another(page: Any, served: Served) -> None:
    page.get_by_text("Sweep").first.click()
    page.get_by_role("button", name="Sweep").click()
    assert page.url.endswith("/scenarios/site.toml"), "what it sweeps over is asked for first"
    page.get_by_text("Bound the worst case").click()
    page.locator(".job[open]:has(#bound-seed) .more summary").click()
    page.fill("#bound-seed", "5")
    page.press("#bound-seed", "Enter")
    page.wait_for_url(f"{served.origin}/jobs/*")
    assert page.inner_text("h1") == "bound site.toml"


def test_a_text_that_was_changed_meanwhile_stays_in_the_editor_beside_the_other(page: Any, served: Served) -> None:
    (served.folder / "site.toml").write_text(QUEUE.replace("80 /s", "70 /s"))
    write(page, QUEUE.replace("80 /s", "60 /s"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").filter(has_text="changed meanwhile").wait_for()
    page.wait_for_selector("#editor[data-ready]")
    assert "60 /s" in page.inner_text(".cm-content")
    assert "70 /s" in page.inner_text(".conflict pre .old")
    page.get_by_role("link", name="Take the file's text").click()
    page.wait_for_selector("#editor[data-ready]")
    assert "70 /s" in page.inner_text(".cm-content")
    assert page.locator(".conflict").count() == 0
