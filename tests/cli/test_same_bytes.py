"""The same scenario and seed give the same bytes, however many threads and in whatever form the scenario is written."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def results_text(sojourn, tmp_path, environment):
    """Runs a command with an empty cache of its own and gives the text of its results."""

    def run(name: str, *arguments) -> str:
        alone = environment | {"XDG_CACHE_HOME": str(tmp_path / f"cache-{name}")}
        done = sojourn(*arguments, "--format", "json", env=alone)
        # an expectation of the template may be missed in a run so short
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return run


SIZES = {
    "fddi": ("probe.exchanges=20", "probe.transfer=16 KiB", "probe.paced=1 s"),
    "fddi-adapter": ("run.duration=3 ms",),
    "ip": ("run.duration=1 s",),
    "lontalk": ("run.duration=20 s",),
    "modbus": ("run.duration=10 s",),
    "packet-radio": ("probe.round_trips=3",),
    "queue": ("run.duration=20 s",),
    "switched-lan": ("run.duration=500 ms",),
}
"""Each network, and what makes its template short."""


@pytest.mark.parametrize("start", SIZES)
def test_one_two_and_eight_threads_give_the_same_bytes(sojourn, results_text, start):
    sojourn("new", start, "-o", "mine.toml")
    size = [word for change in SIZES[start] for word in ("--set", change)] + ["--replications", "5"]

    one, two, eight = (results_text(f"jobs-{n}", "run", "mine.toml", *size, "--jobs", n) for n in (1, 2, 8))

    assert one == two == eight


def test_the_backbone_of_an_ip_852_channel_gives_the_same_bytes_on_any_number_of_threads(results_text):
    run = ("run", EXAMPLES / "lontalk-ip-852.toml", "--set", "run.duration=1 min", "--replications", "5")

    one, two, eight = (results_text(f"jobs-{n}", *run, "--jobs", n) for n in (1, 2, 8))

    assert one == two == eight


def test_the_expanded_scenario_gives_the_same_points(sojourn, results_text, tmp_path):
    sojourn("new", "lontalk-response-time:D", "-o", "short.toml")
    expanded = sojourn("check", "short.toml", "--expand")
    (tmp_path / "full.toml").write_text(expanded.stdout)
    size = ("--set", "run.duration=20 s", "--replications", "2")

    short, full = (json.loads(results_text(name, "run", f"{name}.toml", *size)) for name in ("short", "full"))

    assert short["points"][0]["metrics"] == full["points"][0]["metrics"]
    assert short["scenario_hash"] == full["scenario_hash"]


def test_standard_output_holds_the_same_document_as_the_file(sojourn, tmp_path):
    sojourn("new", "queue", "-o", "mine.toml")

    printed = sojourn("run", "mine.toml", "--replications", "2", "--format", "json", "--out", "out")

    assert json.loads(printed.stdout) == json.loads((tmp_path / "out" / "results.json").read_text())


def test_another_seed_gives_other_numbers(sojourn, results_text):
    sojourn("new", "queue", "-o", "mine.toml")

    one, two = (
        json.loads(results_text(f"seed-{seed}", "run", "mine.toml", "--replications", "2", "--seed", seed))
        for seed in (1, 2)
    )
    first, second = one["points"][0], two["points"][0]

    assert first["metrics"]["response_time"]["mean"] != second["metrics"]["response_time"]["mean"]
    assert one["scenario_hash"] == two["scenario_hash"]
