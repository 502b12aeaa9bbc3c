"""The API for scripts and notebooks: run, sweep, find, advise and compare, and open stored results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from sojourn.advised import Advice
from sojourn.assignment import assignment
from sojourn.errors import RunFailed
from sojourn.results import Results, read_results
from sojourn.scenario import Options, Scenario, load, results_of
from sojourn.search import Search

if TYPE_CHECKING:
    from sojourn.comparison import Comparison


def run(scenario: Scenario | str | Path, **options: Unpack[Options]) -> Results:
    """Simulates a scenario or its file: `sojourn.run("site.toml", replications=10)`."""
    return _loaded(scenario).run(**options)


def sweep(
    scenario: Scenario | str | Path, over: Mapping[str, str | Sequence[object]], **options: Unpack[Options]
) -> Results:
    """Simulates the product of all axes: `sojourn.sweep("site.toml", {"background.rate": "50:500:50 /s"})`."""
    return _loaded(scenario).sweep(over, **options)


def find(
    scenario: Scenario | str | Path,
    vary: str | None = None,
    until: str | None = None,
    ask: str | None = None,
    **options: Unpack[Options],
) -> Search:
    """Finds up to which value of a key a condition holds; without arguments it answers the scenario's question.

    `sojourn.find("site.toml", "background.rate=50:500 /s", "response_time.p99 < 100 ms")`
    """
    outcome = _loaded(scenario).computed("find", options, vary=vary, until=until, ask=ask)
    results = results_of(outcome)
    if outcome.answer is None:
        raise RunFailed("the search gave no answer")
    return Search(outcome.answer, results)


def advise(  # noqa: PLR0913
    scenario: Scenario | str | Path,
    changes: Mapping[str, Mapping[str, object]] | None = None,
    *,
    by: str | None = None,
    until: str | None = None,
    indifference: str | None = None,
    combine: int | None = None,
    **options: Unpack[Options],
) -> Advice:
    """Compares changes of a scenario with each other and with the scenario as it is, and selects the best.

    `sojourn.advise("site.toml", {"priority": {"flow.alarm.priority": True}}, until="response_time.p99 < 20 ms")`
    """
    given = [
        f"{name}: {', '.join(assignment(key, value) for key, value in keys.items())}"
        for name, keys in (changes or {}).items()
    ]
    asked: dict[str, object] = {"by": by, "until": until, "indifference": indifference, "combine": combine}
    outcome = _loaded(scenario).computed("advise", options, **asked, options=given)
    results = results_of(outcome)
    return Advice(results.raw["advice"], results)


def compare(
    first: Results | str | Path,
    second: Results | str | Path,
    *,
    tolerance: float = 0.0,
    metrics: list[str] | None = None,
    members: bool = False,
) -> Comparison:
    """Compares two results or their folders: the probe's response time first, then what else differs.

    Results of one seed are paired by replication. `members` adds the members of metrics, as one for each station.
    """
    from sojourn.comparison import compare_results  # noqa: PLC0415

    both = [results if isinstance(results, Results) else read_results(results) for results in (first, second)]
    return compare_results(both[0], both[1], tolerance=tolerance, metrics=metrics, members=members)


def open(folder: str | Path) -> Results:
    """Opens results that `--out` or `out=` wrote: a folder, or its `results.json`."""
    return read_results(folder)


def _loaded(scenario: Scenario | str | Path) -> Scenario:
    return scenario if isinstance(scenario, Scenario) else load(scenario)
