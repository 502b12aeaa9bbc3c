"""Results of an unfinished measurement: it was killed, its terminal closed, its host down, or its disk full."""

from __future__ import annotations

import json
from pathlib import Path

from sojourn.bindings import translated
from sojourn.jobs import outcome_of, started, wait_for
from sojourn.overwriting import RESULTS

PLANNED = "measurement.json"
REQUESTS = "requests.csv"


def unended(folder: Path) -> bool:
    """Whether a folder has a measurement without results, or with those of an earlier one."""
    planned, results = folder / PLANNED, folder / RESULTS
    if not planned.exists() or not (folder / REQUESTS).exists():
        return False
    return not results.exists() or results.stat().st_mtime_ns < planned.stat().st_mtime_ns


def recover(folder: Path) -> None:
    """Writes the results of what was measured until the end of the requests, with their samples and verdicts."""
    with translated():
        job = started({"command": "recover", "out": str(folder)})
        outcome = outcome_of(json.loads(wait_for(job, None)), job)
    if outcome.results is not None:
        outcome.results.sampled.write(outcome.results.points, outcome.results.axes, folder)
    if outcome.verdicts:
        (folder / "verdicts.json").write_text(json.dumps(outcome.verdicts, indent=1), encoding="utf-8")
