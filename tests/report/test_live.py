"""The live part of a report: what its reader moves is simulated in the page, beside the stored result."""

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import RATE

pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.engine]
MOST_BYTES = 3_200_000
ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "examples" / "lontalk-site.toml"
ROOM = """
[network]
kind = "lontalk"
[[medium]]
name = "bus"
channel = "TP/FT-10"
[[station]]
name = "sensor"
count = 20
on = ["bus"]
[[station]]
name = "controller"
on = ["bus"]
[[flow]]
name = "temperature"
from = "sensor"
to = "controller"
service = "unacknowledged"
data = "2 B"
arrivals = { kind = "periodic", interval = "1 s" }
[[flow]]
name = "alarm"
from = "sensor-1"
to = "controller"
service = "acknowledged"
data = "1 B"
probe = true
arrivals = { kind = "poisson", interval = "2 s" }
[run]
warm_up = "5 s"
seed = 1
"""
"""The room of the tutorial."""


@pytest.fixture
def opened(browser: Any, report: Path) -> Iterator[Callable[[str], Any]]:
    """Opens the report at a fragment and waits for its live part; at the end nothing was requested or complained of."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    console: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def load(fragment: str = "") -> Any:
        page.goto(report.as_uri() + fragment)
        page.wait_for_selector("#live .key", timeout=60_000)
        return page

    yield load
    assert console == []
    assert {url.partition("#")[0] for url in requests if not url.startswith("blob:")} == {report.as_uri()}
    context.close()


def moved(page: Any, value: str) -> None:
    page.evaluate("delete document.getElementById('live').dataset.ran")
    page.fill(f"#live input[type=number][aria-label='{RATE}']", value)
    page.wait_for_selector("#live[data-ran]", timeout=60_000)


def column(page: Any, number: int) -> list[str]:
    return page.eval_on_selector_all("#live tbody tr", f"rows => rows.map(row => row.children[{number}].textContent)")


def test_a_stored_value_run_in_the_page_gives_the_stored_numbers(opened: Callable[..., Any]) -> None:
    page = opened()
    moved(page, "70")
    assert "= 70" in page.inner_text("#live thead")
    assert column(page, 2) == column(page, 1)
    moved(page, "75")
    assert column(page, 2) != column(page, 1)


def test_a_link_with_settings_runs_them(opened: Callable[..., Any]) -> None:
    page = opened(f"#what-if:{RATE}=65")
    page.wait_for_selector("#live[data-ran]", timeout=60_000)
    assert page.input_value(f"#live input[type=number][aria-label='{RATE}']") == "65"
    page.click("text=Copy a link")
    assert page.evaluate("location.hash") == f"#what-if:{RATE}=65"


def test_more_than_is_served_is_said_before_the_numbers_until_it_is_taken_back(opened: Callable[..., Any]) -> None:
    page = opened()
    moved(page, "120")
    said = page.inner_text("#live .overload")
    assert said.startswith("More arrives at server (120 customers/s) than it serves (100 customers/s): no steady state")
    assert "no steady state" not in page.inner_text("#live [role=status]")
    moved(page, "70")
    assert page.is_hidden("#live .overload")


def test_a_value_that_cannot_be_simulated_is_refused_with_a_hint_and_the_numbers_stay(
    opened: Callable[..., Any],
) -> None:
    page = opened()
    moved(page, "70")
    before = column(page, 2)
    page.fill(f"#live input[type=number][aria-label='{RATE}']", "-3")
    page.wait_for_selector("text=These settings do not run")
    assert column(page, 2) == before


def influence(page: Any) -> dict[str, str]:
    """What the page says of the influence of each key, in its order."""
    page.click("text=Find the keys that matter most")
    page.wait_for_selector("#live table.influence", timeout=300_000)
    rows = "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])"
    return dict(page.eval_on_selector_all("#live table.influence tbody tr", rows))


def test_the_keys_that_matter_are_found_in_the_page_with_what_is_established(opened: Callable[..., Any]) -> None:
    page = opened()
    found = influence(page)
    # M/M/1: 1 / (mu - lambda) has an elasticity of 1 / (1 - load) to the service, of load / (1 - load) to the rate
    # 5 and 4 at a load of 0.8: both are established, and samples decide which lower end is the larger
    assert set(found) == {"station.server.service.mean", RATE}
    assert all(float(value) > 1 for value in found.values())
    keys = page.eval_on_selector_all("#live .key code", "found => found.map(one => one.textContent)")
    assert set(keys) == set(found)


def test_how_often_a_probe_asks_is_not_said_to_matter(
    browser: Any, written_by: Callable[..., Path], tmp_path: Path
) -> None:
    short = ("--set", "run.duration=30 s", "--replications", "2")
    room = tmp_path / "room.toml"
    room.write_text(ROOM)
    page = browser.new_page()
    page.goto((written_by("run", str(room), *short) / "report.html").as_uri())
    page.wait_for_selector("#live .key", timeout=60_000)
    found = influence(page)
    assert found["flow.alarm.arrivals.interval"] == "not distinguishable from 0"
    known = [key for key, value in found.items() if value != "not distinguishable from 0"]
    assert list(found)[: len(known)] == known, "what is established comes first"
    page.close()


def test_the_key_of_a_question_comes_first_with_its_range(browser: Any, written_by: Callable[..., Path]) -> None:
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    page = browser.new_page()
    page.goto((written_by("run", str(SITE), *short) / "report.html").as_uri())
    page.wait_for_selector("#live .key", timeout=60_000)
    keys = page.eval_on_selector_all("#live .key code", "found => found.map(one => one.textContent)")
    slider = page.locator("#live input[type=range]").first
    assert keys == ["station.floor-2-device.count"]
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("50", "90")
    page.close()


@pytest.mark.nightly
def test_the_report_of_a_capture_simulates_its_twin_beside_what_was_captured(
    browser: Any, sojourn: Callable[..., Any], tmp_path: Path
) -> None:
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    assert sojourn("run", SITE, *short, "--pcap", "site.pcap").returncode == 0
    assert sojourn("analyse", "site.pcap", "--scenario", "twin.toml", "--out", "captured").returncode == 0
    page = browser.new_page()
    page.goto((tmp_path / "captured" / "report.html").as_uri())
    page.click("text=Simulate it unchanged")
    page.wait_for_selector("#live[data-ran]", timeout=60_000)
    assert "Captured" in page.inner_text("#live thead")
    assert "–" not in column(page, 1)[0] + column(page, 2)[0]
    assert sojourn("analyse", "site.pcap", "--out", "captured").returncode == 0
    alone = html.unescape((tmp_path / "captured" / "report.html").read_text())
    assert "analyse CAPTURE --scenario" in alone and 'id="live"' not in alone
    page.close()


def test_the_page_is_small_and_its_policy_lets_nothing_load(report: Path) -> None:
    text = html.unescape(report.read_text())
    assert len(text.encode()) <= MOST_BYTES
    assert "default-src 'none'" in text


def test_the_report_of_a_study_with_many_points_is_small(tiny_study: Path) -> None:
    assert (tiny_study / "report.html").stat().st_size <= MOST_BYTES


def test_without_scripts_the_report_has_its_answer_and_no_live_part(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.is_visible("#answer table") and not page.is_visible("#live")
    context.close()
