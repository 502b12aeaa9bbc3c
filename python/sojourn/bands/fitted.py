"""The Gaussian of a fit, as its profile has it."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json
from sojourn.errors import ResultsError, UserError
from sojourn.paths import folder
from sojourn.reading import text_of
from sojourn.scenario import Scenario

NUMBERS = ("mean", "covariance", "degrees_of_freedom")
SAME = 1e-4
"""A value differs from the fitted one by less than this where it is rounded for the profile."""
HINT = "`sojourn calibrate FILE --fit KEY --against measured.csv --out PROFILE.toml` writes one"


@dataclass(frozen=True)
class Gaussian:
    """What a profile says of how well its values were determined, in SI units."""

    profile: str
    """Its name, or its path as the scenario has it."""
    network: str
    values: dict[str, object]
    """All values of the profile by key, as written."""
    keys: list[str]
    suffixes: list[str]
    """The unit of each key in scenarios."""
    mean: list[float]
    covariance: list[list[float]]
    freedom: int
    discrepancy: float | None
    """Standard deviation of relative deviations beyond sampling; None where the fit did not show it."""
    ranges: list[tuple[float, float]]
    """The smallest and the largest value of each key."""

    def text(self, parameters: list[float]) -> str:
        """The profile with these values of its fitted keys."""
        drawn = {
            key: _written(value, suffix)
            for key, value, suffix in zip(self.keys, parameters, self.suffixes, strict=True)
        }
        tables = [
            f"[[value]]\nkey = {json.dumps(key)}\nvalue = {json.dumps(value)}\n"
            for key, value in (self.values | drawn).items()
        ]
        return "\n".join([f'title = "a draw"\nnetwork = {json.dumps(self.network)}\n', *tables])


def _written(value: float, suffix: str) -> str | float:
    return f"{value!r} {suffix}" if suffix else value


def of_scenario(scenario: Scenario) -> Gaussian:
    """The Gaussian of the profile in `network.profile`; `UserError` where there is none."""
    name, kind = _named(scenario)
    if name is None:
        raise UserError(f"{scenario.path.name} names no profile in [network]: a band needs the fit of one; {HINT}")
    path = (
        scenario.path.parent / name
        if "/" in name or name.endswith(".toml")
        else folder("profiles") / kind / f"{name}.toml"
    )
    try:
        raw = tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise ResultsError(f"{path}: {error}") from None
    if "uncertainty" not in raw:
        raise UserError(f"profile {name} has no [uncertainty], which a band is drawn from; {HINT}")
    return _read(raw, name, str(path), scenario)


def of_study(study: Path) -> Gaussian:
    """The Gaussian of the profile that all scenarios of a study share."""
    raw = tomllib.loads(text_of(study / "study.toml"))
    files = dict.fromkeys(str(one["scenario"]) for one in raw.get("experiment", []) if "scenario" in one)
    found = [of_scenario(Scenario(study / file)) for file in files]
    if not found:
        raise UserError(f"study {study.name} has no scenario with a profile")
    others = [one.profile for one in found if one.profile != found[0].profile]
    if others:
        raise UserError(f"the scenarios of {study.name} have different profiles, {found[0].profile} and {others[0]}")
    return found[0]


def _named(scenario: Scenario) -> tuple[str | None, str]:
    """The profile that a scenario names in [network], with its changes, and its kind."""
    network = tomllib.loads(scenario.text).get("network") or {}
    set_to = [change.partition("=")[2] for change in scenario.changes if change.startswith("network.profile=")]
    name = set_to[-1].strip().strip("\"'") if set_to else network.get("profile")
    return (None if name is None else str(name)), str(network.get("kind"))


def _read(raw: dict[str, Any], name: str, path: str, scenario: Scenario) -> Gaussian:
    given = raw["uncertainty"]
    missing = [key for key in ("keys", "units", *NUMBERS) if key not in given]
    if missing:
        raise ResultsError(f"{path}, [uncertainty]: `{missing[0]}` is missing; it has {', '.join(given)}")
    count = len(given["keys"])
    square = all(len(row) == count for row in given["covariance"])
    if not count or any(len(given[key]) != count for key in ("units", "mean", "covariance")) or not square:
        raise ResultsError(
            f"{path}, [uncertainty]: `units`, `mean` and `covariance` need {count} numbers each, as `keys` has"
        )
    return Gaussian(
        profile=name,
        network=str(raw.get("network")),
        values={str(row["key"]): row["value"] for row in raw.get("value", [])},
        keys=[str(key) for key in given["keys"]],
        suffixes=[str(unit) for unit in given["units"]],
        mean=[float(value) for value in given["mean"]],
        covariance=[[float(value) for value in row] for row in given["covariance"]],
        freedom=int(given["degrees_of_freedom"]),
        discrepancy=None if given.get("discrepancy") is None else float(given["discrepancy"]),
        ranges=[
            _range(scenario, str(key), float(value)) for key, value in zip(given["keys"], given["mean"], strict=True)
        ],
    )


def _range(scenario: Scenario, key: str, value: float) -> tuple[float, float]:
    """The range of a fitted key; `UserError` where the scenario has another value of its own."""
    found = call_json("parameter", str(scenario.path), list(scenario.changes), key)
    if not any(math.isclose(own, value, rel_tol=SAME) for own in found["values"]):
        raise UserError(
            f"{scenario.path.name} has a value of its own for {key}, so that the fit of its profile does not apply; "
            "remove it there, and from --set"
        )
    low, high = found["low"], found["high"]
    return (float("-inf") if low is None else low), (float("inf") if high is None else high)
