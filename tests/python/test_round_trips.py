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
KINDS = [network["kind"] for network in call_json("networks")]
TEMPLATES = [*KINDS, *MEASUREMENTS]
LONG = {"lontalk-power", "lontalk-redundant", "packet-radio-night", "packet-radio-outage"}
"""Examples in which what happens, happens later than in the first minute."""
SHORT = {"fddi-adapter": "3 ms", "switched-lan": "5 s"}
"""Durations of what has far more events in a minute than the others."""


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
    same(template(name, tmp_path))


@pytest.mark.parametrize("name", installations.names())
def test_an_installation_is_built_again(name: str, tmp_path: Path) -> None:
    same(installation(name, tmp_path))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_has_the_same_hash_and_results(file: Path) -> None:
    loaded = sojourn.load(file)
    expect_same_results(loaded if file.stem in LONG else loaded.set("run.duration", "61 s"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_has_the_same_hash_and_results(kind: str, tmp_path: Path) -> None:
    expect_same_results(template(kind, tmp_path).set("run.duration", SHORT.get(kind, "61 s")))


@pytest.mark.parametrize("name", installations.names())
def test_an_installation_has_the_same_hash_and_results(name: str, tmp_path: Path) -> None:
    expect_same_results(installation(name, tmp_path).set("run.duration", SHORT.get(name, "61 s")))


def template(name: str, folder: Path) -> sojourn.Scenario:
    (folder / f"{name}.toml").write_text(call("new", name), encoding="utf-8")
    return sojourn.load(folder / f"{name}.toml")


def installation(name: str, folder: Path) -> sojourn.Scenario:
    (folder / f"{name}.toml").write_text(installations.find_installation(name).scenario({}), encoding="utf-8")
    return sojourn.load(folder / f"{name}.toml")


def expect_same_results(loaded: sojourn.Scenario) -> None:
    built = same(loaded)

    first, second = (one.run(replications=1, store=False).raw for one in (loaded, built))

    assert first["scenario_hash"] == second["scenario_hash"]
    assert first == second
