"""What `sojourn new` writes runs: an experiment as the study runs it, an installation with the values of its fields."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from sojourn import installations

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("experiment", ["fifo-reno-9180", "assured-cubic"])
def test_the_changes_of_an_experiment_are_arguments_that_a_shell_and_the_tool_take(sojourn, experiment):
    text = sojourn("new", f"linux-lan-response-time:{experiment}").stdout
    sojourn("new", f"linux-lan-response-time:{experiment}", "-o", "mine.toml")
    changes = text.splitlines()[0].partition("with: ")[2]

    expanded = sojourn("check", "mine.toml", "--expand", *shlex.split(changes))

    assert expanded.returncode == 0, expanded.stderr
    if experiment == "fifo-reno-9180":
        assert 'medium.trunk.queue.shaping={ burst = "18600 B", rate = "100 Mbit/s" }' in changes
        assert 'burst = "18600 B"' in expanded.stdout
    else:
        assert 'congestion = "cubic"' in expanded.stdout


@pytest.mark.parametrize("name", installations.names())
def test_an_installation_runs_and_decides_what_it_expects(sojourn, tmp_path, name):
    sojourn("new", name, "-o", "mine.toml")

    ran = sojourn("run", "mine.toml", "--no-store")

    verdicts = [line for line in ran.stderr.splitlines() if line.startswith("expected ")]
    asked = tomllib.loads((tmp_path / "mine.toml").read_text(encoding="utf-8"))["expect"]
    assert len(verdicts) == len(asked) > 0, ran.stderr
    assert all(": met" in line for line in verdicts), ran.stderr
    assert ran.returncode == 0


SLOW = {"building", "clinic", "logger", "radio", "scada-gateway"}
"""Those whose question takes some ten seconds of a processor."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in SLOW)) for name in installations.names()]
)
def test_the_question_of_an_installation_is_decided(sojourn, name):
    sojourn("new", name, "-o", "mine.toml")

    found = sojourn("find", "mine.toml", "--no-store").stdout

    text = installations.find_installation(name).question
    assert re.search(rf"^{re.escape(text)}\n +(Yes|No): with ", found, re.MULTILINE), found


def test_values_of_fields_are_written_and_comments_stay(sojourn, tmp_path):
    written = sojourn("new", "office", "phones=35", "uplink=100 Mbit/s", "queue=fifo", "mos=4", "-o", "office.toml")

    text = (tmp_path / "office.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    assert written.returncode == 0, written.stderr
    assert next(one["count"] for one in document["station"] if one["name"] == "phone") == 35
    assert next(one for one in document["medium"] if one["name"] == "uplink") | {"delay": ""} == {
        "name": "uplink", "rate": "100 Mbit/s", "delay": "", "queue": {"kind": "fifo"},
    }  # fmt: skip
    assert document["expect"] == {"mos": "> 4"}
    assert 'rate = "100 Mbit/s"           # in both directions' in text
    assert "[[field]]" not in text
    assert "sojourn find office.toml" in text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("phone=20", "office has no field 'phone'; did you mean phones?"),
        ("phones=2000", "phones is 1 to 300, not 2000"),
        ("phones=2.5", "phones is a whole number, 1 to 300, not 2.5"),
        ("phones=020", "phones is a whole number, 1 to 300, not 020"),
        ("uplink=50 Mbit", "uplink is 1 Mbit/s to 1 Gbit/s, as '20 Mbit/s', not '50 Mbit'"),
        ("uplink=20 ms", "uplink is 1 Mbit/s to 1 Gbit/s, as '20 Mbit/s', not '20 ms'"),
        ("uplink=2 Gbit/s", "uplink is 1 Mbit/s to 1 Gbit/s, not 2 Gbit/s"),
        ("queue=fifi", "queue is one of fifo, codel, fq-codel, not 'fifi'; did you mean fifo?"),
    ],
)
def test_a_wrong_field_or_value_is_refused_with_the_fields_there_are_and_nothing_is_written(
    sojourn, tmp_path, value, said
):
    refused = sojourn("new", "office", "backups=2", value, "-o", "office.toml")

    assert refused.returncode == 2
    assert said in refused.stderr
    assert "fields of office:" in refused.stderr
    assert "backups=4" in refused.stderr
    assert not (tmp_path / "office.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["office", "phones"], "write NAME=VALUE, as phones=20"),
        (["queue", "phones=20"], "only an installation has fields: building, "),
        (["offce"], "no installation, network or measurement 'offce'; did you mean office?"),
        (["voice-over-fddi:"], "voice-over-fddi has no experiment ''; there are basic, "),
        (["example:outag"], "no example 'outag'; did you mean outage?"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(sojourn, arguments, said):
    refused = sojourn("new", *arguments)

    assert refused.returncode == 2
    assert said in refused.stderr


def test_without_a_name_all_there_is_is_listed(sojourn, environment):
    listed = sojourn("new", env=environment | {"COLUMNS": "80"}).stdout

    for name in (
        "office",
        "lontalk",
        "ip-measurement",
        "example:NAME",
        "outage",
        "STUDY:EXPERIMENT",
        "voice-over-fddi",
    ):
        assert re.search(rf"(^|\s){name}\b", listed, re.MULTILINE), name
    assert max(map(len, listed.splitlines())) <= 80


def test_any_example_is_written_as_it_is(sojourn, tmp_path):
    sojourn("new", "example:outage", "-o", "outage.toml")

    assert (tmp_path / "outage.toml").read_bytes() == (ROOT / "examples" / "outage.toml").read_bytes()


def test_the_examples_are_listed_each_with_what_it_is(sojourn):
    listed = " ".join(sojourn("new", "example:").stdout.split())

    assert "example:outage A link between two sites fails for ten seconds while files are copied over it." in listed
    assert "example:queue.marimo.py An app of marimo." in listed
    files = [file for suffix in ("toml", "ipynb", "py") for file in (ROOT / "examples").glob(f"*.{suffix}")]
    assert listed.count("example:") == len(files)


def test_the_fields_of_an_installation_are_listed_with_their_defaults_and_limits(sojourn):
    listed = sojourn("new", "office:").stdout

    assert "phones=20" in listed
    assert "Telephones, each in a call. 1 to 300." in listed
