"""`--out`, `--pcap` and their like replace only what Sojourn wrote there for the same scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

QUEUE = Path(__file__).parents[2] / "examples" / "queue-mm1.toml"
SHORT = ("--set", "run.duration=2 s", "--replications", "1")


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "scenario.toml"
    file.write_text("# my own words\n" + QUEUE.read_text(encoding="utf-8"), encoding="utf-8")
    return file


def test_results_beside_the_scenario_do_not_replace_it_even_when_overwriting(sojourn, scenario):
    for option in ((), ("--overwrite",)):
        done = sojourn("run", "scenario.toml", "--out", ".", *SHORT, *option, cwd=scenario.parent)
        assert done.returncode == 2
        assert "scenario.toml would be replaced, and the scenario is read from it" in done.stderr
    assert scenario.read_text(encoding="utf-8").startswith("# my own words")


def test_a_capture_never_replaces_the_scenario_or_a_file_that_it_names(sojourn, tmp_path):
    rows = tmp_path / "stations.csv"
    rows.write_text("name,count\nsensor,4\ncontroller,1\n", encoding="utf-8")
    file = tmp_path / "site.toml"
    file.write_text(
        'stations = "stations.csv"\n[network]\nkind = "lontalk"\n[[flow]]\nname = "t"\nfrom = "sensor"\n'
        'to = "controller"\narrivals = { kind = "poisson", interval = "1 s" }\n[run]\nduration = "1 s"\n',
        encoding="utf-8",
    )
    for target in (rows, file):
        before = target.read_bytes()
        done = sojourn("run", str(file), "--pcap", str(target), "--overwrite")
        assert (done.returncode, target.read_bytes()) == (2, before), done.stderr
        assert f"{target} would be replaced" in done.stderr


def test_a_capture_replaces_another_file_only_when_overwriting(sojourn, scenario, tmp_path):
    other = tmp_path / "b.toml"
    other.write_text("mine", encoding="utf-8")
    done = sojourn("run", str(scenario), "--pcap", str(other), *SHORT)
    assert done.returncode == 2
    assert f"{other} exists already" in done.stderr and "--overwrite" in done.stderr
    assert other.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("foreign", ["results.json", "report.html", "figures/response-time.svg"])
def test_a_folder_with_a_file_of_somebody_else_is_refused_before_the_run(sojourn, scenario, tmp_path, foreign):
    out = tmp_path / "out"
    (out / foreign).parent.mkdir(parents=True)
    (out / foreign).write_text("mine", encoding="utf-8")
    done = sojourn("run", str(scenario), "--out", str(out), *SHORT)
    assert done.returncode == 2
    assert f"{out / foreign} would be replaced" in done.stderr
    assert (out / foreign).read_text(encoding="utf-8") == "mine"


def test_the_same_scenario_continues_in_its_folder_and_another_one_does_not(sojourn, scenario, tmp_path):
    out = tmp_path / "out"
    for replications in ("1", "2"):
        done = sojourn("run", str(scenario), "--out", str(out), *SHORT[:2], "--replications", replications)
        assert done.returncode in (0, 1), done.stderr
    done = sojourn("run", str(QUEUE), "--out", str(out), *SHORT)
    assert done.returncode == 2
    assert "has the results of scenario, not of queue-mm1" in done.stderr
    assert sojourn("run", str(QUEUE), "--out", str(out), "--overwrite", *SHORT).returncode in (0, 1)


def test_a_template_does_not_replace_a_file_unless_overwriting(sojourn, tmp_path):
    file = tmp_path / "site.toml"
    file.write_text("mine", encoding="utf-8")
    assert sojourn("new", "queue", "-o", str(file)).returncode == 2
    assert sojourn("new", "queue", "-o", str(file), "--overwrite").returncode == 0
    assert "[network]" in file.read_text(encoding="utf-8")
