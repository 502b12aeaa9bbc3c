"""Captures in the playground: what the tool says of them, twins in the editor, sliders; nothing leaves the page."""

import gzip
import json
import struct
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
name = "near"
[[medium]]
name = "link"
rate = "10 Mbit/s"
delay = "5 ms"
[[medium]]
name = "far"
[[station]]
name = "client"
on = "near"
[[station]]
name = "one"
type = "router"
on = ["near", "link"]
[[station]]
name = "two"
type = "router"
on = ["link", "far"]
[[station]]
name = "server"
on = "far"
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
    assert twin.startswith("# AGREES with its capture.")
    assert agreement.startswith("✓ Agrees with the capture. In 3 simulated runs its median response time is")
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


def walk() -> bytes:
    """Queries of DNS (RFC 1035), each after the answer before, at times of no law."""
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2")
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)]
    at_us = 1_750_000_000_000_000
    for number in range(1, 60):
        for is_answer in (False, True):
            message = struct.pack(">HHHHHH", number, 0x8180 if is_answer else 0x0100, 1, 0, 0, 0) + b"\1a\0\0\1\0\1"
            ports = (53, 40_000) if is_answer else (40_000, 53)
            datagram = struct.pack(">HHHH", *ports, 8 + len(message), 0) + message
            head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(datagram), number, 0, 64, 17, 0)
            packet = head + b"".join(reversed(ends) if is_answer else ends) + datagram
            parts.append(struct.pack("<IIII", *divmod(at_us, 1_000_000), len(packet), len(packet)) + packet)
            at_us += 150 + (number * 7919 % 13) ** 3 * 400 if is_answer else 200 + 61 * number % 900
    return b"".join(parts)


def test_the_traces_of_a_twin_are_simulated_in_the_editor_and_with_sliders(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "walk.pcap").write_bytes(walk())
    page = opened()
    read(page, tmp_path / "walk.pcap")
    page.click("text=Twin with sliders")
    page.wait_for_selector("#live .key")
    page.click("text=Simulate it unchanged")
    page.wait_for_selector("#live[data-ran]")
    page.click("text=Twin in the editor")
    wait(page)
    assert page.inner_text("#mistakes") == ""
    assert 'file = "walk-twin-udp-53-1.csv"' in saved(page, "#save")
    assert page.inner_text("#agreement").startswith("✓ Agrees with the capture.")


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
