"""The sliders of a scenario's page: what its text gives is simulated in the browser, before a job runs."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn import web
from sojourn.workbench import guard, rendering

from .conftest import QUEUE, Served, write

RATE = "flow.customers.arrivals.rate"
STATIONS = "name,on\nspare,bus\n"
BUS = """stations = "spare.csv"
[network]
kind = "lontalk"
[[medium]]
name = "bus"
channel = "TP/FT-10"
[[station]]
name = "controller"
on = ["bus"]
[[flow]]
name = "poll"
from = "controller"
to = "spare"
service = "acknowledged"
data = "2 B"
probe = true
arrivals = { kind = "periodic", interval = "1 s" }
[run]
duration = "60 s"
warm_up = "5 s"
"""
PATH = """[network]
kind = "ip"
[[medium]]
name = "path"
rate = "10 Mbit/s"
[[station]]
name = "a"
on = "path"
[[station]]
name = "b"
on = "path"
[probe]
from = "a"
to = "b"
"""
OUTAGE = '\n[[event]]\nname = "closed"\naction = "down"\nstations = "server"\nat = "10 s"\nduration = "2 s"\n'


def asked(client: TestClient, text: str | None = None) -> Any:
    address = "/scenarios/site.toml/request"
    answer = client.get(address) if text is None else client.post(address, data={"text": text})
    assert answer.status_code == 200
    return answer.json()["request"]


def test_what_a_page_simulates_is_the_text_on_the_screen_with_the_files_that_it_names(workbench, folder: Path) -> None:
    (folder / "spare.csv").write_text(STATIONS)
    found = asked(workbench(), BUS)
    assert (found["name"], found["text"]) == ("site.toml", BUS)
    assert found["files"] == {"spare.csv": STATIONS}
    assert list(folder.glob(".sojourn-*.toml")) == []


def test_a_text_with_a_mistake_or_a_file_of_elsewhere_is_not_simulated(workbench) -> None:
    client = workbench()
    assert asked(client, QUEUE.replace("poisson", "poison")) is None
    assert asked(client, f'stations = "../outside.csv"\n{QUEUE}') is None


def test_the_viewer_simulates_the_file_as_it_is_saved_without_its_secrets(workbench, folder: Path) -> None:
    (folder / "site.toml").write_text(f'{PATH}[measure]\npeer = "sojourn://192.0.2.1?token=pa55word"\n')
    client = workbench("view")
    found = asked(client)
    assert found["text"] == f'{PATH}[measure]\npeer = "sojourn://192.0.2.1?token=***"\n'
    assert "pa55word" not in json.dumps(found)
    assert client.post("/scenarios/site.toml/request", data={"text": QUEUE}).status_code == 403


def test_a_page_without_the_engine_says_so_once_and_works_without(
    workbench, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    def forget() -> None:
        rendering.static.cache_clear()
        rendering.asset.cache_clear()

    monkeypatch.setattr(web, "engine", lambda: None)
    forget()
    request.addfinalizer(forget)
    client = workbench()
    answer = client.get("/scenarios/site.toml")
    assert answer.text.count("make wasm") == 1
    assert 'id="live"' not in answer.text
    assert answer.headers["content-security-policy"] == guard.POLICY
    assert client.get("/static/sojourn.wasm.gz").status_code == 404
    assert client.post("/jobs", data={"command": "run", "name": "site.toml"}).status_code == 303


def in_browser(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test that needs a browser and the engine."""
    return pytest.mark.engine(pytest.mark.peer("chromium", package="chromium")(test))


