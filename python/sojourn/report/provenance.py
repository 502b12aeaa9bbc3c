"""Provenance: build, seed, hashes, time and host."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.results import Results

if TYPE_CHECKING:
    from sojourn.study import Study


def provenance(results: Results, folder: Path, study: Study | None) -> list[tuple[str, str]]:
    """(what, value) rows."""
    raw = results.raw
    rows = [
        ("Sojourn", f"{raw['sojourn']}, commit {raw['commit']}"),
        ("World", str(raw["world"])),
        ("Seed", str(raw["seed"])),
        ("Points", str(len(results.points))),
        ("Scenario hash", str(raw["scenario_hash"])),
    ]
    if (folder / "results.json").exists():
        rows.append(("results.json, SHA-256", _hash(folder / "results.json")))
    if study is not None:
        rows.append(("Source", study.source))
        if (study.folder / "predictions.json").exists():
            rows.append(("predictions.json, SHA-256", _hash(study.folder / "predictions.json")))
        rows += [("Published values", name) for name in dict.fromkeys(row.source for row in study.published)]
    return [*rows, *_flat(results.provenance)]


def _flat(raw: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in raw.items():
        if value in (None, [], {}, False, ""):
            continue  # an option that was not used
        name = f"{prefix}{key}".replace("_", " ")
        rows += _flat(value, f"{name}, ") if isinstance(value, dict) else [(name, str(value))]
    return rows


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
