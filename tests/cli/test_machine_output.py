"""`--format json` is one document on standard output, which the package's schema describes."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sojourn import schemas

RATE = "flow.customers.arrivals.rate"
SIZE = ("--set", "run.duration=5 s", "--set", "run.warm_up=1 s", "--replications", "2")


@pytest.fixture
def scenario(sojourn, tmp_path) -> Path:
    """A scenario of one queue."""
    done = sojourn("new", "queue", "-o", "queue.toml")
    assert done.returncode == 0, done.stderr
    return tmp_path / "queue.toml"


@pytest.mark.parametrize("name", schemas.OUTPUTS)
def test_a_schema_is_itself_valid_and_the_command_prints_it(sojourn, name) -> None:
    done = sojourn("schema", name)

    assert done.returncode == 0, done.stderr
    assert done.stdout == schemas.text(name)
    Draft202012Validator.check_schema(json.loads(done.stdout))


@pytest.mark.parametrize(
    "command",
    [
        ("run",),
        ("bound",),
        ("sweep", "--over", f"{RATE}=20,40 /s"),
        ("find", "--vary", f"{RATE}=10:95 /s", "--until", "response_time.mean < 20 ms"),
        ("risk", "--of", "queue_length > 9", "--within", "5 s"),
    ],
    ids=lambda command: command[0],
)
def test_results_are_one_document_of_schema_1(sojourn, scenario, command) -> None:
    name, *options = command

    done = sojourn(name, scenario, *options, *SIZE, "--format", "json")

    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    Draft202012Validator(json.loads(schemas.text("results"))).validate(document)


def test_a_comparison_is_one_document(sojourn, scenario) -> None:
    for seed in ("1", "2"):
        done = sojourn("run", scenario, *SIZE, "--seed", seed, "--out", f"out{seed}")
        assert done.returncode == 0, done.stderr

    done = sojourn("compare", "out1", "out2", "--format", "json")

    assert done.returncode in (0, 1, 3), done.stderr
    assert json.loads(done.stdout)
