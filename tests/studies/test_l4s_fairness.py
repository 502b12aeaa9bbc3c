"""The frozen predictions of pairs of flows behind queues that mark: the commands beside them still give them."""

import json
import math
import shlex
from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "l4s-fairness"
BLIND = json.loads((STUDY / "blind.json").read_text(encoding="utf-8"))
SAMPLED = sorted(BLIND)[::50]
"""Enough to notice a change of any queue or congestion control; `make nightly` has all."""


def goodputs(sojourn, name: str) -> list[list[float]]:
    """The goodput of either flow in Mbit/s, run by run, as the command of a prediction gives it."""
    tool, command, *arguments = shlex.split(BLIND[name]["command"].partition(": throughput")[0])
    assert tool == "sojourn"
    (file,) = [argument for argument in arguments if argument.endswith(".toml")]
    arguments = [str(STUDY / Path(file).name) if argument == file else argument for argument in arguments]
    done = sojourn(command, *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["points"][0]["metrics"]
    return [[run / 1e6 for run in metrics[f"throughput/flow-{flow}"]["by_replication"]["value"]] for flow in (1, 2)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLED else pytest.mark.nightly) for name in sorted(BLIND)]
)
def test_a_prediction_is_what_its_command_gives(sojourn, name):
    frozen = BLIND[name]

    found = goodputs(sojourn, name)

    for runs, value, (low, high) in zip(found, frozen["value"], frozen["interval"], strict=True):
        mean = math.fsum(runs) / len(runs)
        assert mean == pytest.approx(value, abs=5e-4)
        assert low - 5e-4 <= mean <= high + 5e-4


def test_all_pairs_that_were_asked_for_are_there():
    tables = [name.split("/")[:3] for name in BLIND]

    assert len(tables) == 150
    assert sum(table == ["s1", "50Mbit", "dualpi2"] for table in tables) == 24
    assert sum(table[0] == "s6" for table in tables) == 24


def test_fq_codel_gives_either_flow_its_half_whatever_its_congestion_control():
    for name, frozen in BLIND.items():
        if "/fq_codel/" in name and "160ms" not in name and "80ms" not in name:
            first, second = frozen["value"]
            assert first / (first + second) == pytest.approx(0.5, abs=0.02), name
