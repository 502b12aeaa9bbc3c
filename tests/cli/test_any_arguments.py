"""No arguments end in a traceback: the exit code is 0, 1 or 2, and the message is of one of Sojourn's errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from sojourn.cli import exit_code
from sojourn.cli.app import command_line

ROOT = Path(__file__).parents[2]
# built once: a Typer application builds its commands anew for each call, which takes longer than most of them
TOOL = get_command(command_line([]))
SIMULATED = ("run", "bound", "sweep", "find", "risk", "check", "calibrate")
LISTED = ("new", "studies", "networks", "metrics", "schema", "compare", "report", "study", "cache", "batch")
OPTIONS = (
    "--of", "--within", "--per", "--seed",
    "--replications", "--precision", "--precision-of", "--jobs", "--set", "--over", "--vary", "--until",
    "--ask", "--format", "--fit", "--against", "--step", "--experiment", "--metric", "--expand", "--quick", "--help",
    "--unused", "--shard", "status", "clear", "limit", "slurm", "kubernetes", "--",
)  # fmt: skip
VALUES = (
    "-1", "0", "1", "1e23", "99999999999999999999", "nan", "inf", "-", "", "=", "a=b", "run.duration=1 ms",
    "run.seed=-1", "flow.customers.arrivals.rate=1:2 /s", "flow.customers.arrivals.rate=2:1 /s", "json",
    "queue_length > 3", "queue_length/x > 3", "failures > 0", "year",
    "response_time.p99 < 300", "response_time.mean < 1 s", "response_time.mean", "utilisation < 50", "\udcff", "\u2028",
)  # fmt: skip
WORDS = st.one_of(
    st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.text(st.characters(exclude_characters="\0"), max_size=12)
)


@pytest.fixture(scope="module")
def queue(tmp_path_factory):
    """A scenario that runs within milliseconds, in an empty folder."""
    file = tmp_path_factory.mktemp("arguments") / "queue.toml"
    text = (ROOT / "examples" / "queue-mm1.toml").read_text(encoding="utf-8")
    changed = text.replace(text[text.index("[run]") :], '[run]\nduration = "1 ms"\nwarm_up = "0 s"\nreplications = 1\n')
    file.write_text(changed, encoding="utf-8")
    return file


def ends_well(arguments, monkeypatch, capfd, folder):
    """Whether a command line ends with one of the documented codes."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOJOURN_CACHE", str(folder / "cache"))
    code = exit_code(TOOL, arguments)
    said = capfd.readouterr()
    assert code in (0, 1, 2), (arguments, code)
    assert "Traceback" not in said.err + said.out, arguments


TRIED = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@TRIED
@given(command=st.sampled_from(SIMULATED), words=st.lists(WORDS, max_size=6))
def test_a_command_that_simulates_takes_any_arguments(command, words, queue, monkeypatch, capfd):
    ends_well([command, str(queue), *words], monkeypatch, capfd, queue.parent)


@TRIED
@given(command=st.sampled_from(LISTED), words=st.lists(WORDS, max_size=4))
def test_a_command_that_lists_takes_any_arguments(command, words, queue, monkeypatch, capfd):
    ends_well([command, *words], monkeypatch, capfd, queue.parent)


@TRIED
@given(command=st.sampled_from(("measure", "agent", "listen", "relay")), words=st.lists(WORDS, max_size=5))
def test_a_live_command_takes_any_arguments(command, words, queue, monkeypatch, capfd):
    ends_well([command, "nonsense://", *words], monkeypatch, capfd, queue.parent)


@pytest.mark.parametrize("seed", ["-1", "1e23", "9223372036854775808"])
def test_a_seed_out_of_its_range_is_refused_by_name(seed, sojourn, queue):
    done = sojourn("run", str(queue), "--seed", seed)
    assert done.returncode == 2
    assert "--seed" in done.stderr and "Traceback" not in done.stderr


def test_standard_input_is_refused_with_what_to_do(sojourn):
    done = sojourn("run", "-")
    assert done.returncode == 2
    assert "write standard input to one first" in done.stderr
