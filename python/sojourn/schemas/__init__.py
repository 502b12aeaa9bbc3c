"""JSON schemas (draft 2020-12) of the machine-readable output."""

from __future__ import annotations

OUTPUTS = {
    "results": "results.schema.json",
    "measure-events": "measure-events.schema.json",
    "monitor-events": "monitor-events.schema.json",
}
"""File of each schema: of `results.json`, which `--format json` prints, of a line of `measure --format jsonl`, and of a
line of `monitor --format jsonl` and of its files."""


def text(name: str) -> str:
    """The schema of one of `OUTPUTS`."""
    from importlib.resources import files  # noqa: PLC0415

    return (files(__name__) / OUTPUTS[name]).read_text(encoding="utf-8")
