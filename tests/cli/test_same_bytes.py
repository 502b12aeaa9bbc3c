"""The same scenario and seed give the same bytes, however many threads and in whatever form the scenario is written."""

import json

import pytest


@pytest.fixture
def results_bytes(sojourn, tmp_path, environment):
    """Runs a command with an empty cache of its own and gives the bytes of its results.json."""

    def run(name: str, *arguments) -> bytes:
        alone = environment | {"XDG_CACHE_HOME": str(tmp_path / f"cache-{name}")}
        done = sojourn(*arguments, "--out", name, env=alone)
        assert done.returncode == 0, done.stderr
        return (tmp_path / name / "results.json").read_bytes()

    return run


@pytest.mark.parametrize("start", ["queue", "lontalk"])
def test_one_two_and_eight_threads_give_the_same_bytes(sojourn, results_bytes, start):
    sojourn("new", start, "-o", "mine.toml")
    size = ("--set", "run.duration=20 s", "--replications", "5")

    one, two, eight = (results_bytes(f"jobs-{n}", "run", "mine.toml", *size, "--jobs", n) for n in (1, 2, 8))

    assert one == two == eight


def test_the_expanded_scenario_gives_the_same_points(sojourn, results_bytes, tmp_path):
    sojourn("new", "lontalk-response-time:D", "-o", "short.toml")
    expanded = sojourn("check", "short.toml", "--expand")
    (tmp_path / "full.toml").write_text(expanded.stdout)
    size = ("--set", "run.duration=20 s", "--replications", "2")

    short, full = (json.loads(results_bytes(name, "run", f"{name}.toml", *size)) for name in ("short", "full"))

    assert short["points"][0]["metrics"] == full["points"][0]["metrics"]
    assert short["scenario_hash"] == full["scenario_hash"]


def test_standard_output_holds_the_same_document_as_the_file(sojourn, tmp_path):
    sojourn("new", "queue", "-o", "mine.toml")

    printed = sojourn("run", "mine.toml", "--replications", "2", "--format", "json", "--out", "out")

    assert json.loads(printed.stdout) == json.loads((tmp_path / "out" / "results.json").read_text())


def test_another_seed_gives_other_numbers(sojourn, results_bytes):
    sojourn("new", "queue", "-o", "mine.toml")

    one, two = (
        json.loads(results_bytes(f"seed-{seed}", "run", "mine.toml", "--replications", "2", "--seed", seed))
        for seed in (1, 2)
    )
    first, second = one["points"][0], two["points"][0]

    assert first["metrics"]["response_time"]["mean"] != second["metrics"]["response_time"]["mean"]
    assert one["scenario_hash"] == two["scenario_hash"]
