"""Events that a form writes into the text of a scenario, and what they do to the response time."""

import html
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.bindings import call_json
from sojourn.workbench.scenarios import version_of

from .conftest import QUEUE, Served
from .test_pages import ended
from .test_what_if import BUS, STATIONS

CLOSED = {"event.action": "down", "event.stations": "server", "event.at": "10 s", "event.duration": "2 s"}
AS_TOML = '\n[[event]]\nname = "down"\naction = "down"\nat = "10 s"\nduration = "2 s"\nstations = "server"\n'


def added(client: TestClient, fields: dict[str, str], text: str = QUEUE) -> tuple[Any, str]:
    """The answer to a form, and the text that it shows."""
    answer = client.post(
        "/scenarios/site.toml/event", data={"text": text, "version": version_of(QUEUE.encode())} | fields
    )
    shown = re.search(r'<textarea id="text"[^>]*>\n(.*?)</textarea>', answer.text, re.DOTALL)
    return answer, html.unescape(shown[1]) if shown else ""


def test_an_event_is_written_at_the_end_of_the_text_on_the_screen_and_not_into_the_file(
    workbench, folder: Path
) -> None:
    client = workbench()
    answer, text = added(client, CLOSED, QUEUE.replace("80 /s", "40 /s"))
    assert answer.status_code == 200
    assert text == QUEUE.replace("80 /s", "40 /s") + AS_TOML
    assert "Valid." in answer.text
    assert " data-unsaved" in answer.text
    assert (folder / "site.toml").read_text() == QUEUE
    begun = client.post(
        "/jobs", data={"command": "run", "name": "site.toml", "text": text, "version": version_of(QUEUE.encode())}
    )
    assert begun.headers["location"] == "/jobs/1"
    ended(client, 1)
    point = json.loads((folder / ".sojourn/jobs/0001/results/results.json").read_text())["points"][0]
    assert point["events"] == [{"name": "down", "action": "down", "begin": 10.0, "end": 12.0}]
    assert point["metrics"]["response_time/timeline"]["start"][0] == 1.0


def test_a_second_event_of_an_action_has_a_name_of_its_own(workbench) -> None:
    client = workbench()
    _, text = added(client, CLOSED)
    _, text = added(client, CLOSED | {"event.at": "15 s"}, text)
    assert [event["name"] for event in tomllib.loads(text)["event"]] == ["down", "down-1"]


@pytest.mark.parametrize(
    ("fields", "event"),
    [
        (
            {"event.action": "burst", "event.flows": "customers", "event.at": "5 s, 9 s", "event.size": "40"},
            {"name": "burst", "action": "burst", "at": ["5 s", "9 s"], "flows": "customers", "size": 40},
        ),
        (
            {
                "event.action": "down",
                "event.stations": "server",
                "event.name": "breaks",
                "event.mean_time_between": "5 s",
                "event.mean_time_to_repair": "1 s",
            },
            {
                "name": "breaks",
                "action": "down",
                "mean_time_between": "5 s",
                "mean_time_to_repair": "1 s",
                "stations": "server",
            },
        ),
        (
            {"event.action": "set", "event.at": "9 s", "event.set": "station.server.service.mean = 5 ms"},
            {"name": "set", "action": "set", "at": "9 s", "set": {"station.server.service.mean": "5 ms"}},
        ),
    ],
    ids=["burst", "at random", "set"],
)
def test_what_is_filled_in_is_the_event_of_the_text(workbench, fields, event) -> None:
    answer, text = added(workbench(), fields)
    assert tomllib.loads(text)["event"] == [event]
    assert "Valid." in answer.text


def test_a_station_without_power_is_an_event_of_a_network_that_declares_it(workbench, folder: Path) -> None:
    (folder / "spare.csv").write_text(STATIONS)
    fields = {"event.action": "power-down", "event.stations": "controller", "event.at": "20 s", "event.duration": "5 s"}
    answer, text = added(workbench(), fields, BUS)
    assert "Valid." in answer.text
    assert tomllib.loads(text)["event"][0]["action"] == "power-down"
    answer, _ = added(workbench(), fields)
    assert "Valid." not in answer.text, "a queue has no power"


def test_the_fields_are_the_keys_that_the_network_declares(workbench) -> None:
    shown = workbench().get("/scenarios/site.toml").text
    declared = call_json("schema", "queue")["properties"]["event"]["items"]["properties"]
    assert set(re.findall(r'name="event\.(\w+)"', shown)) == set(declared)
    words = [one["const"] for one in declared["action"]["anyOf"]]
    assert re.findall(r'<option value="([\w-]+)">[\w-]+: ', shown) == words
    assert re.findall(r'id="event-stations-names"><option value="([^"]+)"', shown) == ["server"]
    assert 'name="event.' not in workbench("view").get("/scenarios/site.toml").text


def test_a_mistake_in_an_event_is_listed_with_its_line(workbench) -> None:
    answer, text = added(workbench(), CLOSED | {"event.at": "10 bananas"})
    line = text.splitlines().index('at = "10 bananas"') + 1
    assert f'data-line="{line}"' in answer.text


@pytest.mark.parametrize(
    "fields",
    [
        {"event.action": ""},
        {"event.action": "down", "event.stations": "x" * 501},
        {"event.action": "down", "event.stations": "server\x00"},
        {"event.action": "burst", "event.size": "1.5"},
        {"event.action": "burst", "event.size": "٣"},
        {"event.action": "set", "event.set": "nothing"},
    ],
)
def test_a_value_that_no_event_has_is_refused_and_the_text_and_the_form_stay(workbench, fields) -> None:
    answer, text = added(workbench(), CLOSED | fields)
    assert answer.status_code == 400
    assert text == QUEUE
    assert 'value="10 s"' in answer.text
    assert '<details class="adding" open>' in answer.text


def test_a_value_never_ends_the_string_that_holds_it(workbench) -> None:
    """Else a field could write other tables into a text."""
    value = 'server"\\ [run] \'\'\' # """'
    _, text = added(workbench(), CLOSED | {"event.stations": value, "event.set": f"k = {value}"})
    found = tomllib.loads(text)
    assert found["event"][0]["stations"] == value
    assert found["run"] == tomllib.loads(QUEUE)["run"]


@pytest.mark.engine
@pytest.mark.peer("chromium", package="chromium")
def test_an_event_of_the_form_is_simulated_at_once_and_seen_over_time(browser: Any, served: Served) -> None:
    (served.folder / "site.toml").write_text(QUEUE)
    page = browser.new_page()
    page.goto(served.run)
    page.wait_for_url(f"{served.origin}/")
    page.goto(f"{served.origin}/scenarios/site.toml")
    page.get_by_text("Add an event").click()
    page.select_option("#event-action", "down")
    for key, value in (("stations", "server"), ("at", "10 s"), ("duration", "2 s")):
        page.fill(f"#event-{key}", value)
    page.press("#event-duration", "Enter")
    page.get_by_text("not saved").wait_for()
    page.locator("#live-more figure svg.marks").wait_for(timeout=60_000)
    assert "Bands: down." in page.inner_text("#live-more figure")
    assert (served.folder / "site.toml").read_text() == QUEUE
    page.close()
