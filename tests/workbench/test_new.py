"""New scenarios: an installation by its fields, a template, an example; nothing is written over."""

import html
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sojourn.installations import find_installation, names

from .conftest import QUEUE, Served

OFFICE = {
    "installation": "office",
    "name": "office.toml",
    "field.phones": "35",
    "field.uplink": "50 Mbit/s",
    "field.queue": "fifo",
}


def shown(answer: Any) -> str:
    """The text of a page."""
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.text))


@pytest.fixture
def empty(folder: Path) -> Path:
    """A folder without a scenario."""
    (folder / "site.toml").unlink()
    return folder


def test_a_folder_without_a_scenario_leads_to_the_installations(workbench: Any, empty: Path) -> None:
    page = shown(workbench().get("/"))
    assert "This folder has no scenario yet. Begin with a network that you know" in page
    for name in names():
        one = find_installation(name)
        assert one.title in page
        assert one.question in page


def test_who_may_only_view_is_not_offered_what_only_others_can_make(workbench: Any, empty: Path) -> None:
    page = workbench("view").get("/").text
    assert "This folder has no scenario yet. Who may run can make one." in page
    assert "<form data-installation" not in page


@pytest.mark.parametrize("name", names())
def test_each_field_has_its_label_default_and_range(workbench: Any, name: str) -> None:
    page = workbench().get("/").text
    for field in find_installation(name).fields:
        entry = page.partition(f'<label for="{name}-{field.name}">')[2].partition("</p>")[0]
        assert html.unescape(entry).startswith(field.about.rstrip("."))
        assert f'value="{field.default}"' in entry or f"<option selected>{field.default}</option>" in entry
        assert field.words or f"{field.low} to {field.high}" in entry


def test_the_fields_of_an_installation_make_the_scenario_that_new_writes(workbench: Any, empty: Path) -> None:
    client = workbench()
    made = client.post("/new", data=OFFICE)
    assert (made.status_code, made.headers["location"]) == (303, "/scenarios/office.toml?asks")
    values = {"phones": "35", "uplink": "50 Mbit/s", "queue": "fifo"}
    assert (empty / "office.toml").read_text() == find_installation("office").scenario(values, "office.toml")
    page = client.get(made.headers["location"]).text
    assert "Valid." in page
    assert re.search(r'<button form="editor"[^>]* value="find">Answer “Does a slower uplink do\?”</button>', page)


def test_a_scenario_that_is_there_is_not_written_over_and_another_name_is_proposed(
    workbench: Any, folder: Path
) -> None:
    (folder / "office.toml").write_text(QUEUE)
    client = workbench()
    assert 'value="office-2.toml"' in client.get("/").text
    refused = client.post("/new", data=OFFICE)
    assert refused.status_code == 400
    assert re.search(r'id="office-file-wrong"[^>]*>office.toml exists already<', refused.text)
    assert 'value="35"' in refused.text, "what was filled in is still there"
    assert (folder / "office.toml").read_text() == QUEUE


def test_what_is_wrong_stands_beside_its_field_in_the_words_of_the_command_line(workbench: Any, folder: Path) -> None:
    wrong = {"field.phones": "2000", "field.uplink": "<b>", "field.queue": "fifi", "name": "../office"}
    refused = workbench().post("/new", data=OFFICE | wrong)
    assert refused.status_code == 400
    said = dict(re.findall(r'<small id="office-(\w+)-wrong" class="wrong">([^<]+)</small>', refused.text))
    assert {name: html.unescape(text) for name, text in said.items()} == {
        "phones": "phones is 1 to 300, not 2000",
        "uplink": "uplink is 1 Mbit/s to 1 Gbit/s, as '20 Mbit/s', not '<b>'",
        "queue": "queue is one of fifo, codel, fq-codel, not 'fifi'; did you mean fifo?",
        "file": "a scenario's name has letters, digits, spaces and . _ -, and ends in .toml",
    }
    assert re.search(r'<details class="card"[^>]* id="new-office" open>', refused.text)
    assert refused.text.count(" open>") == 1
    assert [file.name for file in folder.iterdir() if not file.name.startswith(".")] == ["site.toml"]


