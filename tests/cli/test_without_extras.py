"""The base installation: what it does without the packages of any extra, and what it names instead."""

import csv
import io
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import sojourn

BASE = ("annotated_doc", "markdown_it", "mdurl", "pygments", "rich", "shellingham", "typer", "typing_extensions")
"""What `pip install sojourn` brings, by the names of import."""
QUEUE = Path(__file__).parents[2] / "examples" / "queue-mm1.toml"
SHORT = ("--set", "run.duration=20 s", "--replications", "2")


@pytest.fixture
def base(tmp_path, environment):
    """Runs the tool with the packages of the base installation alone."""
    site = tmp_path / "site"
    site.mkdir()
    for name in BASE:
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
    assert "samples, figures and a report need the extra 'report': pip install 'sojourn[report]'" in done.stderr
    assert not (tmp_path / "queue/report.html").exists()


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


def test_results_are_compared_without_their_samples(base):
    for seed in ("1", "2"):
        base("run", QUEUE, *SHORT, "--seed", seed, "--out", seed)

    done = base("compare", "1", "2")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "response_time" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "purpose"),
    [
        (("run", QUEUE, "--out", "out", "--figures", "svg"), "figures"),
        (("run", QUEUE, "--format", "parquet"), "Parquet files"),
        (("calibrate", QUEUE, "--fit", "x", "--against", "y.csv"), "fits"),
    ],
)
def test_what_needs_an_extra_is_refused_before_it_runs_in_one_line(base, arguments, purpose):
    done = base(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"sojourn: {purpose} need the extra 'report': pip install 'sojourn[report]'\n"


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
    for call, purpose in (("r.frame()", "data frames"), ("sojourn.chart(r)", "figures")):
        done = subprocess.run(
            [sys.executable, "-S", "-c", script.format(QUEUE, call)],
            env=environment | site,
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"MissingExtra: {purpose} need the extra 'report'" in done.stderr
