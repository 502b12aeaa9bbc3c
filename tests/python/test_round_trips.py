"""Every scenario that ships is built again in Python from what it says."""

import tomllib
from pathlib import Path

import pytest

import sojourn
from sojourn import installations
from sojourn.bindings import call, call_json
from sojourn.cli.new import MEASUREMENTS

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
IN_STUDIES = sorted(
    file for file in (ROOT / "studies").glob("*/*.toml") if "network" in tomllib.loads(file.read_text())
)
TEMPLATES = [*(network["kind"] for network in call_json("networks")), *MEASUREMENTS]


def same(loaded: sojourn.Scenario) -> sojourn.Scenario:
    """The scenario built from what a loaded one says; both have the same full form, value by value."""
    built = sojourn.Scenario(**loaded.as_dict())
    assert built == loaded
    assert tomllib.loads(built.expanded()) == tomllib.loads(loaded.expanded())
    assert built.name == loaded.name
    return built


@pytest.mark.parametrize("file", [*EXAMPLES, *IN_STUDIES], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_an_example_is_built_again(file: Path) -> None:
    same(sojourn.load(file))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_built_again(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.toml").write_text(call("new", name), encoding="utf-8")
    same(sojourn.load(tmp_path / f"{name}.toml"))


@pytest.mark.parametrize("name", installations.names())
def test_an_installation_is_built_again(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.toml").write_text(installations.find_installation(name).scenario({}), encoding="utf-8")
    same(sojourn.load(tmp_path / f"{name}.toml"))


QUICK = ("queue-mm1", "lontalk-load", "ip-home-link", "fddi-campus", "outage", "assured-forwarding")


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=() if file.stem in QUICK else pytest.mark.nightly, id=file.stem) for file in EXAMPLES],
)
def test_the_same_scenario_has_the_same_hash_and_the_same_results(file: Path) -> None:
    loaded = sojourn.load(file).set("run.duration", "61 s")
    built = same(loaded)

    first, second = (one.run(replications=1, store=False).raw for one in (loaded, built))

    assert first["scenario_hash"] == second["scenario_hash"]
    assert first == second
