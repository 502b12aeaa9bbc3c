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
    return gzip.decompress(web.library()).decode()


@pytest.fixture(scope="module")
def about() -> dict:
    return json.loads((ROOT / "python/sojourn/web/vega.json").read_text())


@pytest.fixture(scope="module")
def locked() -> dict:
    """The packages of the lock file, by where they are installed."""
    return json.loads((ROOT / "web/package-lock.json").read_text())["packages"]


def test_the_script_is_the_one_of_the_digest(script, about):
    assert hashlib.sha256(script.encode()).hexdigest() == about["sha256"]
    assert len(web.library()) <= MOST_BYTES


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
