"""The matrix of a mesh: what its cells say of the store's windows, live, and without colour."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.store import settings, spool
from sojourn.store.records import MonitorRecords, build_and_host
from sojourn.workbench.history import History
from sojourn.workbench.meshes import matrix_of

from .conftest import ORIGIN
from .test_accessibility import served_by

CONDITIONS = ("response_time.p99 < 40 ms", "loss < 2 %")
NAMES = [f"site-{number:02}" for number in range(1, 21)]


def stamp(at_s: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_s)) + ".000Z"


class Mesh:
    """A mesh that writes to the store of the environment."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        place = settings.place()
        assert place is not None
        self.spool = place.spool
        self.records = MonitorRecords({"command": "mesh", "file": None}, build_and_host())
        urls = [[one, f"sojourn://127.0.0.{number}"] for number, one in enumerate(names, 2)]
        self.begin_s = time.time() - 120
        self.write({"type": "monitor", "event": "begin", "time": stamp(self.begin_s), "targets": urls, "mesh": True})

    def write(self, *lines: dict[str, Any]) -> None:
        spool.append(self.spool, [record for line in lines for record in self.records.of_line(line)])

    def window(self, measuring: str, measured: str, p50: float, p99: float, *, sent: int = 60, lost: int = 0,
               in_outage: bool = False, age_s: float = 0.0) -> dict[str, Any]:  # fmt: skip
        end_s = time.time() - age_s
        answered = sent - lost
        response = {"unit": "s", "count": answered, "mean": p50, "min": p50, "max": p99, "p50": p50, "p90": p99}
        response |= {"p95": p99, "p99": p99 if lost < sent / 100 else None}
        response = response if answered else {"unit": "s", "count": 0}
        metrics = {"response_time": response, "loss": {"unit": "1", "value": lost / sent if sent else None}}
        metrics["one_way_delay/forward"] = {"unit": "s", "mean": p50 / 2, "p99": p99 / 2}
        line = {
            "type": "window", "time": stamp(end_s), "from": measuring, "target": measured, "begin": stamp(end_s - 60),
            "end": stamp(end_s), "in_outage": in_outage, "loaded": False, "sent": sent, "answered": answered,
            "metrics": metrics, "histogram": [[317, answered]] if answered else [],
            "conditions": [{"text": text, "verdict": "met", "value": 0, "raised": False} for text in CONDITIONS],
        }  # fmt: skip
        self.write(line)
        return line


def seconds(row: int, column: int) -> float:
    """A response time that grows with the distance of two sites."""
    return 0.004 + 0.0015 * abs(row - column)


@pytest.fixture
def mesh(tmp_path, monkeypatch) -> Iterator[Callable[..., Mesh]]:
    monkeypatch.setenv("SOJOURN_STORE", f"sqlite:///{tmp_path}/history.sqlite3")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Mesh


@pytest.fixture
def twenty(mesh) -> Mesh:
    """Twenty sites: one is away, one is out of reach, one path is slow and one loses packets."""
    found = mesh(NAMES)
    for row, measuring in enumerate(NAMES):
        for column, measured in enumerate(NAMES):
            p50 = seconds(row, column)
            if measuring in (measured, "site-07"):
                continue
            if measured == "site-12":
                found.window(measuring, measured, p50, 2 * p50, lost=60, in_outage=True)
            elif (measuring, measured) == ("site-03", "site-04"):
                found.window(measuring, measured, 0.031, 0.082)
            elif (measuring, measured) == ("site-15", "site-02"):
                found.window(measuring, measured, p50, 2 * p50, lost=5)
            else:
                found.window(measuring, measured, p50, 1.5 * p50)
    return found


@pytest.fixture
def history() -> Iterator[History]:
    """The store as pages read it."""
    found = History()
    yield found
    found.close()


def cells(history: History) -> dict[tuple[str, str], dict[str, str]]:
    """The cells of the first mesh by pair, as its page has them."""
    state = matrix_of(history, 1, "response_time")
    return {
        (a, b): cell
        for a, row in zip(state["names"], state["rows"], strict=True)
        for b, cell in zip(state["names"], row, strict=True)
        if cell is not None
    }


def test_a_cell_has_the_numbers_of_its_last_window_and_the_verdict_of_its_conditions(
    workbench: Callable[..., TestClient], twenty: Mesh, history: History
) -> None:
    page = workbench("view").get("/mesh").text
    found = cells(history)

    assert len(found) == 20 * 19 - 19, "one agent is away"
    assert found["site-01", "site-02"] == {
        "low": "5.50",
        "high": "8.25",
        "lost": "",
        "state": "met",
        "mark": "",
        "why": "",
    }
    slow = found["site-03", "site-04"]
    assert (slow["high"], slow["state"], slow["mark"], slow["why"]) == ("82.0", "missed", "!", CONDITIONS[0])
    lossy = found["site-15", "site-02"]
    assert (lossy["lost"], lossy["state"]) == ("8.3 %", "missed")
    assert CONDITIONS[1] in lossy["why"]
    away = found["site-01", "site-12"]
    assert (away["state"], away["mark"], away["lost"]) == ("outage", "×", "100 %")
    for text in (
        "What 20 agents measure of each other",
        "from \\ to",
        "site-03 to site-04: response_time.p99",
        "median",
    ):
        assert text in page
    assert page.count('class="self"') == 20


def test_a_mesh_can_show_one_way_delays_and_another_can_be_chosen(
    workbench: Callable[..., TestClient], mesh: Callable[..., Mesh], history: History
) -> None:
    for names in (["a", "b"], ["c", "d"]):
        mesh(names).window(names[0], names[1], 0.010, 0.030)
        time.sleep(1.1)
    client = workbench("view")
    assert "c to d" in client.get("/mesh").text, "the latest"
    page = client.get("/mesh", params={"run": "1", "show": "one_way_delay/forward"}).text
    assert "a to b" in page
    cell = matrix_of(history, 1, "one_way_delay/forward")["rows"][0][1]
    assert (cell["low"], cell["high"]) == ("5.00", "15.0")
    for query in ("run=3", "run=x", "run=-1", "run=99999999999", "show=loss", "show=<script>"):
        assert client.get(f"/mesh?{query}").status_code == 404, query


def test_without_a_mesh_the_page_says_how_to_begin_one(
    workbench: Callable[..., TestClient], mesh: Callable[..., Mesh]
) -> None:
    client = workbench("view")
    assert "sojourn mesh mesh.toml" in client.get("/mesh").text
    assert client.get("/mesh/events").status_code == 404


def test_a_pair_without_windows_for_a_while_is_silent(mesh: Callable[..., Mesh], history: History) -> None:
    found = mesh(["a", "b"])
    found.window("a", "b", 0.01, 0.02, age_s=300)
    found.window("b", "a", 0.01, 0.02)
    states = {pair: cell["state"] for pair, cell in cells(history).items()}
    assert states == {("a", "b"): "silent", ("b", "a"): "met"}


@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_matrix_of_twenty_agents_fits_a_screen_and_meets_wcag(
    browser: Any, workbench: Callable[..., TestClient], twenty: Mesh, violations: Any, scheme: str, width: int
) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    served_by(workbench("view"), page)
    page.route("**/mesh/events**", lambda route: route.abort())
    page.goto(f"{ORIGIN}/mesh")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if scheme == "light":
        assert page.evaluate("document.querySelector('.matrix').getBoundingClientRect().width") <= width
    marks = page.locator("#cell-0-11 u").inner_text()
    assert marks == "×100 %", "what colour says is said without it"
    page.close()
