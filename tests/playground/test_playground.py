"""What a visitor of the playground does: choose, change, compare, share, come back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn.jobs import run_job

from .conftest import PAGE, QUEUE, RATE, address, edit, table, wait

Violations = Callable[[Any], list[str]]
pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.playground]
MOST_BYTES = 4_200_000
"""The module is 3.3 MB of it in base 85: that it reads captures and finds their twins takes 1.05 MB."""
TYPED = QUEUE.replace('rate = "80 /s"', 'rate = "80 bananas"')


def test_a_question_of_the_gallery_is_answered_by_one_click(opened: Callable[..., Any]) -> None:
    page = opened()
    assert page.locator(".cards a").count() >= 10
    page.click("text=What does authentication cost?")
    wait(page)
    assert "response time" in page.inner_text("#headline")
    assert page.locator("#figures svg.marks").count() == 2
    page.go_back()
    assert page.is_visible("#gallery") and not page.is_visible("#work")


def test_an_answer_is_accessible_in_both_themes(opened: Callable[..., Any], violations: Violations) -> None:
    page = opened(address(QUEUE))
    assert violations(page) == []
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert violations(page) == []


def test_a_mistake_is_marked_where_it_stands_with_a_hint_and_stops_the_run(opened: Callable[..., Any]) -> None:
    page = opened(address(QUEUE))
    edit(page, TYPED)
    page.wait_for_selector("#problems .place")
    assert "line 13" in page.inner_text("#problems")
    assert page.locator(".cm-lintRange-error").inner_text() == '"80 bananas"'
    page.click("#start")
    page.wait_for_selector("#mistakes li")
    page.click("#mistakes .place")
    assert "arrivals.rate" in page.inner_text("#key-help")
    edit(page, QUEUE)
    page.keyboard.press("Control+Enter")
    wait(page)
    assert page.inner_text("#mistakes") == ""


def test_a_reload_in_mid_run_a_cancel_and_the_back_button_lose_nothing(opened: Callable[..., Any]) -> None:
    long = QUEUE.replace('"20 s"', '"50 h"')
    page = opened(address(long), answered=False)
    page.wait_for_selector("#cancel", state="visible")
    page.reload()
    page.wait_for_selector("#cancel", state="visible")
    page.click("#cancel")
    assert page.inner_text("#status") == "Cancelled."
    edit(page, QUEUE)
    page.keyboard.press("Control+Enter")
    wait(page)
    page.check("#kind-sweep")
    assert page.input_value("#key") == "station.server.service.mean"
    assert page.input_value("#values") == "5,7.5,10,15,20 ms"
    page.fill("#key", RATE)
    page.press("#key", "Tab")
    page.fill("#values", "40,60 /s")
    page.click("#start")
    wait(page)
    assert table(page)[0][1:] == ["40 /s", "60 /s"]
    page.go_back()
    page.wait_for_selector("#kind-run:checked")
    wait(page)
    assert len(table(page)[0]) == 2
    assert page.evaluate("document.querySelector('.cm-content').textContent").startswith('title = "One server"')


def test_a_search_in_the_page_gives_the_bytes_of_find(opened: Callable[..., Any], tmp_path: Path) -> None:
    from sojourn.bindings import extension  # noqa: PLC0415

    until = "response_time.mean < 60 ms"
    page = opened(address(QUEUE, do="find", key=RATE, values="10:95 /s", until=until))
    with page.expect_download() as saved:
        page.click("#results")
    there = json.loads(saved.value.path().read_text())
    (tmp_path / "scenario.toml").write_text(QUEUE)
    request = {"command": "find", "file": str(tmp_path / "scenario.toml"), "vary": f"{RATE}=10:95 /s", "until": until}
    job = extension().start(json.dumps(request | {"computing": {"cache": str(tmp_path / "cache")}}))
    outcome = None
    while outcome is None:
        outcome = job.outcome()
    outcome = json.loads(outcome)
    here = json.loads(outcome["results_json"])
    assert there | {"commit": ""} == here | {"commit": ""}
    assert outcome["find"]["value_text"] in page.inner_text("#headline")


def test_advice_in_the_page_selects_what_the_tool_selects_with_the_same_numbers(
    opened: Callable[..., Any], tmp_path: Path, violations: Violations
) -> None:
    option = '[[option]]\nname = "{}"\nset = {{ "station.server.service.mean" = "{}" }}\n'
    text = QUEUE + option.format("faster", "8 ms") + option.format("slower", "11 ms")
    page = opened(address(text, do="advise"))
    with page.expect_download() as saved:
        page.click("#results")
    there = json.loads(saved.value.path().read_text())
    (tmp_path / "scenario.toml").write_text(text)
    outcome = run_job({"command": "advise", "file": str(tmp_path / "scenario.toml"), "cache": str(tmp_path / "cache")})
    here = json.loads(outcome.results_text)
    assert there | {"commit": ""} == here | {"commit": ""}
    assert "The best is faster: response_time.p99" in page.inner_text("#headline")
    assert page.locator("#numbers tbody tr").count() == 3
    assert violations(page) == []


def test_the_page_is_small_and_its_policy_lets_nothing_load() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.encode()) <= MOST_BYTES
    assert "default-src &#39;none&#39;" in text
    assert "http-equiv" in text