@pytest.fixture
def opened(browser: Any, served: Served) -> Iterator[Callable[..., Any]]:
    """Opens the page of a scenario and waits for its sliders; nothing is complained of or requested from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))

    def load(text: str = QUEUE, fragment: str = "", link: str = "") -> Any:
        (served.folder / "site.toml").write_text(text)
        page.goto(link or served.run)
        page.wait_for_url(f"{served.origin}/")
        page.goto(f"{served.origin}/scenarios/site.toml{fragment}")
        page.wait_for_selector("#live .key")
        return page

    yield load
    assert said == []
    assert {url.split("/")[2] for url in asked if not url.startswith(("data:", "about:"))} == {served.origin[7:]}
    context.close()


def moved(page: Any, value: str, key: str = RATE) -> None:
    """Moves a key, and waits until that and the text as written are simulated, each with its two replications."""
    page.evaluate("delete document.getElementById('live').dataset.ran")
    page.fill(f"#live input[type=number][aria-label='{key}']", value)
    page.wait_for_selector("#live[data-ran]", timeout=60_000)
    simulated(page)


def simulated(page: Any) -> None:
    for head in ("As written 2 replications", "Run here 2 replications"):
        page.locator("#live thead th", has_text=re.compile(rf"^{head}$")).wait_for(timeout=60_000)


def means(page: Any) -> list[float]:
    """The mean response times in ms, as written and as moved."""
    cells = page.locator("#live tbody tr", has_text="Mean").locator("td").all_inner_texts()
    return [float(cell.split()[0]) for cell in cells]


@in_browser
def test_a_key_that_is_moved_is_simulated_beside_the_text_as_written(opened: Callable[..., Any]) -> None:
    page = opened()
    moved(page, "40")
    # an M/M/1 server of 100 /s: 1 / (100 - 80) s and 1 / (100 - 40) s
    assert means(page) == [pytest.approx(50, rel=0.3), pytest.approx(16.7, rel=0.1)]
    moved(page, "60")
    assert means(page)[1] == pytest.approx(25, rel=0.2)


@in_browser
def test_the_numbers_of_the_page_are_those_of_the_job_with_the_same_keys(
    opened: Callable[..., Any], served: Served
) -> None:
    page = opened()
    moved(page, "40")
    shown = means(page)[1]
    page.get_by_role("button", name="Use in the job").click()
    assert page.input_value("#run-set") == f"{RATE}=40 /s"
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(f"{served.origin}/jobs/*")
    page.locator(".state.done").wait_for(timeout=60_000)
    results = page.request.get(f"{page.url}/files/results.json").json()
    mean_ms = results["points"][0]["metrics"]["response_time"]["mean"] * 1e3
    assert shown == pytest.approx(mean_ms, abs=0.051), "three digits are shown"


@in_browser
def test_the_sliders_follow_the_text_and_what_was_moved_stays(opened: Callable[..., Any]) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415

    page = opened()
    moved(page, "40")
    write(page, QUEUE.replace('mean = "10 ms"', 'mean = "5 ms"').replace("80 /s", "100 /s"))
    service = page.locator("#live input[type=number][aria-label='station.server.service.mean']")
    expect(service).to_have_value("5")
    assert page.input_value(f"#live input[type=number][aria-label='{RATE}']") == "40"
    simulated(page)
    # 1 / (200 - 100) s and 1 / (200 - 40) s
    assert means(page) == [pytest.approx(10, rel=0.2), pytest.approx(6.25, rel=0.1)]


@in_browser
def test_the_viewer_moves_keys_and_finds_no_button_for_a_job(opened: Callable[..., Any], served: Served) -> None:
    page = opened(link=served.view)
    moved(page, "40")
    assert means(page)[1] == pytest.approx(16.7, rel=0.1)
    assert page.get_by_role("button", name="Use in the job").count() == 0


@in_browser
def test_a_link_with_settings_moves_the_keys_and_shows_what_they_give(opened: Callable[..., Any]) -> None:
    page = opened(fragment=f"#what-if:{RATE}=60")
    simulated(page)
    assert means(page)[1] == pytest.approx(25, rel=0.2)


@in_browser
def test_an_event_is_seen_in_the_response_time_over_time(opened: Callable[..., Any]) -> None:
    page = opened(QUEUE + OUTAGE)
    page.get_by_role("button", name="Simulate", exact=True).click()
    page.locator("#live-more figure svg.marks").wait_for(timeout=60_000)
    assert "Bands: closed" in page.inner_text("#live-more figure")
    assert page.locator("#live thead th").all_inner_texts()[0].startswith("As written")
    assert page.locator("#live thead th").count() == 1, "nothing was moved"
