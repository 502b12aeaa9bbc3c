"""The live part of a report: scenario, simulation, and the stored numbers beside which the page runs it again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import web
from sojourn.bindings import call
from sojourn.errors import ScenarioError
from sojourn.report.search import VERDICTS
from sojourn.results import Point, Results

if TYPE_CHECKING:
    from sojourn.study import Study

DOCUMENT = "document.json"
MOST_POINTS = 500
"""More stored points would outweigh the simulation."""
FIELDS = ("unit", "count", "sent", "mean", "ci95", "p50", "p50_ci95", "p99", "p99_ci95")


@dataclass(frozen=True)
class Live:
    """What the page needs; `missing` says why it is not live."""

    data: str = ""
    engine: str = ""
    worker: str = ""
    missing: str = ""


def live(results: Results, folder: Path, study: Study | None) -> Live | None:
    """The live part of the report of a simulation; None for a measurement, which nothing here could repeat."""
    if results.raw["world"] != "simulated":
        return None
    experiments = _of_study(results, study) if study is not None else _of_folder(results, folder)
    if not experiments:
        return None
    engine = web.engine()
    if engine is None:
        return Live(missing=web.HOW)
    data = json.dumps({"experiments": experiments}, separators=(",", ":"), ensure_ascii=False)
    return Live(web.packed(data.encode()), web.encoded(engine), web.source(web.WORKER))


def _of_folder(results: Results, folder: Path) -> list[dict[str, Any]]:
    """The scenario of a run, a sweep or a search."""
    file = folder / DOCUMENT
    if not file.exists():
        return []
    document = json.loads(file.read_text(encoding="utf-8"))
    request = {**document, "over": [], "runs": _runs(results, results.points[0].raw["replications"])}
    keys = list(results.axes)
    name = results.experiments[0] if results.experiments else ""
    return [_experiment(results, name, request, keys, _verdicts(folder))]


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
        "stored": [_stored(point, verdicts.get(point.index, [])) for point in points[::step]],
    }


def _stored(point: Point, verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    """The numbers of a point that the page shows beside its own."""
    raw = point.raw["metrics"]
    budget = (f"delay_budget/{component}" for component in point.components)
    metrics = {name: {"mean": raw[name].get("mean")} for name in budget}
    if "response_time" in raw:
        metrics["response_time"] = {name: raw["response_time"].get(name) for name in FIELDS}
    said = [
        {"text": one["text"], "verdict": one["verdict"], "value": one["value"], "unit": _unit(one["text"], raw)}
        for one in verdicts
    ]
    kept = {name: point.raw[name] for name in ("set", "status", "replications")}
    return {**kept, "metrics": metrics, "verdicts": said}


def _unit(text: str, metrics: dict[str, Any]) -> str:
    """The unit of what an expectation is about: "response_time.p99 < 250 ms"."""
    what = text.split(" ", 1)[0]
    metric = metrics.get(what) or metrics.get(what.rpartition(".")[0]) or {}
    return str(metric.get("unit") or "1")


def _verdicts(folder: Path) -> dict[int, list[dict[str, Any]]]:
    """The verdicts of each point, by its position."""
    file = folder / VERDICTS
    found: dict[int, list[dict[str, Any]]] = {}
    for row in json.loads(file.read_text(encoding="utf-8")) if file.exists() else []:
        found.setdefault(row["point"], []).append(row)
    return found


def _written(value: object) -> str:
    """A value of a study's setting as `--set` takes it."""
    return value if isinstance(value, str) else json.dumps(value)
