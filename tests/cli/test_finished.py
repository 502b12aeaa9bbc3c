"""Ctrl-C after the last replication: nothing is left to stop, and what was computed is written."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sojourn import jobs
from sojourn.cli import simulate

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "queue-mm1.toml"


def test_ctrl_c_when_everything_is_computed_leaves_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = jobs.wait_for
    waited: list[str] = []

    def late(job: Any, watch: Any, *rest: Any) -> str:
        waited.append(wait(job, None, *rest))
        if len(waited) == 1:
            raise KeyboardInterrupt
        return waited[-1]

    monkeypatch.setattr(jobs, "wait_for", late)
    request = {"command": "run", "file": str(EXAMPLE), "set": ["run.duration=5 s"], "replications": 2}
    outcome = jobs.run_job(request)
    assert outcome.results is not None
    assert outcome.results.points[0].raw["replications"] == 2


@pytest.fixture
def by_default() -> Iterator[None]:
    """Ctrl-C as in a terminal: what began the tests may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_ctrl_c_waits_until_the_report_is_written_and_the_second_ends_that(by_default: None) -> None:
    written = []
    with simulate._finished():
        signal.raise_signal(signal.SIGINT)
        written.append("report")
    assert written == ["report"]
    with pytest.raises(KeyboardInterrupt), simulate._finished():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        written.append("more")
    assert written == ["report"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("command", ["run", "find"])
def test_a_reader_who_leaves_early_loses_nothing_of_what_was_to_be_written(
    command, tool, tmp_path, environment
) -> None:
    more = ["--vary", "flow.customers.arrivals.rate=20:95 /s"] if command == "find" else []
    size = ["--set", "run.duration=5 s", "--replications", "2", "--out", "kept"]
    with subprocess.Popen(
        [tool, command, EXAMPLE, *more, *size],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as begun:  # fmt: skip
        assert begun.stdout is not None
        begun.stdout.close()

    files = {file.name for file in (tmp_path / "kept").iterdir()}
    assert {"results.json", "verdicts.json", "report.html"} <= files
    assert command == "run" or "find.json" in files
