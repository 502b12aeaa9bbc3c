"""`sojourn history` as a user runs it: what the commands record, and what can be asked of it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sojourn.store import settings


@pytest.fixture
def site(sojourn, tmp_path) -> Path:
    template = sojourn("new", "queue", "-o", tmp_path / "site.toml")
    assert template.returncode == 0, template.stderr
    return tmp_path / "site.toml"


def answer(sojourn, *arguments):
    done = sojourn("history", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_is_listed_shown_tagged_and_compared_with_another(sojourn, site, tmp_path):
    short = ("--set", "run.duration=20 s", "--format", "json")
    one, _, three = (
        sojourn("run", site, *short, *more) for more in (("--seed", "1"), ("--no-store",), ("--seed", "2"))
    )
    assert one.returncode == three.returncode == 0 and "not recorded" not in one.stderr, one.stderr

    second, first = answer(sojourn)
    assert (first["command"], first["name"], first["network"]) == ("run", "site", "queue")
    assert (first["seed"], second["seed"]) == (1, 2)
    assert sojourn("history", "tag", str(first["id"]), "before").returncode == 0
    (shown,) = answer(sojourn, "show", str(first["id"]))
    results = json.loads(one.stdout)
    stored, written = (one["points"][0]["metrics"]["response_time"] for one in (shown, results))
    assert [stored["value"], stored["value_low"], stored["value_high"]] == [written["mean"], *written["ci95"]]
    assert (shown["text"], shown["tags"]) == (site.read_text(), ["before"])
    compared = {row["metric"]: row for row in answer(sojourn, "compare", str(first["id"]), str(second["id"]))}
    low, high = compared["response_time"]["change_low"], compared["response_time"]["change_high"]
    assert low < compared["response_time"]["change"] < high
    over_time = sojourn("history", "compare", "--scenario", "site")
    assert over_time.returncode == 0, over_time.stderr
    assert "2 values of response_time.p50" in over_time.stdout and "no change of level" in over_time.stdout


def test_a_run_that_cannot_be_recorded_is_a_run_all_the_same(sojourn, site, environment, tmp_path):
    (tmp_path / "file").touch()
    environment["XDG_DATA_HOME"] = str(tmp_path / "file")
    blocked = sojourn("run", site, "--set", "run.duration=20 s")
    environment["SOJOURN_STORE"] = "mysql://db"
    unknown = sojourn("run", site, "--set", "run.duration=20 s")

    assert (blocked.returncode, unknown.returncode) == (0, 0)
    assert "note: this run is not recorded: Not a directory" in blocked.stderr
    assert "no store at mysql://db" in unknown.stderr


def test_recording_is_turned_off_by_the_environment_or_the_configuration(sojourn, site, environment, tmp_path):
    environment["SOJOURN_STORE"] = "off"
    sojourn("run", site, "--set", "run.duration=20 s")
    del environment["SOJOURN_STORE"]
    configuration = tmp_path / "home/.config/sojourn/config.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text('store = "off"\n')
    done = sojourn("history")

    assert done.returncode == 2 and "there is no store" in done.stderr
    assert not (tmp_path / "home/.local/share/sojourn/history.sqlite3").exists()


def test_what_a_script_runs_is_recorded_unless_it_says_otherwise(sojourn, site, environment, tmp_path):
    (tmp_path / "script.py").write_text("""
import sojourn
short = sojourn.load("site.toml").set("run.duration", "20 s")
short.run(replications=2)
short.sweep({"run.warm_up": ["0 s", "1 s"]}, replications=2)
short.run(replications=3, store=False)
""")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=False)  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert [(row["command"], row["points"]) for row in answer(sojourn)] == [("sweep", 2), ("run", 1)]


def test_the_level_of_a_target_over_time_has_its_change(sojourn, environment, tmp_path, monitored, monitor_lines):
    url = f"sqlite:///{tmp_path}/history.sqlite3"
    environment |= {"SOJOURN_STORE": url, "XDG_DATA_HOME": str(tmp_path / "data")}
    begin_s = int(time.time()) // 3600 * 3600 - 6 * 86_400
    head, *lines = monitor_lines(6 * 24 * 2, begin_s=begin_s, length_s=1800)
    for line in lines[len(lines) // 2 :]:
        line["histogram"] = [[381, 36], [445, 23]]  # twice as long
    monitored(settings.of(url, tmp_path / "data/sojourn"), [head, *lines])

    figure = tmp_path / "target.svg"
    (change,) = answer(sojourn, "compare", "--target", "target-0", "--since", "30 d", "--figure", str(figure))

    assert change["at"] == time.strftime("%Y-%m-%d %H:%M", time.gmtime(begin_s + 3 * 86_400))
    assert change["change"] == pytest.approx(1.0, abs=0.02)
    assert "change points" in figure.read_text() and "response_time.p99" not in figure.read_text()
    exported = sojourn("history", "export", "--target", "target-0", "--format", "csv")
    assert exported.stdout.count("\n") == 1 + len(lines)
    listed = sojourn("history", "--since", "10 d")
    assert "target-0" in listed.stdout and "1.67 %" in listed.stdout


WITHOUT_SQLALCHEMY = """
import importlib.machinery as machinery, sys
find = machinery.PathFinder.find_spec
absent = lambda cls, name, *rest: None if name.split(".")[0] == "sqlalchemy" else find(name, *rest)
machinery.PathFinder.find_spec = classmethod(absent)
from sojourn.cli import exit_code
from sojourn.cli.app import command_line
app = command_line(["history"])
print([exit_code(app, ["history", *command.split()]) for command in sys.argv[1:]])
"""


def test_every_command_names_the_extra_that_is_missing(environment):
    commands = ["", "show 1", "compare 1 2", "export", "tag 1 a", "prune", "sql x", "check", "repair", "rebuild x"]

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SQLALCHEMY, *commands],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.stdout.strip() == str([2] * len(commands)), done.stderr
    assert done.stderr.count("pip install 'sojourn[store]'") == len(commands)
