"""Captures that a visitor sends: what becomes of them, and which are refused."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn import web
from sojourn.workbench import guard

from .conftest import Served
from .test_pages import QUEUE, ended

RAW_IP = 101
"""Link type of packets that begin with their IP header (tcpdump.org/linktypes.html)."""
ECHO, ECHO_REPLY = 8, 0
PAIRS, DELAY_US = 50, 10_000


def pings() -> bytes:
    """A capture of ICMP echoes, one a second, each answered after 10 ms (RFC 792)."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW_IP)]
    for number in range(PAIRS):
        for kind, source, target, at_us in ((ECHO, 1, 2, 0), (ECHO_REPLY, 2, 1, DELAY_US)):
            message = struct.pack(">BBHHH", kind, 0, 0, 7, number) + bytes(8)
            message = message[:2] + checksum(message) + message[4:]
            head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), number, 0, 64, 1, 0)
            head += bytes((10, 0, 0, source, 10, 0, 0, target))
            packet = head[:10] + checksum(head) + head[12:] + message
            parts.append(struct.pack("<IIII", number, at_us, len(packet), len(packet)) + packet)
    return b"".join(parts)


def checksum(octets: bytes) -> bytes:
    """That of the Internet (RFC 1071)."""
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~total & 0xFFFF)


def test_a_capture_becomes_a_job_with_its_response_times_and_a_report(workbench, folder: Path) -> None:
    client = workbench()
    sent = client.post(
        "/captures", params={"name": "lab 1.pcap", "expect": "response_time.p99 < 20 ms"}, content=pings()
    )
    assert sent.json() == {"address": "/jobs/1"}
    page = ended(client, 1)
    assert 'class="state done"' in page, page
    place = folder / ".sojourn/jobs/0001/results"
    (point,) = json.loads((place / "results.json").read_text())["points"]
    assert point["metrics"]["response_time"]["count"] == PAIRS
    assert point["metrics"]["response_time"]["p50"] == pytest.approx(DELAY_US / 1e6, rel=1e-3)
    assert [one["verdict"] for one in json.loads((place / "verdicts.json").read_text())] == ["met"]
    assert '<iframe id="report"' in page
    assert "lab 1.pcap" in client.get("/captures").text


@pytest.mark.parametrize("name", ["../site.pcap", ".pcap", "-o.pcap", "site.toml", "a/b.pcap", "", "site.pcap.exe"])
def test_a_capture_of_another_name_is_refused_and_leaves_nothing(workbench, folder: Path, name: str) -> None:
    sent = workbench().post("/captures", params={"name": name}, content=pings())
    assert sent.status_code == 400
    assert "capture's name" in sent.json()["refused"] or "printable" in sent.json()["refused"]
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_an_empty_capture_and_an_option_that_pages_do_not_have_are_refused(workbench, folder: Path) -> None:
    client = workbench()
    assert "is empty" in client.post("/captures", params={"name": "a.pcap"}, content=b"").json()["refused"]
    other = client.post("/captures", params={"name": "a.pcap", "scenario": "/tmp/x"}, content=pings())
    assert "has no 'scenario'" in other.json()["refused"]
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_a_job_of_a_capture_is_not_started_without_one(workbench) -> None:
    refused = workbench().post("/jobs", data={"command": "analyse", "name": "site.pcap"})
    assert refused.status_code == 400
    assert "No jobs yet" in workbench().get("/jobs").text


