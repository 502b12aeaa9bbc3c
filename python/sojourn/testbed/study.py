"""The live half of a study: its experiments on a testbed, and the host costs that the simulated half needs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sojourn.calibrate import calibrate
from sojourn.comparison.measured import LOAD, MEASURED, SIZE
from sojourn.errors import RunFailed, UserError
from sojourn.results import Results
from sojourn.scenario import Scenario
from sojourn.study import Study
from sojourn.testbed.measuring import Bench, Load, can_disable_cpu_idle
from sojourn.testbed.plan import Setup
from sojourn.testbed.record import Place, with_measured, write
from sojourn.testbed.site import Site

COSTS = {"station.costs.packet": "40 µs", "station.costs.per_byte": "1 ns"}
"""Host CPU costs and their initial values: the only fitted parameters, fitted to points without load."""
COMBINED = ("lines",)
"""Figure kinds that show measured and simulated points together; a live delay budget has other components."""
HEAD = ("experiment", LOAD, SIZE, "metric", "field", "value", "unit", "uncertainty", "role")

Report = Callable[[str], None]


def chosen(study: Study, wanted: list[str] | None) -> list[dict[str, Any]]:
    """The requested or all measurable experiments; `UserError` if there are none."""
    able = [experiment for experiment in study.experiments if experiment.get("live")]
    if not able:
        raise UserError(f"no experiment of {study.name} has a live set-up (`live = {{ ... }}`)")
    if not wanted:
        return able
    for name in wanted:
        if name not in {experiment["id"] for experiment in able}:
            raise UserError(f"{name} is not a measurable experiment; there are {_ids(able)}")
    return [experiment for experiment in able if experiment["id"] in wanted]


def measure_study(experiments: list[dict[str, Any]], out: Path, report: Report, *, quick: bool = False) -> None:
    """Measures experiments in sequence and stores each one's results before the next."""
    out.mkdir(parents=True, exist_ok=True)
    idle_states = (
        "disabled" if can_disable_cpu_idle() else "enabled (only root can disable them), expect wake-up latency"
    )
    report(f"CPU idle states of this host: {idle_states}")
    places: list[Place] = []
    for experiment in experiments:
        with Site(Setup(**experiment["live"])) as site:
            bench = Bench(site)
            with bench.serving():
                for load in _loads(experiment, quick):
                    report(f"{experiment['id']}: {load.streams} streams, {len(load.sizes)} sizes")
                    probe, loaded = bench.measure(load, out / "measured" / experiment["id"] / str(load.streams))
                    load_folder = str(loaded.relative_to(out)) if loaded else None
                    where = str(probe.relative_to(out))
                    places.append(Place(experiment["id"], load.streams, list(load.sizes), where, load_folder))
                    write(out, places)


def fitted_costs(study: Study, experiments: list[dict[str, Any]], out: Path) -> list[str]:
    """The host costs, fitted to the points without load of the first experiment, as changes of a scenario."""
    first = experiments[0]
    rows = _without_load(first["id"], out)
    if len(rows) < len(COSTS):
        raise RunFailed(f"{len(rows)} sizes were measured without load, too few to fit the host costs")
    file = out / "host-costs.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([HEAD, *rows])
    found = calibrate(with_costs(study, first), list(COSTS), file, options={"replications": 1})
    return [f"{one.parameter.key}={one.parameter.text(one.value)}" for one in found.fitted]


def with_costs(study: Study, experiment: dict[str, Any]) -> Scenario:
    """An experiment's scenario with the initial host costs of the fit.

    All stations get them, so that one value applies to all hosts; routers have no CPU cost.
    """
    scenario = Scenario(study.scenario(experiment["id"]))
    for setting in experiment["set"]:
        scenario = scenario.set(setting["key"], setting["value"])
    for key, start in COSTS.items():
        scenario = scenario.set(key, start)
    return scenario


def side_by_side(study: Study) -> Study:
    """The study with its measured points added to titles and figures, after the simulated ones."""
    able = {experiment["id"]: experiment for experiment in study.experiments if experiment.get("live")}
    measured = [
        experiment | {"id": name + MEASURED, "title": f"{experiment.get('title') or name}, measured", "live": None}
        for name, experiment in able.items()
    ]
    figures = [_with_measured(figure, able) if figure["kind"] in COMBINED else figure for figure in study.figures]
    parity = {
        "id": "measured",
        "kind": "parity",
        "title": "Measured against simulated response time",
        "y": ["response_time"],
        "experiments": list(able),
    }
    raw = study.raw | {"experiments": [*study.experiments, *measured], "figures": [parity, *figures]}
    return Study(study.folder, raw)


def _with_measured(figure: dict[str, Any], able: dict[str, Any]) -> dict[str, Any]:
    names = figure.get("experiments") or []
    return figure | {"experiments": [one for name in names for one in _both(name, able)]}


def _both(name: str, able: dict[str, Any]) -> list[str]:
    return [name, name + MEASURED] if name in able else [name]


def _loads(experiment: dict[str, Any], quick: bool) -> list[Load]:
    axes = {axis["key"]: axis["values"] for axis in experiment["over"]}
    missing = [key for key in (LOAD, SIZE) if key not in axes]
    if missing:
        raise UserError(f"{experiment['id']} cannot be measured: it has no axis {' and '.join(missing)}")
    sizes = [_bytes(size) for size in _list(axes[SIZE])]
    return [Load(int(streams), sizes, quick) for streams in _list(axes[LOAD])]


def _list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _bytes(size: Any) -> int:
    """Parses a size as written in a study: "64 B"."""
    number, _, unit = str(size).partition(" ")
    if unit != "B" or not number.isdigit():
        raise UserError(f"a size to measure must be a number of bytes, such as '64 B', not {size!r}")
    return int(number)


def _without_load(experiment: str, out: Path) -> list[tuple[Any, ...]]:
    empty = Results({"points": [], "axes": {}})
    rows = []
    for point in with_measured(empty, out).select(experiment + MEASURED):
        median = point["response_time"].field("p50")
        if point.set[LOAD] == 0 and median is not None:
            settings = (experiment, 0, point.set[SIZE])
            rows.append((*settings, "response_time", "p50", median, "s", 0, "calibration"))
    return rows


def _ids(experiments: list[dict[str, Any]]) -> str:
    return ", ".join(experiment["id"] for experiment in experiments)
