"""Ctrl-C after the last replication: nothing is left to stop, and what was computed is written."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sojourn import jobs
from sojourn.cli import exit_code, interruption

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
    def ends_after(presses: int) -> int:
        def command(*_: Any, **__: Any) -> int:
            interruption.hold_back()  # once everything is computed
            interruption.hold_back()  # and before it is written
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)
            return 0

        return exit_code(command)

    assert [ends_after(presses) for presses in (0, 1, 2)] == [0, 0, 130]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_what_is_computed_after_a_part_that_was_complete(by_default: None) -> None:
    interruption.hold_back()
    interruption.let_through()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_is_held_back_as_soon_as_everything_is_computed(by_default: None) -> None:
    request = {"command": "run", "file": str(EXAMPLE), "set": ["run.duration=5 s"], "replications": 2}
    outcome = jobs.run_job(request, ended=lambda: signal.raise_signal(signal.SIGINT) if held() else None)
    interruption.let_through()
    assert outcome.results is not None


def held() -> bool:
    interruption.hold_back()
    return True


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
