"""A job is polled and cancelled; a stub of the extension finishes on request."""

import json
from typing import Any

import pytest

from sojourn import bindings, jobs
from sojourn.errors import Interrupted, RunFailed, ScenarioError


class Job:
    def __init__(self, outcome: dict[str, Any], rounds: int) -> None:
        self.rounds, self.cancelled, self._outcome = rounds, False, outcome

    def progress(self) -> str:
        return json.dumps({"done": 1, "total": 2, "replications_done": 3, "note": None})

    def outcome(self) -> str | None:
        self.rounds -= 1
        if self.rounds > 0:
            return json.dumps({"status": "cancelled"}) if self.cancelled else None
        return json.dumps(self._outcome)

    def cancel(self) -> None:
        self.cancelled = True


class Extension:
    class UserError(Exception):
        pass

    def __init__(self, outcome: dict[str, Any] | None = None, rounds: int = 3) -> None:
        self.job = Job(outcome or {"status": "done"}, rounds)

    def start(self, request: str) -> Job:
        if json.loads(request).get("file") == "wrong.toml":
            raise self.UserError('[{"message": "unknown key"}]', "  x unknown key\n  ^\n", 3)
        return self.job


@pytest.fixture
def extended(monkeypatch: pytest.MonkeyPatch):
    def use(extension: Extension) -> Extension:
        monkeypatch.setattr(bindings, "extension", lambda: extension)
        monkeypatch.setattr(jobs, "extension", lambda: extension)
        monkeypatch.setattr(jobs, "POLL_INTERVAL_S", 0.0)
        return extension

    return use


def test_progress_is_shown_until_the_job_is_done(extended) -> None:
    extended(Extension())
    seen: list[jobs.Progress] = []
    jobs.run_job({"command": "run"}, seen.append)
    assert seen == [jobs.Progress(1, 2, 3)] * 3


def test_ctrl_c_cancels_the_job_and_waits_for_it(extended) -> None:
    extension = extended(Extension(rounds=1000))

    def stop(_: jobs.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="kept"):
        jobs.run_job({"command": "run"}, stop)
    assert extension.job.cancelled
    assert extension.job.rounds >= 997, "the job was not polled to its end after the cancellation"


def test_ctrl_c_after_the_end_of_a_job_leaves_its_outcome(extended) -> None:
    extension = extended(Extension(rounds=1))

    def stop(_: jobs.Progress) -> None:
        raise KeyboardInterrupt

    assert jobs.run_job({"command": "run"}, stop) is not None
    assert extension.job.cancelled


def test_results_that_cannot_be_written_are_a_failure(extended) -> None:
    extended(Extension({"status": "done", "error": "no space left on device"}))
    with pytest.raises(RunFailed, match="no space"):
        jobs.run_job({"command": "run"})


def test_a_mistake_in_a_scenario_keeps_its_carets_and_its_problems(extended) -> None:
    extended(Extension())
    with pytest.raises(ScenarioError) as caught:
        jobs.run_job({"command": "run", "file": "wrong.toml"})
    assert str(caught.value) == "  x unknown key\n  ^\n"
    assert caught.value.problems == [{"message": "unknown key"}]
    assert caught.value.count == 3, "of all, not of those listed"


@pytest.mark.parametrize(("verdict", "well"), [("met", True), ("undecided", True), ("missed", False)])
def test_a_missed_expectation_is_not_well(extended, verdict: str, well: bool) -> None:
    extended(Extension({"status": "done", "verdicts": [{"text": "failures = 0", "verdict": verdict}]}))
    assert jobs.run_job({"command": "run"}).all_well is well
