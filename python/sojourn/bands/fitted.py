"""The Gaussian of a fit, as its profile has it."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass, replace
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
    places: tuple[str, ...] = ("network.profile",)
    """The keys of a scenario that name the profile."""
    experiments: tuple[str, ...] = ()
    """Of a study, those whose scenario names it; the others have no band."""

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
    """The Gaussian of the one fitted profile that a scenario names, in any table; `UserError` where there is none."""
    found = _fitted(scenario)
    if found is not None:
        return found
    name = next(iter(_named(scenario).values()), None)
    if name is None:
        raise UserError(f"{scenario.path.name} names no profile: a band needs the fit of one; {HINT}")
    raise UserError(f"profile {name} has no [uncertainty], which a band is drawn from; {HINT}")


def _fitted(scenario: Scenario) -> Gaussian | None:
    named = _named(scenario)
    kind = str((tomllib.loads(scenario.text).get("network") or {}).get("kind"))
    paths = {name: _path(scenario, kind, name) for name in named.values()}
    fitted = {name: raw for name, path in paths.items() if "uncertainty" in (raw := _parsed(path))}
    if not fitted:
        return None
    if len(fitted) > 1:
        raise UserError(f"{scenario.path.name} names two fitted profiles, {' and '.join(fitted)}: a band is of one fit")
    ((name, raw),) = fitted.items()
    found = _read(raw, name, str(paths[name]), scenario)
    return replace(found, places=tuple(place for place, own in named.items() if own == name))


def of_study(study: Path) -> Gaussian:
    """The Gaussian of the fitted profile that scenarios of a study share; `UserError` where there is none."""
    raw = tomllib.loads(text_of(study / "study.toml"))
    files = {str(one["id"]): str(one["scenario"]) for one in raw.get("experiment", []) if "scenario" in one}
    fits = {file: _fitted(Scenario(study / file)) for file in dict.fromkeys(files.values())}
    found = [fit for fit in fits.values() if fit is not None]
    if not found:
        raise UserError(f"no scenario of study {study.name} names a profile with [uncertainty]; {HINT}")
    others = [one.profile for one in found if one.profile != found[0].profile]
    if others:
        raise UserError(f"the scenarios of {study.name} have different profiles, {found[0].profile} and {others[0]}")
    if any(one.places != found[0].places for one in found):
        raise UserError(f"the scenarios of {study.name} name {found[0].profile} in different tables")
    return replace(found[0], experiments=tuple(name for name, file in files.items() if fits[file] is not None))


def _named(scenario: Scenario) -> dict[str, str]:
    """The profiles that a scenario names, with its changes, by the key that names each: `medium.radio.profile`."""
    found = {}
    for table, content in tomllib.loads(scenario.text).items():
        rows = content if isinstance(content, list) else [content]
        for row in (row for row in rows if isinstance(row, dict) and "profile" in row):
            place = f"{table}.{row['name']}" if isinstance(content, list) and "name" in row else table
            found[f"{place}.profile"] = str(row["profile"])
    for key, _, value in (change.partition("=") for change in scenario.changes):
        if key.endswith(".profile"):
            found[key] = value.strip().strip("\"'")
    return found


def _path(scenario: Scenario, kind: str, name: str) -> Path:
    if "/" in name or name.endswith(".toml"):
        return scenario.path.parent / name
    return folder("profiles") / kind / f"{name}.toml"


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise ResultsError(f"{path}: {error}") from None


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
