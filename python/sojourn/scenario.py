"""A scenario in Python: build or load it, change keys, run it, sweep over keys."""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack, get_type_hints

from sojourn import calls
from sojourn.assignment import assignment, axis
from sojourn.bindings import call
from sojourn.built import Built, build
from sojourn.errors import RunFailed, ScenarioError, UserError
from sojourn.jobs import Outcome, run_job
from sojourn.keywords import keywords
from sojourn.kinds import Arguments
from sojourn.reading import text_of
from sojourn.results import Results
from sojourn.store.recording import record_run

if TYPE_CHECKING:
    from sojourn.widget import Panel

LIVE = ("measure.", "load.", "on_air.")
"""Tables of keys that only real networks obey."""


class Options(TypedDict, total=False):
    """Options of a run, a sweep or a search, in place of what the scenario says."""

    seed: int | None
    """The same seed gives the same bytes."""
    replications: int | None
    """Replications per point."""
    budget: int | None
    """Events of all points together, within which replications are added until `[expect]` is decided."""
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


class Scenario(Arguments):
    """A scenario of a file or built in Python, with changes on top. A change makes a new one, this one stays.

    ::

        Scenario(
            kind="lontalk",
            stations=[{"name": "sensor", "count": 40}, {"name": "controller"}],
            flows=[
                {
                    "name": "alarm",
                    "from": "sensor",
                    "to": "controller",
                    "service": "acknowledged",
                    "probe": True,
                    "arrivals": {"kind": "poisson", "interval": "20 s"},
                }
            ],
            expect={"response_time.p99": "< 300 ms"},
            run={"duration": "10 min"},
        )

    Tables are dictionaries or dataclasses, quantities text with a unit. Lists of tables have their names in the plural;
    `kind` is that of the network, `name` what results are called. Files that it names are relative to the working
    directory. `ScenarioError` names the argument of each mistake. `Scenario("site.toml")` is a file, not yet checked.
    """

    def _begin(self, path: str | Path | None = None, changes: Sequence[str] = (), *, given: dict[str, Any]) -> None:
        """The scenario of a file, or of arguments."""
        if path is not None and given:
            raise UserError("Scenario(...): takes a file or arguments, not both")
        more = given.pop("changes", ())
        self._changes = (*changes, *more)
        self._calls: dict[str, str] = {}
        self._file = None if path is None else Path(path)
        self._built: Built | None = None if path is not None else build(given)
        if self._built is not None:
            self.check()

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes, as `--set` takes them."""
        return self._changes

    @property
    def path(self) -> Path:
        """Its file; of a scenario built in Python one that lasts as long as the program."""
        return self._file if self._file is not None else self._in_python.file()

    @property
    def name(self) -> str:
        """What its results are called: after its file, or as it was named."""
        return self._in_python.name if self._file is None else self._file.stem

    @property
    def text(self) -> str:
        """Its TOML, without the changes."""
        return self._in_python.text if self._file is None else text_of(self._file)

    @property
    def _in_python(self) -> Built:
        assert self._built is not None
        return self._built

    def as_dict(self) -> dict[str, Any]:
        """The arguments that build it: `Scenario(**scenario.as_dict())` gives the same results."""
        found = {"name": self.name} | keywords(tomllib.loads(self.text), self.path.parent)
        return found | ({"changes": self.changes} if self.changes else {})

    @cached_property
    def _said(self) -> tuple[object, ...]:
        """What two equal scenarios have in common: the document and the changes, not the name."""
        document = {key: value for key, value in self.as_dict().items() if key not in ("name", "changes")}
        return json.dumps(document, sort_keys=True, default=str), self.changes

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, whatever they are called."""
        return self._said == other._said if isinstance(other, Scenario) else NotImplemented

    def __hash__(self) -> int:
        """By what it says."""
        return hash(self._said)

    def __repr__(self) -> str:
        """Its file, or its kind and name; and the changes."""
        whole = f"Scenario({str(self._file)!r})" if self._file is not None else f"<Scenario {self._in_python.summary}>"
        changes = [change.partition("=") for change in self.changes]
        return whole + "".join(f".set({key!r}, {value!r})" for key, _, value in changes)

    def _changed(self, change: str, call: str) -> Self:
        changed = object.__new__(type(self))
        changed._file, changed._built = self._file, self._built
        changed._changes = (*self._changes, change)
        changed._calls = self._calls | {change: call}
        return changed

    def set(self, key: str, value: object) -> Self:
        """The scenario with one key changed: `.set("background.rate", "300 /s")`.

        `ScenarioError` where it can have no such key; the value is checked with those of all other changes.
        """
        change = assignment(key, value)
        self._refuse_unknown(key, change)
        return self._changed(change, f"scenario.set({key!r}, ...)")

    def check(self) -> None:
        """Raises `ScenarioError`, with every problem and its position, unless the scenario is valid."""
        with self._as_called():
            call("check", str(self.path), list(self.changes), False)

    def warnings(self) -> list[str]:
        """The rules of the trade that the scenario breaks, each with its source; `ScenarioError` unless it is valid."""
        with self._as_called():
            return list(call("warnings", str(self.path), list(self.changes)))

    def expanded(self) -> str:
        """The full form as TOML: every key with its value and where the value comes from."""
        with self._as_called():
            return str(call("check", str(self.path), list(self.changes), True))

    def document(self) -> dict[str, object] | None:
        """The document as written, the files that it names and the changes: all that simulates it anywhere.

        None where it has no stations to simulate.
        """
        with self._as_called():
            found: dict[str, object] | None = json.loads(call("document", str(self.path), list(self.changes)))
        return found

    def run(self, **options: Unpack[Options]) -> Results:
        """Simulates the scenario."""
        return results_of(self.computed("run", options, traces=True))

    def sweep(self, over: Mapping[str, str | Sequence[object]], **options: Unpack[Options]) -> Results:
        """Simulates the product of all axes: `.sweep({"background.rate": "50:500:50 /s"})` or a list of values."""
        axes = [_axis(key, values) for key, values in over.items()]
        return results_of(self.computed("sweep", options, over=axes, traces=True))

    def computed(self, command: str, options: Options, /, **more: object) -> Outcome:
        """The outcome of a command, recorded unless its options say otherwise."""
        given = {**calls.options(command, options, get_type_hints(Options)), **more}
        store = given.pop("store", True)
        with self._as_called(command, more):
            outcome = run_job(self.request(command, **given))
        if store:
            record_run(outcome, warnings.warn)
        return outcome

    def widget(self, keys: Sequence[str] = (), results: Results | None = None) -> Panel:
        """Sliders in a cell of a notebook, whose page simulates what is moved: beside it as written, or some results.

        `keys` are moved first; the others can be chosen. Needs the extra `notebook`; in marimo, `mo.ui.anywidget(...)`
        has other cells react to what is moved.
        """
        from sojourn.widget import Panel  # noqa: PLC0415

        with self._as_called():
            return Panel(self, keys, results)

    def _repr_html_(self) -> str:
        """What a notebook shows: title, question, requirements, changes, and the file."""
        from sojourn import notebook  # noqa: PLC0415

        return notebook.scenario(self.text, f"{self.name}.toml", self.changes)

    def _refuse_unknown(self, key: str, change: str) -> None:
        """Refuses a key that the scenario cannot have; whatever else is wrong is for its check to say."""
        file, changes = str(self.path), list(self.changes)
        found = _messages("parameter", file, changes, key)
        if not found or found[0]["message"].endswith("is not a number"):
            return  # a number, or another key that there is
        same = [one for one in _messages("check", file, [*changes, change]) if one["message"] == found[0]["message"]]
        if not same or same[0] in _messages("check", file, changes):
            return
        same[0] |= {"file": f"scenario.set({key!r}, ...)"}
        raise ScenarioError(calls.sentence(same[0]), same)

    def request(self, command: str, **options: object) -> dict[str, object]:
        """The request of a command with options of its own."""
        return {"command": command, "file": str(self.path), "set": list(self.changes), **options}

    def _as_called(self, command: str = "", more: Mapping[str, object] | None = None) -> AbstractContextManager[None]:
        """Names mistakes by the calls and arguments that made them."""
        changes = self._calls | _arguments(command, more or {})
        names = [calls.of_changes(changes), *([calls.of_option(command)] if command else [])]
        if self._built is not None:
            names += [self._built.named, calls.anywhere(f"{command or 'Scenario'}(...)")]
        return calls.named(calls.first_of(*names))


def _axis(key: str, values: object) -> str:
    """A key and the values that it takes."""
    if isinstance(values, bytes | Mapping) or not isinstance(values, Iterable):
        takes = 'takes a list of values or a text, as "50:500:50 /s"'
        raise UserError(f"sweep(over={{{key!r}: ...}}): {takes}, not {values!r}")
    return f"{key}={axis(values if isinstance(values, str) else list(values))}"


def _arguments(command: str, given: Mapping[str, object]) -> dict[str, str]:
    """The call of each text among the arguments of a command."""
    axes = given.get("over")
    listed = axes if isinstance(axes, list) else []
    found = {one: f"{command}(over={{{one.partition('=')[0]!r}: ...}})" for one in listed}
    return found | {
        text: f"{command}({name}=...)" for name, text in given.items() if name != "over" and isinstance(text, str)
    }


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


def results_of(outcome: Outcome) -> Results:
    """The results of a finished job; `RunFailed` where a point failed."""
    if outcome.failures:
        raise RunFailed("; ".join(str(failure["message"]) for failure in outcome.failures))
    if outcome.results is None:
        raise RunFailed("the run gave no results")
    outcome.results.verdicts = outcome.verdicts
    return outcome.results
