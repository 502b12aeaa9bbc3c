"""`measure --format jsonl`: one line of JSON for each event, as schemas/measure-events.schema.json describes it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sojourn.cli import output
from sojourn.cli.display import summary

if TYPE_CHECKING:
    from sojourn.jobs import Outcome
    from sojourn.live import Report


class Events:
    """Writes the events of a measurement as lines; the last one is the result."""

    def __init__(self, write: Callable[[str], None] = output.data) -> None:
        """Writes to standard output by default."""
        self._write = write

    def standing(self, standing: dict[str, Any]) -> None:
        """The state of a timed test."""
        self._event("standing", summary(standing))

    def report(self, report: Report) -> None:
        """The end of a phase, a transfer or a series of exchanges; or a message."""
        if report.kind == "note":
            self._event("note", {"text": report.ended})
        else:
            fields = dataclasses.asdict(report)
            # of an agent's sessions
            del fields["key"]
            self._event("phase", fields)

    def result(self, outcome: Outcome) -> None:
        """The end of the measurement."""
        verdicts = [
            {key: verdict[key] for key in ("point", "experiment", "text", "verdict")} for verdict in outcome.verdicts
        ]
        fields = {
            "well": outcome.all_well,
            "results": json.loads(outcome.results_text) if outcome.results_text else None,
            "verdicts": verdicts,
            "failures": outcome.failures,
            "warnings": outcome.warnings,
        }
        self._event("result", fields)

    def _event(self, event: str, fields: dict[str, Any]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._write(json.dumps({"type": event, "time": now} | fields, ensure_ascii=False, allow_nan=False))
