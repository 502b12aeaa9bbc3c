"""Report, workbench and playground in Firefox, beside Chromium, in which the other tests look at them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .firefox import COMMAND, Firefox

# its start alone takes 4 s of a processor
pytestmark = [pytest.mark.peer(COMMAND, package="firefox-esr"), pytest.mark.engine, pytest.mark.nightly]
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "queue-mm1.toml"
PLAYGROUND = ROOT / "target" / "playground" / "index.html"
SHORT = ("--set", "run.duration=20 s", "--replications", "3")
DRAWN = "document.querySelector('figure svg.marks') && !document.querySelector('.chart:not(:has(svg.marks))')"
LEFT, CONTROL, ENTER = "\ue012", "\ue009", "\ue007"
ANSWERED = "document.querySelector('#work[data-ran]')"
NUMBERS = "document.querySelector('#numbers').textContent"
ROWS = "[...document.querySelectorAll('#live tbody tr')].map(row => row.children[{}].textContent)"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    started = Firefox(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


def own(firefox: Firefox) -> set[str]:
    """What pages requested beyond what they contain."""
    return {url for url in firefox.requested() if not url.startswith(("blob:", "data:"))}


def test_a_report_draws_its_figures_and_simulates_what_its_reader_moves(
    firefox: Firefox, written_by: Callable[..., Path]
) -> None:
    sweep = ("sweep", str(EXAMPLE), "--over", "flow.customers.arrivals.rate=60:80:10 /s")
    report = written_by(*sweep, *SHORT) / "report.html"
    firefox.open(report.as_uri())
    firefox.wait(DRAWN)
    firefox.wait("document.querySelector('#live .key')")
    firefox.value("document.querySelector('#live input[type=range]').focus()")
    firefox.press(LEFT)
    firefox.wait("document.querySelector('#live[data-ran]')")
    assert firefox.value(ROWS.format(2)) != firefox.value(ROWS.format(1))
    firefox.value("document.querySelector('#live').removeAttribute('data-ran')")
    firefox.open(f"{report.as_uri()}#what-if:flow.customers.arrivals.rate=70")
    firefox.wait("document.querySelector('#live[data-ran]')")
    assert firefox.value(ROWS.format(2)) == firefox.value(ROWS.format(1))
    assert firefox.logged() == []
    assert own(firefox) <= {report.as_uri(), "about:blank"}


def test_the_workbench_runs_a_scenario_and_its_report_simulates_in_the_sandbox(
    firefox: Firefox, start: Callable[..., object], tmp_path: Path
) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "site.toml").write_text(EXAMPLE.read_text())
    served = start("serve", folder, "--port", "0")
    firefox.open(served.stdout.readline().split()[-1])
    firefox.wait("document.querySelector('a[href=\"/scenarios/site.toml\"]')")
    firefox.value("document.querySelector('a[href=\"/scenarios/site.toml\"]').click()")
    firefox.wait("document.querySelector('#run-replications')")
    firefox.value("document.querySelector('#run-replications').value = 2")
    firefox.value("document.querySelector('#run-set').value = 'run.duration=20 s'")
    firefox.value("[...document.querySelectorAll('button')].find(one => one.textContent === 'Run').click()")
    firefox.wait("document.querySelector('#figures svg.marks')")
    assert firefox.value("document.querySelector('.state').textContent") == "done"
    firefox.open(f"{firefox.value('location.origin')}/jobs/1/files/report.html")
    firefox.wait("document.querySelector('#live .key')")
    assert firefox.value("window.origin") == "null"
    firefox.value("document.querySelector('#live input[type=range]').focus()")
    firefox.press(LEFT)
    firefox.wait("document.querySelector('#live[data-ran]')")
    assert firefox.logged() == []


@pytest.mark.playground
def test_the_playground_answers_a_question_and_its_link_gives_the_same_numbers(firefox: Firefox) -> None:
    firefox.events.clear()
    firefox.open(PLAYGROUND.as_uri())
    firefox.wait("document.querySelector('.cards a')")
    firefox.value("document.querySelector('.cards a[href=\"#open=service\"]').click()")
    firefox.wait(ANSWERED)
    firefox.wait(DRAWN)
    assert "response time" in firefox.value("document.querySelector('#headline').textContent")
    answer = firefox.value(NUMBERS)
    firefox.value("document.querySelector('.cm-content').focus()")
    firefox.press(ENTER, held=CONTROL)
    firefox.wait(ANSWERED)
    assert firefox.value(NUMBERS) == answer
    firefox.value("document.querySelector('#kind-run').click()")
    firefox.value("document.querySelector('#start').click()")
    firefox.wait(f"{ANSWERED} && {NUMBERS} !== {json.dumps(answer)}")
    alone = firefox.value(NUMBERS)
    link = firefox.value("location.href")
    firefox.open("about:blank")
    firefox.open(link)
    firefox.wait(ANSWERED)
    assert firefox.value(NUMBERS) == alone
    assert firefox.logged() == []
    assert own(firefox) <= {PLAYGROUND.as_uri(), "about:blank"}
