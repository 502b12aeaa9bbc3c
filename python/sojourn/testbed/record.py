"""The measurements of a testbed, stored with the simulated results: which folder has which point."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn.comparison.measured import LOAD, MEASURED, SIZE
from sojourn.errors import ResultsError
from sojourn.results import Results, read_results

FILE_NAME = "measured.json"
MEASURED_UNDER = "measured_under"
"""Key of a study's provenance: the circumstances of each of its measurements."""
CARRIED = ("throughput",)
"""Metrics of the load's results that belong to the point: the goodput of the streams."""


@dataclass(frozen=True)
class Place:
    """The results of one number of streams: paths relative to the record."""

    experiment: str
    streams: int
    sizes: list[int]
    probe: str
    load: str | None


def write(folder: Path, places: list[Place]) -> None:
    """Writes the record."""
    text = json.dumps([place.__dict__ for place in places], indent=1)
    (folder / FILE_NAME).write_text(text + "\n", encoding="utf-8")


def with_measured(results: Results, folder: Path) -> Results:
    """The results with all measured points added; unchanged if there are none."""
    file = folder / FILE_NAME
    if not file.exists():
        return results
    try:
        places = [Place(**raw) for raw in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise ResultsError(f"cannot read {file}: {error}") from None
    points = [point for place in places for point in _points(place, folder)]
    conditions = [found for place in places if (found := _conditions(folder / place.probe))]
    provenance = results.provenance | ({MEASURED_UNDER: conditions} if conditions else {})
    return Results(results.raw | {"points": [*results.raw["points"], *points]}, results.sampled, provenance)


def _conditions(folder: Path) -> dict[str, Any] | None:
    """The state of the hosts during a measurement."""
    return read_results(folder).provenance.get("circumstances")


def _points(place: Place, folder: Path) -> list[dict[str, Any]]:
    """The points of one number of streams, under the name of their experiment."""
    found = read_results(folder / place.probe)
    carried: dict[str, Any] = {}
    if place.load is not None:
        loaded = read_results(folder / place.load).points[0]
        carried = {name: loaded.raw["metrics"][name] for name in CARRIED if name in loaded.raw["metrics"]}
    return [
        point.raw
        | {
            "experiment": place.experiment + MEASURED,
            # results with a single size do not include it as an axis
            "set": {LOAD: place.streams, SIZE: place.sizes[0], **point.set},
            "metrics": point.raw["metrics"] | carried,
        }
        for point in found.points
    ]
