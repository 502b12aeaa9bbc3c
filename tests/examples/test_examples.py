"""Every example runs: scenarios through the tool, at a short duration, and notebooks from top to bottom."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCENARIOS = sorted(EXAMPLES.glob("*.toml"))
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
TAKES_LONGER = {
    "lontalk-power",
    "lontalk-redundant",
    "packet-radio-night",
    "packet-radio-outage",
}  # what happens in it, happens later than in the first minute


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_scenario_runs_and_its_probe_gets_through(sojourn, path):
    short = () if path.stem in TAKES_LONGER else ("--set", "run.duration=60 s")
    done = sojourn("run", path, *short, "--replications", "2", "--format", "json")

    assert done.returncode == 0, done.stderr
    (point,) = json.loads(done.stdout)["points"]
    assert point["metrics"]["response_time"]["count"] > 0


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_expanded_scenario_is_valid_too(sojourn, path, tmp_path):
    expanded = sojourn("check", path, "--expand")

    assert expanded.returncode == 0, expanded.stderr
    (tmp_path / path.name).write_text(expanded.stdout)
    for table in EXAMPLES.glob("*.csv"):
        (tmp_path / table.name).write_bytes(table.read_bytes())
    assert sojourn("check", tmp_path / path.name).returncode == 0


def shown(notebook):
    """What each cell shows: text, in how many parts it may come, and HTML as they are, of images that there is one."""
    return [_shown(cell.get("outputs", [])) for cell in notebook.cells]


def _shown(outputs):
    text = "".join(out.get("text", "") for out in outputs)
    data = [out["data"] for out in outputs if "data" in out]
    return text, [{kind: kind.startswith("image/") or part for kind, part in one.items()} for one in data]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_shows_what_it_shows_when_it_is_executed_afresh(path, monkeypatch, environment):
    monkeypatch.setattr(os, "environ", os.environ | environment)
    kept = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)

    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": EXAMPLES}}).execute()

    errors = [out for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "error"]
    assert errors == []
    assert shown(notebook) == shown(kept), "make notebooks executes it and keeps what it shows"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_ships_with_a_scenario_results_and_a_figure(path):
    outputs = [
        out.get("data", {}) for cell in nbformat.read(path, as_version=4).cells for out in cell.get("outputs", [])
    ]
    html = [data["text/html"] for data in outputs if "text/html" in data]

    assert any("<summary>" in text and "[network]" in text for text in html), "the scenario"
    assert any("All 2 requirements are met." in text for text in html), "the results"
    assert sum("image/png" in data for data in outputs) == 1
    assert path.stat().st_size < 150_000
