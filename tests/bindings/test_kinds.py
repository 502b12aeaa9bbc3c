"""The types of keys are those that are declared, and refuse a wrong scenario before it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIGHT = """
from dataclasses import dataclass

import sojourn
from sojourn.kinds import lontalk

@dataclass
class Station:
    name: str
    count: int = 1

flow: lontalk.Flow = {
    "name": "alarm", "from": "sensor", "to": "display", "arrivals": {"kind": "poisson", "interval": "20 s"}
}
sojourn.Scenario(
    kind="lontalk",
    stations=[lontalk.Station(name="sensor", count=40), {"name": "display"}, Station("other")],
    flows=[flow],
    expect={"response_time.p99": "< 300 ms"},
    run={"duration": "10 min", "warm_up": "5 s"},
).set("run.seed", 3).run(replications=3)
sojourn.Scenario(kind="queue", name="one", stations=[{"name": "a", "service": {"kind": "exponential", "mean": "1 ms"}}])
sojourn.Scenario("site.toml", ["run.seed=3"])
sojourn.Scenario(**sojourn.load("site.toml").as_dict())
"""
WRONG = (
    'sojourn.Scenario(kind="lontalk", stations=[{"nmae": "a"}])',
    'sojourn.Scenario(kind="lontalk", station=[{"name": "a"}])',
    'sojourn.Scenario(kind="lontalk", stations=[{"name": "a", "count": "many"}])',
    'sojourn.Scenario(kind="lonworks", stations=[{"name": "a"}])',
    'sojourn.Scenario(kind="queue", flows=[{"name": "a", "path": ["b"], "arrivals": {"kind": "no-such"}}])',
    'sojourn.load("site.toml").run(replicatons=3)',
)


def test_the_types_are_written_from_the_declarations_of_today() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools/generate_kinds.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of both programs, a line for each error."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text("\n".join(["import sojourn", *WRONG, ""]))
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--cache-dir", str(folder / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "right.py", "wrong.py"],
        cwd=folder, env={"MYPYPATH": str(ROOT / "python"), "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [line for line in done.stdout.splitlines() if ": error: " in line and line.startswith(("right", "wrong"))]


@pytest.mark.nightly
def test_a_right_scenario_has_no_error_under_strict(checked: list[str]) -> None:
    assert [line for line in checked if line.startswith("right.py")] == []


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(len(WRONG)), ids=lambda number: WRONG[number])
def test_a_wrong_scenario_has_one(checked: list[str], number: int) -> None:
    assert any(line.startswith(f"wrong.py:{number + 2}: ") for line in checked)
