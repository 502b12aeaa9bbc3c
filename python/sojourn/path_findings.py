"""What the path does to packets, in words: the findings of a measurement, as its results have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sojourn import phrases

if TYPE_CHECKING:
    from sojourn.results import Results

TITLE = "What the path does to packets"
PHASES = {"idle": "idle", "loaded": "under load", "recovery": "after the load"}


def answer(results: Results) -> list[tuple[str, str]]:
    """The title and all findings in one text; nothing where nothing was found."""
    said = [words(finding) for finding in results.raw.get("path") or ()]
    return [(TITLE, f"{phrases.capitalised('; '.join(said))}.")] if said else []


def words(finding: dict[str, Any]) -> str:
    """A finding with the phase that it is of."""
    phase = finding.get("experiment")
    return f"{PHASES.get(phase, phase)}, {finding['text']}" if phase else str(finding["text"])
