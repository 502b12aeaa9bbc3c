"""The widget of a scenario in JupyterLab and in marimo, in Chromium: what is moved is simulated in the page."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import sojourn
from sojourn.errors import ScenarioError, UserError

ROOT = Path(__file__).resolve().parents[2]
QUEUE = ROOT / "examples" / "queue-mm1.toml"
APP = ROOT / "examples" / "queue.marimo.py"
RATE = "flow.customers.arrivals.rate"
SERVERS = ROOT / ".venv" / "notebooks" / "bin" / "python"
TOKEN = "of-this-test"
BEGIN_S = 120
MOVE_S = 60_000


needs_servers = pytest.mark.skipif(not SERVERS.exists(), reason="JupyterLab and marimo missing: make notebook-servers")


@pytest.fixture
def queue():
    """A queue of half a minute."""
    return sojourn.load(QUEUE).set("run.duration", "30 s").set("run.replications", 3)


@pytest.mark.engine
def test_a_widget_gives_the_scenario_with_what_was_moved(queue):
    panel = queue.widget()
    assert panel.scenario == queue

    panel.settings = [f"{RATE}=70.0 /s"]

    assert panel.scenario == queue.set(RATE, "70.0 /s")
    assert panel.scenario.changes == (*queue.changes, f"{RATE}=70.0 /s")


@pytest.mark.engine
def test_a_widget_shows_results_beside_what_is_moved_with_their_seed_and_replications(queue):
    results = queue.run(seed=7, replications=3, store=False)

    data = queue.widget([RATE], results).data

    (experiment,) = data["experiments"]
    assert (data["origin"], experiment["keys"]) == ("Computed", [RATE])
    assert experiment["request"]["runs"] == {"seed": 7, "replications": 3}
    assert experiment["stored"][0]["metrics"]["response_time"]["mean"] == results["response_time"].mean


@pytest.mark.engine
def test_a_widget_refuses_keys_that_are_no_numbers_of_the_scenario_and_what_cannot_be_simulated(queue, tmp_path):
    with pytest.raises(ScenarioError, match="did you mean"):
        queue.widget(["flow.customers.arrivals.rat"])
    measurement = tmp_path / "measure.toml"
    measurement.write_text('[network]\nkind = "ip"\n[measure]\npeer = "sojourn://192.0.2.1"\n')
    with pytest.raises(UserError, match="a measurement has no stations to simulate"):
        sojourn.Scenario(measurement).widget()


def test_a_scenario_without_a_widget_imports_nothing_of_notebooks():
    script = f"import sys, sojourn; sojourn.load({str(QUEUE)!r}); print([n for n in sys.modules if 'widget' in n])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_servers
@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.engine
def test_in_jupyterlab_a_moved_key_is_simulated_in_the_page_and_the_kernel_hears_of_it(browser, tmp_path):
    cells = [
        f"import sojourn\npanel = sojourn.load({str(QUEUE)!r}).set('run.duration', '30 s').widget([{RATE!r}])\npanel",
        "print(panel.settings, panel.point['metrics']['response_time']['count'] > 0)",
    ]
    (tmp_path / "queue.ipynb").write_text(json.dumps(notebook(cells)))
    with served(jupyterlab(tmp_path), tmp_path) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(f"{address}/lab/tree/queue.ipynb?token={TOKEN}")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=BEGIN_S * 1000)
        page.wait_for_selector("text=/ipykernel.* Idle/", timeout=BEGIN_S * 1000)
        page.click(".jp-Notebook .jp-Cell .cm-content")
        page.keyboard.press("Shift+Enter")
        moved(page, "70")
        pictured(page, "jupyterlab")
        page.click(".jp-Notebook .jp-Cell:nth-of-type(2) .cm-content >> nth=-1")
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(f"text=['{RATE}=70 /s'] True", timeout=MOVE_S)
        page.close()


@needs_servers
@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.engine
def test_in_marimo_the_app_simulates_what_is_moved_and_its_other_cells_follow(browser, tmp_path):
    port = free_port()
    command = [SERVERS, "-m", "marimo", "run", APP, "--headless", "--no-token", "--port", str(port)]
    with served((command, f"http://127.0.0.1:{port}"), tmp_path) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(address)
        moved(page, "70")
        page.wait_for_selector(f"text={RATE}=70 /s", timeout=MOVE_S)
        pictured(page, "marimo")
        page.close()


def moved(page, value):
    """Writes a value into the first field of the panel and waits until it has run."""
    page.wait_for_selector(".live .key input[type=number]", timeout=BEGIN_S * 1000)
    page.fill(f".live input[type=number][aria-label='{RATE}']", value)
    # the scenario as written follows, to be compared with
    page.wait_for_selector(".live [role=status] >> text=/^Run as written in/", timeout=MOVE_S)
    assert "Run here" in page.inner_text(".live thead")


def pictured(page, name):
    """A picture to look at, where SOJOURN_PICTURES names a folder."""
    if folder := os.environ.get("SOJOURN_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def notebook(cells):
    code = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None} for text in cells
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": code, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}


def jupyterlab(folder):
    """The command that serves a folder, and its address."""
    port = free_port()
    options = [f"--ServerApp.root_dir={folder}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.port={port}"]
    options += ["--ServerApp.allow_root=True", "--no-browser", "--LabApp.news_url=None"]
    return [SERVERS, "-m", "jupyterlab", *options], f"http://127.0.0.1:{port}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def served(how, home):
    """Starts a server, waits until it answers, and ends it with all that it started."""
    command, address = how
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
        "MARIMO_SKIP_UPDATE_CHECK": "1",
    }
    log = (home / "server.log").open("w")
    with subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True) as server:
        try:
            until = time.monotonic() + BEGIN_S
            while not answers(f"{address}/?token={TOKEN}"):
                assert server.poll() is None and time.monotonic() < until, (home / "server.log").read_text()
                time.sleep(0.2)
            yield address
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
            log.close()


def answers(address):
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False
