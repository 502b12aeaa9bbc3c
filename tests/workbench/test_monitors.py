"""Monitors and measurements that a page starts: what they show while they run, and which are refused."""

import html
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.errors import UserError
from sojourn.workbench import jobs
from sojourn.workbench.app import application
from sojourn.workbench.asked import Asked, Command, of_form
from sojourn.workbench.journal import Journal
from sojourn.workbench.monitors import Watched
from sojourn.workbench.settings import Settings

from .conftest import LINKS, ORIGIN, TOKENS, Served
from .test_pages import ended

WITHIN_S = 60


class Echo:
    """Returns what it receives by UDP, until it is closed."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.2)
        self.url = f"udp-echo://127.0.0.1:{self._socket.getsockname()[1]}"
        self._is_open = True
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while self._is_open:
            try:
                octets, sender = self._socket.recvfrom(65536)
            except TimeoutError:
                continue
            self._socket.sendto(octets, sender)
        self._socket.close()

    def close(self) -> None:
        self._is_open = False
        self._thread.join()


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.close()


def form_for(*urls: str, **fields: str) -> dict[str, str]:
    return {"target": "\r\n".join(urls), "window": "1 s", "rate": "20 /s", "timeout": "300 ms"} | fields


def shows(client: TestClient, wanted: Callable[[str], Any], path: str = "/monitors/1") -> str:
    """The page of a monitor once it shows what is wanted."""
    until = time.monotonic() + WITHIN_S
    while not wanted(text := html.unescape(client.get(path).text)):
        assert time.monotonic() < until, text
        time.sleep(0.1)
    return text


def test_a_monitor_shows_its_windows_and_an_outage_is_stopped_and_goes_on_in_its_files(
    workbench, folder: Path, echo: Echo
) -> None:
    client = workbench()
    begun = client.post("/monitors", data=form_for(echo.url, expect="loss < 5 %"))
    assert (begun.status_code, begun.headers["location"]) == (303, "/monitors/1")
    text = shows(client, lambda text: ">up<" in text and text.count("<td>20</td>") >= 2)
    assert f"monitor {echo.url} '--expect=loss < 5 %'" in text
    assert "<td>0.0 %</td>" in text
    assert re.search(r'<path class="p50" d="M\d', text), "two windows have a line"
    listed = client.get("/monitors").text
    assert 'aria-label="Stop monitor 1"' in listed
    assert client.get("/jobs/1").headers["location"] == "/monitors/1"

    echo.close()
    text = shows(client, lambda text: ">outage<" in text and "alert raised: loss < 5 %" in text)
    assert "outage since" in text
    assert '<rect class="away"' in text

    assert client.post("/jobs/1/stop").status_code == 303
    shows(client, lambda text: 'class="state stopped"' in text)
    assert "No monitor runs." in client.get("/monitors").text
    assert client.post("/jobs/1/resume").status_code == 303
    text = shows(client, lambda text: text.count("begin of monitoring 1 target") == 2)
    assert "alert raised" in text, "what was before stays"
    client.post("/jobs/1/stop")
    shows(client, lambda text: 'class="state stopped"' in text)
    files = list((folder / ".sojourn/jobs/0001/results").glob("monitor-*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert {line["metrics"] for line in lines if line["type"] == "monitor"} == {None}, "no port is opened"
    assert (folder / ".sojourn/jobs/0001/output.txt").read_text() == ""
    assert client.post("/jobs/1/remove").headers["location"] == "/monitors"


def test_a_document_with_targets_is_started_from_its_page_as_it_is_on_the_screen(
    workbench, folder: Path, echo: Echo
) -> None:
    document = f'[network]\nkind = "ip"\n[monitor]\nwindow = "1 s"\n[[target]]\nname = "echo"\npeer = "{echo.url}"\n'
    client = workbench()
    client.post("/new", data={"name": "around", "template": "monitor"})
    page = client.get("/scenarios/around.toml").text
    assert re.findall(r'name="command" value="(\w+)"', page) == ["monitor"]
    version = re.search(r'name="version" value="(\w+)"', page)
    assert version is not None
    fields = {"command": "monitor", "name": "around.toml", "text": document, "version": version[1]}
    begun = client.post("/jobs", data=fields | {"monitor.expect": "loss < 5 %", "event.action": "down"})
    assert begun.headers["location"] == "/jobs/1"
    text = shows(client, lambda text: ">up<" in text)
    assert "<h1>around.toml</h1>" in text
    assert (folder / "around.toml").read_text() == document
    client.post("/jobs/1/stop")
    shows(client, lambda text: 'class="state stopped"' in text)


def test_who_may_only_look_sees_a_monitor_and_starts_and_stops_none(workbench, echo: Echo) -> None:
    client, viewer = workbench(), workbench("view")
    client.post("/monitors", data=form_for(echo.url))
    text = shows(viewer, lambda text: ">up<" in text)
    assert "<button" not in text.partition("<main")[2]
    assert "<form" not in viewer.get("/monitors").text.partition("<main")[2]
    assert viewer.post("/monitors", data=form_for(echo.url)).status_code == 403
    assert viewer.post("/jobs/1/stop").status_code == 403
    client.post("/jobs/1/stop")
    shows(client, lambda text: 'class="state stopped"' in text)


@pytest.mark.hostile("pages that start monitors")
@pytest.mark.parametrize(
    "fields",
    [
        {"target": ""},
        {"target": "--on-alert=reboot"},
        {"target": "icmp://127.0.0.1\n--on-alert=reboot"},
        {"target": "file:///etc/passwd"},
        {"target": "kiss+serial:///dev/ttyS0/CALL"},
        {"target": "/etc/passwd"},
        {"target": "icmp://127.0.0.1\n" * 51},
        {"target": "icmp://127.0.0.1", "on_alert": "reboot"},
        {"target": "icmp://127.0.0.1", "metrics": "0.0.0.0:80"},
        {"target": "icmp://127.0.0.1", "set": "measure.key_file=/etc/shadow"},
        {"target": "icmp://127.0.0.1", "key_file": "/etc/shadow"},
        {"target": "icmp://127.0.0.1", "out": "/tmp/x"},
        {"target": "icmp://127.0.0.1", "name": "../outside.toml"},
    ],
    ids=lambda fields: " ".join(fields.values())[:40],
)
@pytest.mark.parametrize("path", ["/monitors", "/measurements"])
def test_no_option_or_path_is_taken_from_the_form_of_a_monitor(workbench, folder: Path, path: str, fields) -> None:
    refused = workbench().post(path, data=fields)
    assert refused.status_code in (400, 404)
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_a_form_that_is_refused_is_shown_again_without_a_password(workbench) -> None:
    fields = {"target": "ftp://192.0.2.1/", "expect": "loss < 1 %", "rate": "2 /s"}
    refused = workbench().post("/monitors", data=fields)
    assert 'role="alert"' in refused.text
    assert "ftp://192.0.2.1/" in refused.text
    assert 'value="2 /s"' in refused.text
    secret = workbench().post("/monitors", data=fields | {"target": "ftp://me:pa55word@192.0.2.1/"})
    assert "pa55word" not in secret.text


def test_pages_that_start_no_measurements_start_no_monitors(folder: Path) -> None:
    settings = Settings(folder=folder, tokens=TOKENS, measures=False)
    for command in ("measure", "monitor"):
        with pytest.raises(UserError, match="--no-measurements"):
            of_form({"command": [command], "target": ["icmp://127.0.0.1"]}, settings)
    with TestClient(application(settings), base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
        client.get("/enter", params={"token": LINKS["run"]})
        for path in ("/monitors", "/measurements"):
            assert "--no-measurements" in client.get(path).text
            assert 'name="target"' not in client.get(path).text


def test_monitors_have_places_of_their_own_beside_the_other_jobs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, echo: Echo
) -> None:
    monkeypatch.setattr(jobs, "MOST_MONITORS", 1)
    settings = Settings(folder=folder, tokens=TOKENS, at_once=1)
    with TestClient(
        application(settings), base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False
    ) as client:
        client.get("/enter", params={"token": LINKS["run"]})
        client.post("/monitors", data=form_for(echo.url))
        shows(client, lambda text: ">up<" in text)
        refused = client.post("/monitors", data=form_for(echo.url))
        assert refused.status_code == 400
        assert "1 monitors run already" in refused.text
        client.post("/jobs", data={"command": "run", "name": "site.toml"})
        assert 'class="state done"' in ended(client, 2)
    assert [record.state.name for record in Journal(folder).read()] == ["stopped", "done"], "the server's end stops it"


def test_a_monitor_opens_no_port_and_takes_no_threads_and_no_cluster(folder: Path) -> None:
    settings = Settings(folder=folder, tokens=TOKENS, cluster="tcp://cluster:8786", threads=2)
    asked = Asked(Command.monitor, "", (("target", "icmp://127.0.0.1"), ("expect", "loss < 1 %")))
    words = ["monitor", "icmp://127.0.0.1", "--expect=loss < 1 %", "--metrics=off", f"--out={folder}"]
    assert asked.arguments(folder, settings) == words


def test_a_peer_is_measured_without_a_document(workbench, folder: Path, echo: Echo) -> None:
    client = workbench()
    fields = {"target": echo.url, "rate": "50 /s", "duration": "1 s", "expect": "loss < 5 %"}
    assert client.post("/measurements", data=fields).headers["location"] == "/jobs/1"
    assert 'class="state done"' in ended(client, 1)
    (point,) = json.loads((folder / ".sojourn/jobs/0001/results/results.json").read_text())["points"]
    assert point["metrics"]["response_time"]["sent"] == pytest.approx(50, abs=2)
    assert echo.url in client.get("/measurements").text


def window(second: int, *, answered: int = 10, p50: float | None = 0.001) -> dict[str, Any]:
    """The line of a window of ten requests that begins at a second of the first minute of a day."""
    begin, end = (f"2026-11-30T00:00:{one:02}.000Z" for one in (second, second + 1))
    metrics = {"response_time": {"unit": "s", "p50": p50, "p99": p50 and 2 * p50}}
    shape = {"type": "window", "time": end, "target": "a", "begin": begin, "end": end, "in_outage": answered == 0}
    return shape | {"sent": 10, "answered": answered, "conditions": [], "metrics": metrics}


def written(file: Path, *lines: dict[str, Any]) -> None:
    with file.open("a") as stream:
        stream.writelines(f"{json.dumps(line)}\n" for line in lines)


def test_the_lines_of_a_monitor_are_read_as_they_come_over_days_and_around_what_is_damaged(tmp_path: Path) -> None:
    watched, first = Watched(tmp_path), tmp_path / "monitor-2026-11-30-0001.jsonl"
    watched.read()
    assert watched.targets == {}
    begin = {"type": "monitor", "time": "t", "event": "begin", "metrics": None, "targets": [["a", "icmp://192.0.2.1"]]}
    written(first, begin, window(0))
    first.write_text(first.read_text() + "damaged\n" + json.dumps(window(1))[:40])
    watched.read()
    assert (watched.targets["a"].url, len(watched.targets["a"].windows)) == ("icmp://192.0.2.1", 1)
    with first.open("a") as stream:
        stream.write(json.dumps(window(1))[40:] + "\n")
    written(tmp_path / "monitor-2026-12-01-0001.jsonl", window(2, answered=0, p50=None))
    watched.read()
    assert [row["p50"] for row in watched.targets["a"].rows()] == ["–", "1 ms", "1 ms"]
    assert watched.targets["a"].state == "outage"
    assert watched.version == 4


def test_the_figure_of_a_monitor_has_its_quantiles_and_bands_where_the_target_was_away(tmp_path: Path) -> None:
    file = tmp_path / "monitor-2026-11-30-0001.jsonl"
    written(file, window(0), window(1), window(2, answered=0, p50=None), window(3, answered=0, p50=None), window(4))
    watched = Watched(tmp_path)
    watched.read()
    drawn = watched.targets["a"].drawn()
    assert drawn is not None
    # the middles of the windows, 0.5 s to 4.5 s, lie between 78 and 592; 0 s at 120 and 2 ms at 8
    assert drawn["paths"]["p50"] == "M78.0 64.0L206.5 64.0M592.0 64.0"
    assert drawn["paths"]["p99"] == "M78.0 8.0L206.5 8.0M592.0 8.0"
    # away from 2 s to 4 s
    assert drawn["outages"] == [(pytest.approx(270.75, abs=0.1), pytest.approx(257, abs=0.1))]
    assert (drawn["top"], drawn["ends"]) == ("2 ms", ["00:00:00", "00:00:04"])


@pytest.mark.peer("chromium", package="chromium")
def test_windows_and_the_end_of_a_monitor_come_to_an_open_page(browser: Any, served: Served, echo: Echo) -> None:
    context = browser.new_context()
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(served.run)
    page.wait_for_url(f"{served.origin}/")
    page.get_by_role("link", name="Monitors").click()
    for key, value in (("target", echo.url), ("window", "1 s"), ("rate", "20 /s")):
        page.fill(f"#monitor-{key}", value)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(f"{served.origin}/monitors/*")
    page.evaluate("window.stays = true")
    page.locator(".watched path.p50[d^=M]").wait_for(timeout=60_000)
    echo.close()
    page.locator(".state", has_text="outage").wait_for(timeout=60_000)
    assert page.evaluate("window.stays"), "the page was not loaded anew"
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Continue").wait_for(timeout=60_000)
    assert said == []
    context.close()
