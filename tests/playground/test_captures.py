"""Captures in the playground: what the tool says of them, twins in the editor, sliders; nothing leaves the page."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, wait

Violations = Callable[[Any], list[str]]
pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.playground]
IP = """
[network]
kind = "ip"
[[medium]]
name = "lan"
rate = "10 Mbit/s"
[[station]]
name = "client"
on = "lan"
[[station]]
name = "server"
on = "lan"
[probe]
from = "client"
to = "server"
think = "20 ms"
[run]
duration = "5 s"
warm_up = "0 s"
replications = 1
"""
RADIO = """
[network]
kind = "packet-radio"
[[medium]]
name = "air"
bit_rate = "1200 bit/s"
txdelay = "300 ms"
persistence = "50 %"
slottime = "100 ms"
[[station]]
name = "ping"
callsign = "PING-1"
on = ["air"]
[[station]]
name = "pong"
callsign = "PONG-1"
on = ["air"]
[probe]
from = "ping"
to = "pong"
size = "100 B"
round_trips = 200
pause = "5 s"
[run]
duration = "20 min"
warm_up = "0 s"
replications = 1
"""


@pytest.fixture
def site(sojourn: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The frames of a simulated network."""
    scenario = tmp_path / "site.toml"
    short = ["--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1"]
    if request.param == "lontalk":
        done = sojourn("run", ROOT / "examples" / "lontalk-site.toml", *short, "--pcap", "site.pcap")
    else:
        scenario.write_text(request.param)
        done = sojourn("run", scenario, "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


NETWORKS = pytest.mark.parametrize("site", ["lontalk", IP, RADIO], indirect=True, ids=["lontalk", "ip", "ax25"])


def read(page: Any, capture: Path) -> None:
    """Opens a capture and waits until it is read and shown."""
    page.set_input_files("#own-capture", capture)
    page.wait_for_selector("#capture-found[data-read]", timeout=60_000)


def saved(page: Any, click: str) -> str:
    """The text of the file that a button saves."""
    with page.expect_download() as download:
        page.click(click)
    return str(download.value.path().read_text(encoding="utf-8"))


@NETWORKS
def test_a_capture_and_its_twin_are_those_of_the_tool_to_the_last_digit(
    opened: Callable[..., Any], sojourn: Any, site: Path
) -> None:
    options = ("--slowest", "10", "--scenario", "site-twin.toml", "--format", "json", "--no-store")
    done = sojourn("analyse", site, *options)
    there = json.loads(done.stdout)
    page = opened()
    read(page, site)
    here = json.loads(saved(page, "text=Download results.json"))
    assert here | {"commit": ""} == there | {"commit": ""}
    assert there["points"][0]["metrics"]["response_time"]["count"] > 10

    page.click("text=Twin in the editor")
    wait(page)
    assert page.inner_text("#mistakes") == ""
    twin = (site.parent / "site-twin.toml").read_text(encoding="utf-8")
    assert saved(page, "#save") == twin
    agreement = page.inner_text("#agreement")
    assert agreement.startswith("✓ Agrees") == twin.startswith("# AGREES") == (done.returncode == 0)
    assert "In 3 simulated runs" in agreement
    page.go_back()
    assert page.is_visible("#capture-title")


@pytest.mark.parametrize("site", [IP], indirect=True)
def test_a_slider_moves_the_twin_beside_what_was_captured(opened: Callable[..., Any], site: Path) -> None:
    page = opened()
    read(page, site)
    page.click("text=Twin with sliders")
    page.wait_for_selector("#live .key")
    assert "✓ Agrees with the capture." in page.inner_text("#capture-agreement")
    page.click("text=Simulate it unchanged")
    page.wait_for_selector("#live[data-ran]")
    before = page.inner_text("#live .shown td:last-child >> nth=1")
    page.evaluate("document.querySelector('#live').removeAttribute('data-ran')")
    delay = page.locator("#live .key", has_text=".delay").locator("input[type=number]").first
    delay.fill(str(3 * float(delay.input_value()) + 100))
    page.wait_for_selector("#live[data-ran]")
    assert page.inner_text("#live .shown td:last-child >> nth=1") != before


@pytest.mark.parametrize("site", [IP], indirect=True)
def test_what_a_capture_shows_is_accessible_at_every_width_in_both_themes(
    opened: Callable[..., Any], violations: Violations, site: Path
) -> None:
    page = opened()
    read(page, site)
    page.wait_for_selector("#capture-figure svg.marks")
    page.click("text=Twin with sliders")
    page.wait_for_selector("#live .key")
    for width in (1280, 820, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
        page.click("#theme")


@pytest.mark.parametrize("site", ["lontalk"], indirect=True)
def test_a_compressed_capture_is_dropped_and_another_file_is_refused(opened: Callable[..., Any], site: Path) -> None:
    page = opened()
    drop(page, "site.pcap.gz", gzip.compress(site.read_bytes()))
    page.wait_for_selector("#capture-found[data-read]")
    assert page.inner_text("#capture-title").startswith("site.pcap.gz: ")
    assert not page.is_visible("#questions")
    drop(page, "picture.gif", b"GIF89a")
    page.wait_for_selector("#capture-said:has-text('no known format')")
    assert page.inner_text("#capture-found") == ""
    page.click("#close-capture")
    assert page.is_visible("#questions")


def test_the_place_of_captures_is_reached_by_keyboard(opened: Callable[..., Any]) -> None:
    page = opened()
    page.focus("#theme")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "own-capture"


def drop(page: Any, name: str, content: bytes) -> None:
    """Drops a file on the page."""
    script = """([name, octets]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(octets)], name));
      const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector(".drop").dispatchEvent(event);
    }"""
    page.evaluate(script, [name, list(content)])
