"""The server as a process: in a browser from the link to the figure, under slow connections, and at its end."""

import json
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sojourn.workbench import connections, server
from sojourn.workbench.settings import Settings

from .conftest import QUEUE

CHROMIUM = "/usr/bin/chromium"


class Served:
    """A server and its links."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder
        assert process.stdout is not None
        self.run, self.view = (process.stdout.readline().split()[-1] for _ in range(2))
        parts = urlsplit(self.run)
        self.origin, self.address = f"{parts.scheme}://{parts.netloc}", (str(parts.hostname), int(parts.port or 0))


@pytest.fixture
def served(start, tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "site.toml").write_text(QUEUE)
    yield Served(start("serve", folder, "--port", "0"), folder)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.peer("chromium", package="chromium")
def test_from_the_link_to_a_mistake_corrected_a_run_and_its_figures_on_a_phone(browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.goto(served.run)
    page.wait_for_url(f"{served.origin}/")
    page.get_by_role("link", name="site.toml").click()

    page.get_by_label("Text", exact=True).fill(QUEUE.replace("poisson", "poison"))
    page.get_by_role("button", name="line 13").click()
    assert "poison" in page.inner_text("#checked")
    assert page.evaluate("document.activeElement.id") == "text"
    page.get_by_label("Text", exact=True).fill(QUEUE.replace("20 s", "21 s"))
    page.get_by_text("Valid.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert "21 s" in (served.folder / "site.toml").read_text()

    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(f"{served.origin}/jobs/1")
    page.wait_for_selector("#figures svg.marks", timeout=60_000)
    assert page.inner_text(".state") == "done"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert console == []
    assert "response_time" in page.inner_text(".output")
    assert str(served.folder) not in page.content()
    results = page.request.get(f"{served.origin}/jobs/1/files/results.json").json()
    assert len(results["points"]) == 1
    policy = page.request.get(f"{served.origin}/jobs/1/files/report.html").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads; default-src 'none'")

    with context.expect_page() as opened:
        page.get_by_role("link", name="Report").click()
    report = opened.value
    report.wait_for_selector("figure svg.marks", timeout=60_000)
    assert report.evaluate("window.origin") == "null", "the report has an origin of its own"

    page.go_back()
    page.wait_for_selector("#text")
    page.get_by_role("button", name="Leave").click()
    assert page.goto(served.origin).status == 401
    context.close()


LIMIT_S = 1.0


@pytest.fixture
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """The address of a server in this process that waits a second for requests."""
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT_S", LIMIT_S)
    begun = threading.Event()
    listening = server.bound("127.0.0.1", 0)
    address = listening.getsockname()
    found = server.server_of(Settings(folder=tmp_path, port=address[1]), begun.set)
    thread = threading.Thread(target=found.run, kwargs={"sockets": [listening]})
    thread.start()
    assert begun.wait(60)
    yield address
    found.should_exit = True
    thread.join(60)


@pytest.mark.parametrize(
    "part", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"]
)
def test_a_request_that_trickles_ends_and_others_are_answered_meanwhile(hasty: tuple[str, int], part: bytes) -> None:
    slow = [socket.create_connection(hasty) for _ in range(30)]
    begun = time.monotonic()
    late = dict.fromkeys(slow, 0.0)
    for connection in slow:
        connection.sendall(part)
    while not all(late.values()) and time.monotonic() - begun < 20 * LIMIT_S:
        with socket.create_connection(hasty) as quick:
            named = b"Host: %s:%d\r\n" % (hasty[0].encode(), hasty[1])
            quick.sendall(b"GET /static/page.css HTTP/1.1\r\n%sConnection: close\r\n\r\n" % named)
            assert quick.recv(12) == b"HTTP/1.1 200"
        for connection in [one for one, ended in late.items() if not ended]:
            try:
                connection.sendall(b"a")
            except OSError:
                late[connection] = time.monotonic() - begun
        time.sleep(0.1)
    assert all(late.values())
    assert min(late.values()) > LIMIT_S * 0.9
    for connection in slow:
        connection.close()


def host(served: Served) -> bytes:
    return b"%s:%d" % (served.address[0].encode(), served.address[1])


def test_heads_that_are_too_large_and_what_is_not_http_are_refused(served: Served) -> None:
    for octets in (
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 40_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ):
        with socket.create_connection(served.address) as connection:
            connection.sendall(octets)
            assert connection.recv(12) in (b"HTTP/1.1 400", b"")


def test_ctrl_c_ends_the_server_and_its_jobs_which_a_new_server_continues(served: Served, start, until) -> None:
    begun = post(served, served.run, "/jobs", "command=run&name=site.toml&replications=5000&set=run.duration%3D500+s")
    assert begun.startswith("HTTP/1.1 303")
    record = served.folder / ".sojourn/jobs/0001/job.json"
    until(lambda: json.loads(record.read_text())["state"] == "running")
    time.sleep(1)
    served.process.send_signal(signal.SIGINT)
    _, messages = served.process.communicate(timeout=60)
    assert served.process.returncode == 0, messages
    assert "Traceback" not in messages
    assert json.loads(record.read_text())["state"] == "stopped"
    again = Served(start("serve", served.folder, "--port", "0"), served.folder)
    assert post(again, again.run, "/jobs/1/resume", "").startswith("HTTP/1.1 303")
    until(lambda: json.loads(record.read_text())["state"] == "running")


def test_a_second_ctrl_c_ends_it_at_once_without_a_traceback(served: Served) -> None:
    served.process.send_signal(signal.SIGINT)
    served.process.send_signal(signal.SIGINT)
    _, messages = served.process.communicate(timeout=60)
    assert served.process.returncode == 0, messages
    assert "Traceback" not in messages


def post(served: Served, link: str, path: str, body: str) -> str:
    """The answer to a form, sent with the cookie of a link."""
    entered = exchange(served, f"GET {link.removeprefix(served.origin)} HTTP/1.1\r\n")
    cookie = re.search(r"set-cookie: ([^;]+)", entered)
    assert cookie is not None, entered
    head = f"POST {path} HTTP/1.1\r\nCookie: {cookie[1]}\r\nOrigin: {served.origin}\r\n"
    head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
    return exchange(served, head, body)


def exchange(served: Served, head: str, body: str = "") -> str:
    with socket.create_connection(served.address) as connection:
        whole = f"{head}Host: {host(served).decode()}\r\nConnection: close\r\n\r\n{body}"
        connection.sendall(whole.encode())
        with connection.makefile("rb") as stream:
            return stream.read().decode()


def test_an_address_in_use_and_a_missing_folder_are_one_line(sojourn, served: Served) -> None:
    taken = sojourn("serve", served.folder, "--port", str(served.address[1]))
    assert (taken.returncode, taken.stderr.count("\n")) == (1, 1)
    assert "cannot listen at 127.0.0.1" in taken.stderr
    absent = sojourn("serve", "nowhere")
    assert (absent.returncode, absent.stderr) == (2, "sojourn: nowhere is no folder\n")
