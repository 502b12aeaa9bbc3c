"""The server as a process: in a browser from the link to the figure, under slow connections, and at its end."""

import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sojourn import web
from sojourn.workbench import connections, server
from sojourn.workbench.settings import Settings

from .conftest import QUEUE, Served, serving, write


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

    write(page, QUEUE.replace("poisson", "poison"))
    page.get_by_role("button", name="line 13").click()
    assert "poison" in page.inner_text("#checked")
    assert page.locator("#text:focus, .cm-content:focus").count() == 1
    write(page, QUEUE.replace("20 s", "21 s"))
    page.get_by_text("Valid.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert "21 s" in (served.folder / "site.toml").read_text()

    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(f"{served.origin}/jobs/1")
    shown = page.frame_locator("#report")
    shown.locator("figure svg.marks").first.wait_for(timeout=60_000)
    assert page.inner_text(".state") == "done"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert console == []
    assert not page.locator(".output").is_visible(), "the terminal's output is folded below the report"
    page.get_by_text("What the command printed").press("Enter")
    assert "response_time" in page.inner_text(".output")
    assert str(served.folder) not in page.content()
    results = page.request.get(f"{served.origin}/jobs/1/files/results.json").json()
    assert len(results["points"]) == 1
    policy = page.request.get(f"{served.origin}/jobs/1/files/report.html").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads; default-src 'none'")

    with context.expect_page() as opened:
        page.get_by_role("link", name="Report alone").press("Enter")
    report = opened.value
    report.wait_for_selector("figure svg.marks", timeout=60_000)
    assert report.evaluate("window.origin") == "null", "the report has an origin of its own"
    if web.engine():
        report.locator("#live input[type=range]").first.press("ArrowRight")
        report.wait_for_selector("#live[data-ran]", timeout=60_000)

    page.go_back()
    page.wait_for_selector("#text", state="attached")
    page.get_by_role("button", name="Leave").click()
    assert page.goto(served.origin).status == 401
    context.close()


@pytest.mark.peer("chromium", package="chromium")
def test_without_script_a_visitor_runs_the_text_that_is_on_the_screen(browser, own: Served) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(own.run)
    page.wait_for_url(f"{own.origin}/")
    page.goto(f"{own.origin}/scenarios/site.toml")
    page.fill("#text", QUEUE.replace("20 s", "24 s"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(f"{own.origin}/jobs/1")
    assert "24 s" in (own.folder / ".sojourn/jobs/0001/snapshot/site.toml").read_text()
    context.close()


@pytest.mark.peer("chromium", package="chromium")
def test_a_running_job_survives_a_reload_and_the_back_button_and_ends_in_both_tabs(browser, served: Served) -> None:
    context = browser.new_context()
    first = context.new_page()
    first.goto(served.run)
    first.wait_for_url(f"{served.origin}/")
    scenario = f"{served.origin}/scenarios/site.toml"
    first.goto(scenario)
    text = first.input_value("#text")
    first.get_by_text("Replications, seed and keys").first.click()
    first.fill("#run-replications", "100000")
    first.get_by_role("button", name="Run", exact=True).click()
    first.get_by_text("runs/s").wait_for()
    first.reload()
    first.get_by_text("runs/s").wait_for()
    first.go_back()
    assert (first.url, first.input_value("#text")) == (scenario, text)
    first.go_forward()
    second = context.new_page()
    second.goto(first.url)
    second.get_by_role("button", name="Stop").click()
    for page in (first, second):
        page.locator(".state.stopped").wait_for()
        page.get_by_role("button", name="Continue").wait_for()
    first.goto(f"{served.origin}/jobs")
    assert first.locator(".stopped").count() == 1, "nothing was sent twice"
    context.close()


@pytest.mark.peer("openssl", package="openssl")
def test_under_tls_the_link_view_looks_and_the_link_run_runs(start, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=lab"
    named = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*make.split(), *named], check=True, capture_output=True)
    served = serving(start, tmp_path / "lab", "--tls-cert", certificate, "--tls-key", key)
    trusted = ssl.create_default_context(cafile=certificate)

    def visitor(link: str) -> Callable[..., http.client.HTTPResponse]:
        connection = http.client.HTTPSConnection(*served.address, context=trusted, timeout=60)
        headers = {"Origin": served.origin, "Content-Type": "application/x-www-form-urlencoded"}

        def request(method: str, path: str, body: str = "") -> http.client.HTTPResponse:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer

        cookie = request("GET", link.removeprefix(served.origin)).headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert "secure" in cookie.lower()
        headers["Cookie"] = cookie.partition(";")[0]
        return request

    form = "command=run&name=site.toml"
    for link, status in ((served.view, 403), (served.run, 303)):
        visit = visitor(link)
        shown = visit("GET", "/scenarios/site.toml")
        assert (shown.status, shown.headers["strict-transport-security"]) == (200, "max-age=31536000")
        assert visit("POST", "/jobs", form).status == status
    with socket.create_connection(served.address) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not plain.recv(5).startswith(b"HTTP/")


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


def test_ctrl_c_ends_the_server_and_its_jobs_which_a_new_server_continues(own: Served, start, until) -> None:
    begun = post(own, own.run, "/jobs", "command=run&name=site.toml&replications=5000&set=run.duration%3D500+s")
    assert begun.startswith("HTTP/1.1 303")
    record = own.folder / ".sojourn/jobs/0001/job.json"
    until(lambda: json.loads(record.read_text())["state"] == "running")
    time.sleep(1)
    own.process.send_signal(signal.SIGINT)
    _, messages = own.process.communicate(timeout=60)
    assert own.process.returncode == 0, messages
    assert "Traceback" not in messages
    assert json.loads(record.read_text())["state"] == "stopped"
    again = Served(start("serve", own.folder, "--port", "0"), own.folder)
    assert post(again, again.run, "/jobs/1/resume", "").startswith("HTTP/1.1 303")
    until(lambda: json.loads(record.read_text())["state"] == "running")


def test_a_second_ctrl_c_ends_it_at_once_without_a_traceback(own: Served) -> None:
    own.process.send_signal(signal.SIGINT)
    own.process.send_signal(signal.SIGINT)
    _, messages = own.process.communicate(timeout=60)
    assert own.process.returncode == 0, messages
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
    assert (absent.returncode, absent.stderr) == (2, "sojourn: nowhere is not a folder\n")
