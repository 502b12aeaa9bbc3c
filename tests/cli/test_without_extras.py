"""The base installation: what it does without the packages of any extra, and what it names instead."""

import csv
import io
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import sojourn

BASE = ("annotated_doc", "markdown_it", "mdurl", "pygments", "rich", "shellingham", "typer", "typing_extensions")
"""What `pip install sojourn` brings, by the names of import."""
REPORT = (*BASE, "jinja2", "markupsafe")
"""What `pip install 'sojourn[report]'` brings."""
QUEUE = Path(__file__).parents[2] / "examples" / "queue-mm1.toml"
FIGURE = re.compile(r'<script type="text/plain">([^<]+)</script>\n</figure>')
SHORT = ("--set", "run.duration=20 s", "--replications", "2")


@pytest.fixture
def base(tmp_path, environment):
    """Runs the tool with the packages of the base installation alone."""
    return alone_with(BASE, tmp_path, environment)


@pytest.fixture
def reporting(tmp_path, environment):
    """Runs the tool with the extra `report` and no other."""
    return alone_with(REPORT, tmp_path, environment)


def alone_with(packages, tmp_path, environment):
    """What runs the tool with these packages alone."""
    site = tmp_path / "site"
    site.mkdir()
    for name in packages:
        place = Path(find_spec(name).origin)
        (site / place.parent.name if place.name == "__init__.py" else site / place.name).symlink_to(
            place.parent if place.name == "__init__.py" else place
        )
    (site / "sojourn").symlink_to(Path(sojourn.__file__).parent)

    def run(*arguments):
        command = [sys.executable, "-S", "-m", "sojourn", *map(str, arguments)]
        alone = environment | {"PYTHONPATH": str(site)}
        return subprocess.run(
            command, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=120, check=False
        )

    return run


def test_a_run_prints_its_answer_and_names_the_extra_that_draws(base, tmp_path):
    done = base("run", QUEUE, *SHORT, "--out", "queue")

    assert done.returncode == 0, done.stderr
    assert "waiting" in done.stdout
    assert json.loads((tmp_path / "queue/results.json").read_text())["points"]
    assert "figures and a report need the extra 'report': pip install 'sojourn[report]'" in done.stderr
    assert (tmp_path / "queue/histograms.csv.gz").exists()
    assert not (tmp_path / "queue/report.html").exists()


def test_the_extra_report_writes_the_report_that_all_extras_write(reporting, sojourn, tmp_path):
    done = reporting("run", QUEUE, *SHORT, "--out", "queue")
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("wrote queue/results.json and the report queue/report.html\n")
    again = reporting("report", "queue", "--overwrite")
    assert again.returncode == 0, again.stderr
    lean = figures_of(tmp_path / "queue")

    assert sojourn("report", tmp_path / "queue", "--overwrite").returncode == 0
    assert len(lean) >= 4
    assert figures_of(tmp_path / "queue") == lean


def test_the_extra_report_draws_the_figures_of_a_study(reporting, tmp_path):
    size = ("--set", "run.duration=5 s", "--replications", "2")
    done = reporting("study", "lontalk-response-time", *size, "--out", "study")

    assert done.returncode == 0, done.stderr
    assert len(figures_of(tmp_path / "study")) == 13
    assert (tmp_path / "study/samples.csv.gz").exists()


def test_two_results_are_drawn_into_a_page_without_any_extra(base, tmp_path):
    for seed in ("1", "2"):
        base("run", QUEUE, *SHORT, "--seed", seed, "--out", seed)

    done = base("compare", "1", "2", "--figure", "both.html")

    assert "wrote both.html" in done.stderr
    assert len(figures_of(tmp_path, "both.html")) == 1


def figures_of(folder, name="report.html"):
    """What a page holds of its figures."""
    return FIGURE.findall((folder / name).read_text(encoding="utf-8"))


def test_a_sweep_is_written_as_csv(base):
    done = base("sweep", QUEUE, "--over", "flow.customers.arrivals.rate=20,40 /s", *SHORT, "--format", "csv")

    assert done.returncode == 0, done.stderr
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["metric"] == "response_time"]
    assert [float(row["value"]) > 0 for row in rows] == [True, True]


def test_a_study_prints_its_answers_beside_the_published_numbers(base):
    done = base("study", "lontalk-response-time", "--experiment", "D", "--quick", "--set", "run.duration=5 s")

    assert done.returncode == 0, done.stderr
    assert "published" in done.stdout
    assert done.stderr.endswith("figures and a report need the extra 'report': pip install 'sojourn[report]'\n")


def test_results_are_compared(base):
    for seed in ("1", "2"):
        base("run", QUEUE, *SHORT, "--seed", seed, "--out", seed)

    done = base("compare", "1", "2")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "response_time" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "purpose", "extra"),
    [
        (("run", QUEUE, "--out", "out", "--figures", "svg"), "PNG and SVG files", "images"),
        (("run", QUEUE, "--format", "parquet"), "Parquet files", "frames"),
        (("calibrate", QUEUE, "--fit", "x", "--against", "y.csv"), "fits", "calibrate"),
    ],
)
def test_what_needs_an_extra_is_refused_before_it_runs_in_one_line(base, arguments, purpose, extra):
    done = base(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"sojourn: {purpose} need the extra {extra!r}: pip install 'sojourn[{extra}]'\n"


def test_the_workbench_names_its_extra(base):
    done = base("serve")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sojourn: the pages of `sojourn serve` need the extra 'web': pip install 'sojourn[web]'\n"


def test_a_report_names_its_extra(base, tmp_path):
    base("run", QUEUE, *SHORT, "--out", "queue")

    done = base("report", "queue")
    assert done.returncode == 2
    assert done.stderr == "sojourn: reports need the extra 'report': pip install 'sojourn[report]'\n"


def test_the_python_api_names_the_extra_of_data_frames_and_figures(base, environment, tmp_path):
    script = "import sojourn; r = sojourn.load('{}').set('run.duration', '5 s').run(replications=1); {}"
    site = {"PYTHONPATH": str(tmp_path / "site")}
    for call, purpose in (("r.frame()", "data frames"), ("sojourn.chart(r)", "charts")):
        done = subprocess.run(
            [sys.executable, "-S", "-c", script.format(QUEUE, call)],
            env=environment | site,
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"MissingExtra: {purpose} need the extra 'frames'" in done.stderr
