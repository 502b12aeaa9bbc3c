"""A scenario in Python: load it, change keys, run it, sweep over keys."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from sojourn.assignment import assignment, axis
from sojourn.bindings import call
from sojourn.errors import RunFailed, ScenarioError
from sojourn.jobs import Outcome, run_job
from sojourn.reading import text_of
from sojourn.results import Results
from sojourn.store.recording import record_run

LIVE = ("measure.", "load.", "on_air.")
"""Tables of keys that only real networks obey."""
LINE, CALL = "command line", "Python call"
"""Where the extension places an error of a change, and where it is in Python."""


class Options(TypedDict, total=False):
    """Options of a run, a sweep or a search, in place of what the scenario says."""

    seed: int | None
    """The same seed gives the same bytes."""
    replications: int | None
    """Replications per point."""
    budget: int | None
    """Events of the simulation, of all points together, within which replications are added until `[expect]` is decided."""
    precision: float | None
    """Adds replications until the half-width of the 95 % interval is within this share of the mean."""
    precision_of: str | None
    """What `precision` watches, as `response_time.p99`."""
    control_variates: bool | None
    """Whether means of queues are corrected by what was drawn, of known expectation."""
    jobs: int | None
    """Threads; all processors by default."""
    cluster: str | None
    """Address of the Dask scheduler whose workers compute in place of threads: `tcp://scheduler:8786`, or `local:8`."""
    out: Path | None
    """The folder of results.json and the cache of replications."""
    overwrite: bool
    """Whether files there may be replaced that are not of this scenario's own results."""
    store: bool
    """Whether it is recorded in the store of results, for `sojourn history`; true unless it is given."""


@dataclass(frozen=True)
class Scenario:
    """A scenario file with changes on top. Every change makes a new scenario and leaves this one as it is."""

    path: Path
    changes: tuple[str, ...] = ()

    def set(self, key: str, value: object) -> Scenario:
        """The scenario with one key changed: `.set("background.rate", "300 /s")`.

        `ScenarioError` where it can have no such key; the value is checked with those of all other changes.
        """
        change = assignment(key, value)
        self._refuse_unknown(key, change)
        return replace(self, changes=(*self.changes, change))

    def check(self) -> None:
        """Raises `ScenarioError`, with every problem and its position, unless the scenario is valid."""
        with _as_called():
            call("check", str(self.path), list(self.changes), False)

    def warnings(self) -> list[str]:
        """The rules of the trade that the scenario breaks, each with its source; `ScenarioError` unless it is valid."""
        with _as_called():
            return list(call("warnings", str(self.path), list(self.changes)))

    def expanded(self) -> str:
        """The full form as TOML: every key with its value and where the value comes from."""
        with _as_called():
            return str(call("check", str(self.path), list(self.changes), True))

    def document(self) -> dict[str, object] | None:
        """The document as written, the files that it names and the changes: all that simulates it anywhere.

        None where it has no stations to simulate.
        """
        found: dict[str, object] | None = json.loads(call("document", str(self.path), list(self.changes)))
        return found

    def run(self, **options: Unpack[Options]) -> Results:
        """Simulates the scenario."""
        return results_of(self.computed("run", options, traces=True))

    def sweep(self, over: Mapping[str, str | Sequence[object]], **options: Unpack[Options]) -> Results:
        """Simulates the product of all axes: `.sweep({"background.rate": "50:500:50 /s"})` or a list of values."""
        axes = [f"{key}={axis(values)}" for key, values in over.items()]
        return results_of(self.computed("sweep", options, over=axes, traces=True))

    def computed(self, command: str, options: Options, **more: object) -> Outcome:
        """The outcome of a command, recorded unless its options say otherwise."""
        given: dict[str, object] = {**options, **more}
        store = given.pop("store", True)
        with _as_called():
            outcome = run_job(self.request(command, **given))
        if store:
            record_run(outcome, warnings.warn)
        return outcome

    def _repr_html_(self) -> str:
        """What a notebook shows: title, question, requirements, changes, and the file."""
        from sojourn import notebook  # noqa: PLC0415

        return notebook.scenario(text_of(self.path), self.path.name, self.changes)

    def _refuse_unknown(self, key: str, change: str) -> None:
        """Refuses a key that the scenario cannot have; whatever else is wrong is for its check to say."""
        file, changes = str(self.path), list(self.changes)
        found = _messages("parameter", file, changes, key)
        if not found or found[0]["message"].endswith("is not a number"):
            return  # a number, or another key that there is
        same = [one for one in _messages("check", file, [*changes, change]) if one["message"] == found[0]["message"]]
        if not same or same[0] in _messages("check", file, changes):
            return
        said = f"{same[0]['message']}; {same[0]['help']}" if same[0].get("help") else same[0]["message"]
        raise ScenarioError(f"scenario.set({key!r}, ...): {said}", same)

    def request(self, command: str, **options: object) -> dict[str, object]:
        """The request of a command with options of its own."""
        return {"command": command, "file": str(self.path), "set": list(self.changes), **options}


def load(path: str | Path) -> Scenario:
    """Loads a scenario file; `ScenarioError` lists all errors with their positions."""
    scenario = Scenario(Path(path))
    scenario.check()
    return scenario


def _messages(function: str, *arguments: object) -> list[dict[str, Any]]:
    """What is wrong by a function of the extension; empty where nothing is."""
    try:
        call(function, *arguments)
    except ScenarioError as error:
        return error.problems
    return []


@contextmanager
def _as_called() -> Iterator[None]:
    """Names changes by the call that made them, where the extension says that they are of a command line."""
    try:
        yield
    except ScenarioError as error:
        problems = [one | {"file": CALL} if one.get("file") == LINE else one for one in error.problems]
        raise ScenarioError(str(error).replace(f"[{LINE}:", f"[{CALL}:"), problems, error.count) from None


def results_of(outcome: Outcome) -> Results:
    """The results of a finished job; `RunFailed` where a point failed."""
    if outcome.failures:
        raise RunFailed("; ".join(str(failure["message"]) for failure in outcome.failures))
    if outcome.results is None:
        raise RunFailed("the run gave no results")
    outcome.results.verdicts = outcome.verdicts
    return outcome.results