@pytest.mark.parametrize("value", ["1" + " " * 200_000 + "\nx", "9" * 501, "20\n[expect]", "20\x1b[1m"])
def test_a_value_of_many_characters_or_lines_is_refused_at_once_and_not_written(
    workbench: Any, empty: Path, value: str
) -> None:
    began = time.process_time()
    refused = workbench().post("/new", data=OFFICE | {"field.phones": value})
    assert refused.status_code == 400
    assert "phones has at most 500 printable characters" in refused.text
    assert time.process_time() - began < 2
    assert not (empty / "office.toml").exists()


def test_an_installation_that_is_not_there_is_refused(workbench: Any) -> None:
    refused = workbench().post("/new", data=OFFICE | {"installation": "offce"})
    assert refused.status_code == 404
    assert "did you mean office?" in refused.text


def test_each_template_and_example_that_is_offered_can_be_opened(workbench: Any, folder: Path) -> None:
    client = workbench()
    offered = re.findall(r'<option value="([\w:.-]+)">', client.get("/").text)
    assert {"lontalk", "monitor", "example:outage"} <= set(offered)
    for number, template in enumerate(offered):
        made = client.post("/new", data={"name": f"a-{number}", "template": template})
        assert made.status_code == 303, template
    example = f"a-{offered.index('example:outage')}.toml"
    assert "Valid." in client.get(f"/scenarios/{example}").text
    assert (folder / example).read_text().startswith("# A link between two sites fails")


@pytest.fixture
def visited(browser: Any, own: Served) -> Iterator[Callable[..., Any]]:
    """A page of a server whose folder is empty; nothing is complained of and nothing requested from elsewhere."""
    (own.folder / "site.toml").unlink()
    said: list[str] = []
    asked: list[str] = []
    contexts = []

    def visit(**options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(own.run)
        page.wait_for_url(f"{own.origin}/")
        return page

    yield visit
    assert [text for text in said if "400 (Bad Request)" not in text] == []
    assert {url.split("/")[2] for url in asked if not url.startswith(("blob:", "data:"))} == {own.origin[7:]}
    for context in contexts:
        context.close()


@pytest.mark.peer("chromium", package="chromium")
def test_a_visitor_fills_in_a_card_and_has_the_answer_to_its_question(visited: Callable[..., Any]) -> None:
    page = visited(viewport={"width": 1280, "height": 900})
    page.get_by_text("A game during uploads").click()
    page.get_by_label("Rate of the link, in both directions").fill("10 Mbit/s")
    page.get_by_label("Rate that the question asks about").locator("visible=true").fill("6 Mbit/s")
    page.locator("#new-home").get_by_role("button", name="Create").click()
    page.get_by_role("status").filter(has_text="The scenario is written").wait_for()
    assert page.url.endswith("/scenarios/home.toml?asks")
    page.get_by_role("button", name="Answer “Does a slower link do?”").click()
    page.wait_for_url("**/jobs/1")
    page.locator(".state.done").wait_for(timeout=60_000)
    assert page.inner_text("h1") == "find home.toml"
    report = page.frame_locator("#report").locator("body").inner_text()
    assert "Yes: with medium.uplink.rate = 6 Mbit/s" in report.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_refused_card_is_accessible_and_its_first_wrong_field_is_in_sight(
    visited: Callable[..., Any], violations: Callable[[Any], list[str]], scheme: str, width: int
) -> None:
    page = visited(color_scheme=scheme, viewport={"width": width, "height": 800})
    assert violations(page) == []
    page.locator("#new-radio summary").click()
    assert violations(page) == []
    page.fill("#radio-message", "4 km")
    page.click("#new-radio button")
    page.get_by_text("message is 100 B to 4 KiB, as '600 B', not '4 km'").wait_for()
    assert page.evaluate("document.activeElement.id") == "radio-message"
    box = page.locator("#radio-message").bounding_box()
    assert 0 <= box["y"] <= 800
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
