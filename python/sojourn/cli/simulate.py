"""Shared by `run`, `sweep`, `find` and `study`: runs a job with progress, and writes its results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.cli import output
from sojourn.cli.progress import ProgressLine
from sojourn.jobs import Outcome, run_job

if TYPE_CHECKING:
    from sojourn.study import Study


def simulate(request: dict[str, Any]) -> Outcome:
    """Runs a request; progress, warnings and failures go to standard error."""
    known = {key: value for key, value in request.items() if value not in (None, [], False)}
    with ProgressLine() as progress:
        outcome = run_job(
            {key: str(value) if isinstance(value, Path) else value for key, value in known.items()}, progress
        )
    output.warnings(outcome)
    return outcome


def keep(outcome: Outcome, out: Path, study: Study | None = None, scenario: str | None = None) -> None:
    """Writes the files next to `results.json`: samples, verdicts, the scenario, figures and the report."""
    import json  # noqa: PLC0415

    from sojourn.report import write_report  # noqa: PLC0415

    if outcome.results is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    outcome.results.sampled.write(outcome.results, out)
    if outcome.verdicts:
        (out / "verdicts.json").write_text(json.dumps(outcome.verdicts, indent=1), encoding="utf-8")
    if outcome.answer is not None:
        (out / "find.json").write_text(json.dumps(outcome.answer, indent=1), encoding="utf-8")
    if scenario is not None:
        (out / "scenario.toml").write_text(scenario, encoding="utf-8")
    page = write_report(outcome.results, out, study)
    output.say(f"wrote {out / 'results.json'} and the report {page}")
