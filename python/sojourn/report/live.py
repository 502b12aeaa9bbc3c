"""The live part of a report: the page reruns the scenario and compares it with the stored numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import web
from sojourn.bindings import call
from sojourn.errors import ScenarioError
from sojourn.phases import LOADED
from sojourn.reading import json_of
from sojourn.report.search import VERDICTS
from sojourn.results import Results
from sojourn.scenario import LIVE
from sojourn.stored import stored

if TYPE_CHECKING:
    from sojourn.study import Study

DOCUMENT = "document.json"
MOST_POINTS = 500
"""More stored points would outweigh the simulation."""
MOST_CHARACTERS = 4_000_000
"""Longer documents, with the messages of a long capture, would outweigh the page."""


@dataclass(frozen=True)
class World:
    """How the page speaks of numbers of a simulation, a measurement or a capture."""

    origin: str
    """Head of their column."""
    about: str
    """What the page simulates beside them."""
    hint: str = ""
    """How there would be something to simulate, where there is nothing."""
    networks: tuple[str, ...] = ()
    """The items for which that is so."""


WORLDS = {
    "simulated": World(
        "Stored",
        "Move a key: this page simulates the scenario again, here in your browser, and shows the result beside the "
        "stored one.",
    ),
    "captured": World(
        "Captured",
        "Move a key: this page simulates the twin of the network, the scenario inferred from the capture, here in your "
        "browser, and shows the result beside what was captured. The capture has the times between packets where it "
        "was taken, the simulation those between applications: these are two quantities and differ also where the "
        "twin is exact. Simulate the twin unchanged first.",
        "With `sojourn analyse CAPTURE --scenario twin.toml --out FOLDER` this page has the twin of the network to "
        "simulate.",
        ("lontalk",),
    ),
    "live": World(
        "Measured",
        "Move a key: this page simulates the scenario that was measured, here in your browser, and shows the result "
        "beside what was measured. Simulate it unchanged first: it shows how well the scenario describes the network.",
        "With `sojourn measure SCENARIO --peer sojourn://HOST --out FOLDER` this page has the scenario to simulate "
        "beside the measurement.",
        ("sojourn",),
    ),
}


@dataclass(frozen=True)
class Live:
    """What the page needs; `missing` says why it is not live."""

    data: str = ""
    engine: str = ""
    worker: str = ""
    about: str = ""
    missing: str = ""


def live(results: Results, folder: Path, study: Study | None) -> Live | None:
    """The live part of a report; None where there is nothing to simulate and nothing to say of it."""
    world = WORLDS[results.raw["world"]]
    experiments = _of_study(results, study) if study is not None else _of_folder(results, folder)
    if not experiments:
        return Live(missing=world.hint) if results.raw["network"] in world.networks and study is None else None
    engine = web.engine()
    if engine is None:
        return Live(missing=f"This page could simulate the scenario with other values: {web.HOW}.")
    is_twin, is_captured = results.raw["world"] != "simulated", results.raw["world"] == "captured"
    content = {"origin": world.origin, "is_twin": is_twin, "is_captured": is_captured, "experiments": experiments}
    data = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if len(data) > MOST_CHARACTERS:
        return Live(missing="The messages of this scenario are too many for a page: simulate it with `sojourn run`.")
    return Live(web.packed(data.encode()), web.encoded(engine), web.source(web.WORKER), world.about)


def _of_folder(results: Results, folder: Path) -> list[dict[str, Any]]:
    """The scenario of a run, a sweep or a search, of a measurement, or the twin of a capture."""
    file = folder / DOCUMENT
    if not file.exists():
        return []
    document = json_of(file, {})
    # seed and replications of a measurement or a capture are not those of its scenario
    runs = _runs(results, results.points[0].raw["replications"]) if results.raw["world"] == "simulated" else {}
    request = {**document, "over": [], "runs": runs}
    keys = [key for key in results.axes if not key.startswith(LIVE)]
    return [_experiment(results, _phase(results), request, keys, _verdicts(folder))]


def _phase(results: Results) -> str:
    """The experiment that the scenario describes: of the phases of a measurement the one with its background."""
    names = results.experiments or [""]
    return LOADED if LOADED in names else names[0]


def _of_study(results: Results, study: Study) -> list[dict[str, Any]]:
    """The scenario of each experiment of a study."""
    found = []
    asked = list((results.provenance.get("request") or {}).get("set") or [])
    for entry in study.experiments:
        if entry["id"] not in results.experiments:
            continue
        changes = [f"{change['key']}={_written(change['value'])}" for change in entry.get("set") or []]
        try:
            document = json.loads(call("document", str(study.folder / entry["scenario"]), changes))
        except ScenarioError:
            continue  # the file has changed since
        if document is None:
            continue
        raw = results.select(entry["id"])[0].raw
        document["set"] += [f"run.duration={raw['duration']} s", *asked]
        request = {**document, "over": [], "runs": _runs(results, raw["replications"])}
        keys = [axis["key"] for axis in entry.get("over") or []]
        one = _experiment(results, entry["id"], request, keys, {})
        found.append({**one, "title": str(entry.get("title") or "")})
    return found


def _runs(results: Results, replications: int) -> dict[str, Any]:
    """Seed and replications as the results have them."""
    return {"seed": results.raw["seed"], "replications": replications}


def _experiment(
    results: Results, name: str, request: dict[str, Any], keys: list[str], verdicts: dict[int, list[dict[str, Any]]]
) -> dict[str, Any]:
    points = results.select(name)
    step = max(1, -(-len(points) // MOST_POINTS))
    numeric = [key for key in keys if results.axes.get(key) and results.axes[key].unit is not None]
    worded = [key for key in keys if key in results.axes and key not in numeric]
    values = {key: [float(point.set[key]) for point in points if key in point.set] for key in numeric}
    return {
        "id": name,
        "request": request,
        "keys": numeric,
        "ranges": {key: [min(found), max(found)] for key, found in values.items() if found and min(found) < max(found)},
        "words": {key: list(dict.fromkeys(_written(point.set[key]) for point in points)) for key in worded},
        "stored": [stored(point, verdicts.get(point.index, [])) for point in points[::step]],
    }


def _verdicts(folder: Path) -> dict[int, list[dict[str, Any]]]:
    """The verdicts of each point, by its position."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in json_of(folder / VERDICTS, []):
        found.setdefault(row["point"], []).append(row)
    return found


def _written(value: object) -> str:
    """A value of a study's setting as `--set` takes it."""
    return value if isinstance(value, str) else json.dumps(value)
