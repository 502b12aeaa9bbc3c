"""A study: a question, its experiments, figures and answers, and the published numbers it is compared with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json
from sojourn.jobs import Outcome, run_job
from sojourn.paths import find_reference, find_study
from sojourn.reference import Published, read_published
from sojourn.results import read_results
from sojourn.store.recording import record_run


@dataclass(frozen=True)
class Study:
    """A study as its `study.toml` describes it."""

    folder: Path
    raw: dict[str, Any]

    @property
    def name(self) -> str:
        """The folder's name, which `sojourn study` takes."""
        return str(self.raw.get("name") or self.folder.name)

    @property
    def title(self) -> str:
        """One-line title of the study."""
        return str(self.raw.get("title") or self.name)

    @property
    def question(self) -> str:
        """The question it answers."""
        return str(self.raw.get("question") or "")

    @property
    def source(self) -> str:
        """The publication it reproduces."""
        return str(self.raw.get("source") or "")

    @property
    def experiments(self) -> list[dict[str, Any]]:
        """The experiments, including variants."""
        return list(self.raw["experiments"])

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The figures' descriptions."""
        return list(self.raw.get("figures") or [])

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The descriptions of the answers."""
        return list(self.raw.get("answers") or [])

    @property
    def titles(self) -> dict[str, str]:
        """The experiments' titles by id."""
        return {experiment["id"]: str(experiment.get("title") or "") for experiment in self.experiments}

    @cached_property
    def published(self) -> list[Published]:
        """The published numbers the study is compared with.

        Those that were scored blind hold what the frozen predictions of the study said.
        """
        files = self.raw.get("reference") or []
        names = [files] if isinstance(files, str) else files
        rows = [row for name in names for row in read_published(find_reference(name))]
        if not any(row.scored_blind for row in rows):
            return rows
        predictions = read_results(self.folder / "predictions.json")
        return [replace(row, predicted=row.found_in(predictions)) if row.scored_blind else row for row in rows]

    def scenario(self, experiment: str) -> Path:
        """The scenario file of one experiment."""
        names: dict[str, str] = {entry["id"]: entry["scenario"] for entry in self.experiments}
        return self.folder / names[experiment]

    def run(self, *, store: bool = True, **options: Any) -> Outcome:
        """Runs all points. Options: experiments, quick, all, seed, replications, precision, jobs, out.

        It is recorded for `sojourn history` unless `store` is false.
        """
        known = {key: value for key, value in options.items() if value is not None}
        outcome = run_job({"command": "study", "study": str(self.folder), **known}, watch=None)
        if store:
            record_run(outcome, warnings.warn)
        return outcome


def load_study(name: str) -> Study:
    """Loads a study by name or folder."""
    folder = find_study(name)
    return Study(folder, call_json("study", str(folder)))
