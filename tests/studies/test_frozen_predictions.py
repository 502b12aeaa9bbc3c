"""The build still gives the frozen predictions: some points of each study, at full length, number for number."""

import json
from pathlib import Path

import pytest

from sojourn.scenario import Scenario
from sojourn.study import load_study

STUDIES = Path(__file__).resolve().parents[2] / "studies"
RENAMED = {
    "voice.start_up": "voice.playout_delay",
    "station.acknowledgement_timer": "station.frack",
}
"""Keys that were called otherwise when the predictions were frozen."""
REDEFINED = {"throughput_l4"}
"""Metrics that mean something else since: this one counted messages sent, and counts those delivered."""
UNITS = {"1/s": "/s", "1": "", None: ""}
"""How units of results are written in scenarios, where differently."""


def cases():
    """(study, index of a point): the first point of some experiments."""
    for file in sorted(STUDIES.glob("*/predictions.json")):
        points = json.loads(file.read_text(encoding="utf-8"))["points"]
        names = list(dict.fromkeys(point["experiment"] for point in points))
        chosen = {names[0], names[len(names) // 2], names[-1]}
        for index, point in enumerate(points):
            if point["experiment"] in chosen:
                chosen.remove(point["experiment"])
                yield pytest.param(file.parent.name, index, id=f"{file.parent.name}-{point['experiment']}")


def written(value, unit):
    """A value of results as a scenario has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:g} {UNITS.get(unit, unit)}".rstrip()


def numbers(metric):
    """The numbers of a metric that are not an estimate of its uncertainty."""
    return {field: value for field, value in metric.items() if isinstance(value, int | float) and "ci95" not in field}


@pytest.mark.parametrize(("name", "index"), list(cases()))
def test_a_frozen_point_is_reproduced_exactly(sojourn, name, index):
    frozen = json.loads((STUDIES / name / "predictions.json").read_text(encoding="utf-8"))
    point, study = frozen["points"][index], load_study(name)
    entries = {entry["id"]: entry for entry in study.experiments}
    # the model of a study may have been mended since: a variant keeps the settings that predicted
    entry = entries.get(f"{point['experiment']}+as-frozen") or entries[point["experiment"]]
    scenario = Scenario(study.scenario(point["experiment"]))
    for change in entry.get("set") or []:
        scenario = scenario.set(change["key"], change["value"])
    for key, value in point["set"].items():
        scenario = scenario.set(RENAMED.get(key, key), written(value, frozen["axes"][key].get("unit")))
    # the linux-lan study has a longer warm-up since, as its measurement has
    scenario = scenario.set("run.warm_up", f"{point['warm_up']} s")
    sets = [word for change in scenario.changes for word in ("--set", change)]
    size = ("--seed", str(frozen["seed"]), "--replications", str(point["replications"]), "--format", "json")

    done = sojourn("run", study.scenario(point["experiment"]), *sets, *size)

    assert done.returncode in (0, 1), done.stderr
    (found,) = json.loads(done.stdout)["points"]
    assert (found["duration"], found["warm_up"]) == (point["duration"], point["warm_up"])
    for metric, known in point["metrics"].items():
        if metric in found["metrics"] and metric not in REDEFINED:
            now = found["metrics"][metric]
            if now.get("applies") is False:
                # what does not apply was written as 0 until November 2026
                assert not any(numbers(known).values()), metric
                continue
            assert {field: now.get(field) for field in numbers(known)} == numbers(known), metric
    assert point["metrics"].keys() & found["metrics"].keys()
