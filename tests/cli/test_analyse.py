"""`sojourn analyse`: captures of real networks, with results of a simulation's names."""

import json

import pytest
from jsonschema import Draft202012Validator

from sojourn import schemas


@pytest.fixture
def capture(sojourn, tmp_path):
    """A capture of simulated LonTalk."""
    assert sojourn("new", "lontalk", "-o", "site.toml").returncode == 0
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    done = sojourn("run", "site.toml", *short, "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


def test_a_capture_has_results_of_the_schema_a_table_and_files(sojourn, capture, tmp_path) -> None:
    done = sojourn("analyse", capture, "--format", "json", "--out", "out")

    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    Draft202012Validator(json.loads(schemas.text("results"))).validate(results)
    assert (results["world"], results["network"], results["study"]) == ("captured", "lontalk", "site.pcap")
    assert "A capture shows packets, not applications" in done.stderr
    assert {"flows.csv", "timeline.csv", "report.html"} <= {file.name for file in (tmp_path / "out").iterdir()}

    table = sojourn("analyse", capture).stdout

    assert "lontalk: " in table
    assert "conversation" in table

    compared = sojourn("compare", "out", "out", "--format", "json")

    assert compared.returncode == 0, compared.stderr


def test_a_condition_that_is_missed_is_exit_status_1_and_a_pipe_gives_the_same_numbers(sojourn, capture) -> None:
    missed = sojourn("analyse", capture, "--expect", "response_time.p50 < 1 us")
    assert missed.returncode == 1
    assert "response_time.p50" in missed.stdout + missed.stderr

    with capture.open("rb") as pipe:
        piped = sojourn("analyse", "-", "--format", "json", stdin=pipe)
    plain = sojourn("analyse", capture, "--format", "json")
    metrics = [json.loads(done.stdout)["points"][0]["metrics"] for done in (piped, plain)]
    assert metrics[0] == metrics[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: it has 0 bytes"),
        (b"# a scenario", "is not a capture: it begins with 23 20 61 20"),
        (b"BZh9", "compressed by bzip2"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_sentence(sojourn, tmp_path, content, said) -> None:
    file = tmp_path / "a.pcap"
    file.write_bytes(content)

    done = sojourn("analyse", file)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