def test_a_capture_has_a_limit_of_its_own_by_its_length_and_by_its_octets(
    workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    client: TestClient = workbench()
    most = guard.MOST_OF["/captures"]
    stated = client.post("/captures?name=a.pcap", content=b"x", headers={"content-length": str(most + 1)})
    assert stated.status_code == 413
    monkeypatch.setitem(guard.MOST_OF, "/captures", 1000)
    chunked = client.post("/captures?name=a.pcap", content=(bytes(400) for _ in range(3)))
    assert chunked.status_code == 413
    assert client.post("/jobs", content=bytes(guard.MOST_BODY + 1)).status_code == 413


@pytest.mark.peer("chromium", package="chromium")
def test_a_capture_is_chosen_sent_and_answered_in_a_browser(browser: Any, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "pings.pcap"
    file.write_bytes(pings())
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(served.run)
    page.wait_for_url(f"{served.origin}/")
    page.get_by_role("link", name="Captures").click()
    page.set_input_files("#capture-file", file)
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url(f"{served.origin}/jobs/*")
    page.locator(".state.done").wait_for(timeout=60_000)
    page.frame_locator("#report").get_by_text("The mean response time is 10 ms").first.wait_for(timeout=60_000)
    assert said == []
    context.close()


@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.skipif(web.captures() is None, reason="the simulation for pages was not built")
def test_a_capture_is_read_in_the_page_and_none_of_it_is_sent(
    browser: Any, served: Served, tmp_path: Path, violations: Callable[[Any], list[str]]
) -> None:
    file = tmp_path / "pings.pcap"
    file.write_bytes(pings())
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(served.view)
    page.wait_for_url(f"{served.origin}/")
    page.get_by_role("link", name="Captures").click()
    page.locator("#own-capture").wait_for()
    page.wait_for_load_state("networkidle")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_input_files("#own-capture", file)
    page.wait_for_selector("#capture-found[data-read]")
    table = page.locator("#capture-found [aria-label=Times]").inner_text()
    assert f"response_time\t{PAIRS}\t10 ms" in table
    page.click("text=Twin with sliders")
    page.wait_for_selector("#live .key")
    assert violations(page) == []
    # the library that draws is the server's own, and static
    assert all(url.startswith((f"{served.origin}/static/", "blob:")) for url in requests)
    assert said == []
    context.close()


RECORDED = '{ kind = "empirical", file = "lab-twin-1.csv" }'
TWIN = QUEUE.replace('{ kind = "exponential", mean = "10 ms" }', RECORDED)
TRACE = "service\n0.005\n0.010\n0.015\n"


def test_a_twin_that_the_browser_found_becomes_a_scenario_with_its_trace_and_replaces_none(
    workbench, folder: Path
) -> None:
    client = workbench()
    sent = {"name": "lab-twin", "text": TWIN, "trace": "lab-twin-1.csv", "content": TRACE}
    assert client.post("/captures/twin", data=sent).json() == {"address": "/scenarios/lab-twin.toml"}
    assert (folder / "lab-twin.toml").read_text() == TWIN
    assert (folder / "lab-twin-1.csv").read_text() == TRACE
    assert "Valid." in client.get("/scenarios/lab-twin.toml").text

    again = client.post("/captures/twin", data={"name": "lab-twin", "text": QUEUE})
    assert again.json() == {"address": "/scenarios/lab-twin-2.toml"}
    assert (folder / "lab-twin.toml").read_text() == TWIN
    assert "exists already" in client.post("/captures/twin", data=sent).json()["refused"]


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "../lab"},
        {"name": ""},
        {"text": ""},
        {"trace": "../lab.csv"},
        {"trace": "lab.toml"},
        {"trace": ["a.csv", "a.csv"], "content": ["1", "2"]},
        {"trace": ["a.csv", "b.csv"]},
        {"text": TWIN.replace("lab-twin-1.csv", "/etc/passwd")},
    ],
)
def test_a_twin_that_would_reach_beyond_the_folder_leaves_nothing(workbench, folder: Path, changed) -> None:
    before = sorted(folder.iterdir())
    sent = {"name": "lab-twin", "text": TWIN, "trace": "lab-twin-1.csv", "content": TRACE} | changed
    refused = workbench().post("/captures/twin", data=sent)
    assert refused.status_code == 400, refused.text
    assert refused.json()["refused"]
    assert sorted(folder.iterdir()) == before
