"""Points of a sweep that differ in their events alone go on from one beginning, to the bytes of each alone."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CASES = {
    "outage": ("event.outage.duration", ["2 s", "5 s", "8 s"], {"run.duration": "35 s"}),
    "lontalk-power": ("event.power.spread", ["0 s", "20 s"], {"run.duration": "20 min", "event.power.at": "15 min"}),
    "fddi-outage": ("event.cut-fibre.duration", ["1 s", "2 s"], {"run.duration": "45 s"}),
}
"""By example: a key of an event, its values, and what makes the run shorter."""


def changes(short: dict[str, str]) -> list[str]:
    return [word for key, value in short.items() for word in ("--set", f"{key}={value}")]


def points(sojourn, tmp_path, *arguments) -> list[dict]:
    """The metrics of each point, computed anew."""
    folder = tmp_path / f"cache-{len(list(tmp_path.iterdir()))}"
    found = sojourn(*arguments, "--format", "json", "--replications", "2", "--out", folder)
    assert found.returncode in (0, 1), found.stderr
    return [point["metrics"] for point in json.loads(found.stdout)["points"]]


SLOW = ("outage", "lontalk-power")
"""Those that take half a minute."""


@pytest.mark.parametrize("example", [pytest.param(c, marks=pytest.mark.nightly if c in SLOW else ()) for c in CASES])
def test_a_point_has_the_bytes_that_it_has_alone_on_one_and_two_threads(sojourn, tmp_path, example):
    key, values, short = CASES[example]
    file, set_ = EXAMPLES / f"{example}.toml", changes(short)
    over = ("--over", f"{key}={','.join(values)}")
    one, two = (points(sojourn, tmp_path, "sweep", file, *set_, *over, "--jobs", jobs) for jobs in ("1", "2"))
    alone = [points(sojourn, tmp_path, "run", file, *set_, "--set", f"{key}={value}")[0] for value in values]
    assert one == alone
    assert two == alone
    assert alone[0] != alone[1]


def test_the_output_says_how_many_runs_began_with_another(sojourn):
    key, values, short = CASES["outage"]
    arguments = ("sweep", EXAMPLES / "outage.toml", *changes(short), "--replications", "2", "--jobs", "1")
    found = sojourn(*arguments, "--over", f"{key}={','.join(values)}")
    assert "4 of 6 runs went on from the beginning of another" in found.stderr
    loads = sojourn(*arguments, "--over", "background.streams=1,2")
    assert "beginning of another" not in loads.stderr
