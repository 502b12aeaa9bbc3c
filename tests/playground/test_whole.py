"""Every question of the gallery, every width, keyboard and hostile links: too slow for each change."""

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from sojourn.installations import names

from .conftest import QUEUE, RATE, ROOT, address, edit, table, wait

Violations = Callable[[Any], list[str]]
pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.playground, pytest.mark.nightly]
GALLERY = tomllib.loads((ROOT / "web" / "playground" / "gallery.toml").read_text())["group"]
EXAMPLES = [example["id"] for group in GALLERY for example in group["example"]]
NETWORKS = ["lontalk", "mstp", "modbus", "ip", "switched-lan", "fddi", "fddi-adapter", "packet-radio", "queue"]


@pytest.mark.parametrize("example", [*EXAMPLES, *names(), *(f"new-{kind}" for kind in NETWORKS)])
def test_every_question_is_answered_on_a_phone_and_a_screen(
    opened: Callable[..., Any], violations: Violations, example: str
) -> None:
    page = opened(f"#open={example}")
    assert page.inner_text("#headline")
    assert page.inner_text("#mistakes") == ""
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    page.click("#theme")
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []


def test_the_gallery_is_accessible(opened: Callable[..., Any], violations: Violations) -> None:
    assert violations(opened()) == []


def test_keys_and_values_are_completed_and_described(opened: Callable[..., Any]) -> None:
    page = opened(address(QUEUE))
    page.click("#code .cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("se")
    page.wait_for_selector(".cm-tooltip-autocomplete")
    assert page.locator(".cm-tooltip-autocomplete li").first.inner_text() == "seed"
    page.keyboard.press("Enter")
    page.keyboard.type("7\n[[fl")
    page.wait_for_selector(".cm-tooltip-autocomplete")
    assert "flow" in page.inner_text(".cm-tooltip-autocomplete")
    page.keyboard.press("Escape")
    page.hover(".cm-line:has-text('warm_up') >> nth=0", position={"x": 20, "y": 8})
    page.wait_for_selector(".key-tip")
    assert "run.warm_up" in page.inner_text(".key-tip")


def test_everything_is_reached_by_keyboard(opened: Callable[..., Any]) -> None:
    page = opened(address(QUEUE))
    page.focus("#kind-run")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    for name in ("start", "keep", "course", "capture", "results", "copy", "save", "file", "original"):
        assert name in reached, name
    assert any("cm-content" in one for one in reached)


def test_two_tabs_do_not_disturb_each_other(opened: Callable[..., Any]) -> None:
    first = opened(address(QUEUE))
    second = opened(address(QUEUE.replace('"80 /s"', '"40 /s"')))
    before = second.inner_text("#headline")
    first.click("#start")
    wait(first)
    assert second.inner_text("#headline") == before != first.inner_text("#headline")


def test_a_title_with_markup_is_text(opened: Callable[..., Any]) -> None:
    text = QUEUE.replace("One server", "<img src=x onerror=alert(1)>")
    page = opened(address(text, do="sweep", key=RATE, values="40,60 /s"))
    page.click("#keep")
    assert page.inner_text("#kept-title") == "<img src=x onerror=alert(1)>"
    assert page.locator("img").count() == 0


def test_two_scenarios_are_compared_and_the_link_holds_both(opened: Callable[..., Any]) -> None:
    page = opened(address(QUEUE))
    page.click("#keep")
    edit(page, QUEUE.replace('"80 /s"', '"40 /s"'))
    page.click("#start")
    wait(page)
    assert table(page)[0][1:] == ["Kept", "Now"]
    assert "-" in page.inner_text("#headline") and "kept scenario" in page.inner_text("#headline")
    assert page.inner_text("#lines").split("\n")[0].startswith('- arrivals = { kind = "poisson", rate = "80 /s" }')
    page.click("#copy")
    other = opened(page.evaluate("location.hash"))
    assert table(other) == table(page)
    other.click("#forget")
    other.click("#start")
    wait(other)
    assert len(table(other)[0]) == 2


def test_a_replication_shows_its_timeline_and_a_network_its_packets(opened: Callable[..., Any]) -> None:
    page = opened("#open=packets")
    page.click("#course")
    page.wait_for_selector("#courses svg.marks")
    with page.expect_download() as saved:
        page.click("#capture")
    file = saved.value.path().read_bytes()
    assert saved.value.suggested_filename == "packets.pcap"
    assert file[:4] == bytes.fromhex("4d3cb2a1")
    assert "frames of the first replication" in page.inner_text("#said")


def test_a_link_that_cannot_be_read_shows_the_gallery_and_why(opened: Callable[..., Any]) -> None:
    page = opened("#scenario=%3Cscript%3E", answered=False)
    page.wait_for_selector("#lost")
    assert page.is_visible("#gallery")
    bomb = address("x" * 5_000_000)
    other = opened(bomb, answered=False)
    other.wait_for_selector("#lost")
    assert "more than a scenario" in other.inner_text("#lost")
