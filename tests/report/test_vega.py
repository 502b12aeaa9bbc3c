"""What draws the figures of pages: which versions it is of, under which licences, and that no octet of it changed."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from sojourn import web
from sojourn.figures.vegalite import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 300_000
PERMISSIVE = {"MIT", "ISC", "BSD-3-Clause"}
NOTICE = re.compile(r"([@\w/-]+) ([\d.]+) \(([\w.-]+)\)")


@pytest.fixture(scope="module")
def script() -> str:
    return gzip.decompress(web.vega()).decode()


@pytest.fixture(scope="module")
def about() -> dict:
    return json.loads((ROOT / "python/sojourn/web/vega.json").read_text())


@pytest.fixture(scope="module")
def locked() -> dict:
    """The packages of the lock file, by where they are installed."""
    return json.loads((ROOT / "web/package-lock.json").read_text())["packages"]


def test_the_script_is_the_one_of_the_digest(script, about):
    assert hashlib.sha256(script.encode()).hexdigest() == about["sha256"]
    assert len(web.vega()) <= MOST_BYTES


def test_it_is_of_the_versions_that_are_locked_and_draws_what_figures_are_written_for(about, locked):
    assert about["versions"] == {
        name: locked[f"node_modules/{name}"]["version"] for name in ("vega", "vega-embed", "vega-lite")
    }
    assert SCHEMA.endswith(f"/vega-lite/v{about['versions']['vega-lite']}.json")


def test_it_begins_with_the_permissive_licence_of_each_of_its_packages(script, about, locked):
    notice = script[: script.index("*/")]
    named = {(name, version): licence for name, version, licence in NOTICE.findall(notice)}

    versions = {(path.rpartition("node_modules/")[2], package.get("version")) for path, package in locked.items()}
    assert named.keys() <= versions
    assert {"vega", "vega-lite", "vega-embed", "d3-scale", "topojson-client"} <= {name for name, _ in named}
    assert set(named.values()) == set(about["licences"]) <= PERMISSIVE
    for owner in ("University of Washington Interactive Data Lab", "Mike Bostock"):
        assert owner in notice, owner


def test_it_sets_the_function_that_pages_call(script):
    assert "window.vegaEmbed=" in script[-2000:]


@pytest.mark.peer("chromium", package="chromium")
@pytest.mark.parametrize("width", [390, 1100])
def test_a_figure_as_a_page_is_drawn_by_its_reader_alone_and_fits_the_screen(browser, sojourn, tmp_path, width):
    for seed in ("1", "2"):
        size = ("--set", "run.duration=20 s", "--replications", "2", "--seed", seed)
        run = sojourn("run", ROOT / "examples/queue-mm1.toml", *size, "--out", seed)
        assert run.returncode == 0, run.stderr
    assert "wrote both.html" in sojourn("compare", "1", "2", "--figure", "both.html").stderr
    context = browser.new_context(offline=True, viewport={"width": width, "height": 800})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    page.goto((tmp_path / "both.html").as_uri())
    page.wait_for_selector("figure svg.marks")
    page.wait_for_timeout(300)

    assert "simulated (1)" in page.text_content("svg.marks")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    context.close()
