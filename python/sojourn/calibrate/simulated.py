"""The scenario as a function from parameter values to the measured quantities."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sojourn import phrases
from sojourn.calibrate.captured import captured
from sojourn.calibrate.parameter import Parameter, setting
from sojourn.errors import ResultsError, RunFailed, UnknownName
from sojourn.jobs import Progress, run_job
from sojourn.reference import Published
from sojourn.results import Metric, Point, Results
from sojourn.scenario import Scenario

NORMAL_95 = 1.959964
"""Half-width of an interval of 95 % in standard deviations of a normal distribution."""


@dataclass
class Batch:
    """Measured points simulated by one sweep: they differ in at most one key."""

    fixed: tuple[tuple[str, str], ...]
    """Common settings, in scenario syntax."""
    swept: dict[float | str, str] = field(default_factory=dict)
    """The values of the swept key, as measured and in scenario syntax."""


@dataclass
class Simulated:
    """Simulates all measured points for given parameter values."""

    scenario: Scenario
    parameters: Sequence[Parameter]
    measured: Sequence[Published]
    options: dict[str, object]
    """Options of the jobs: seed, replications, jobs."""
    watch: Callable[[Progress], None] | None = None
    in_captures: bool = False
    """Whether the points are of a capture, and found in captures of the simulation as well."""
    network: str = ""
    """The kind of network, known after the first evaluation."""

    def __post_init__(self) -> None:
        """Groups the points into the fewest sweeps over one key."""
        values: dict[str, dict[float | str, None]] = {}
        for row in self.measured:
            for key, value in row.set.items():
                values.setdefault(key, {})[value] = None
        self.key = max(values, key=lambda key: len(values[key]), default=None)
        settings = {(key, value): setting(self.scenario, key, value) for key in values for value in values[key]}
        texts = {of: text for of, (text, _) in settings.items()}
        self.units = {key: unit for (key, _), (_, unit) in settings.items()}
        batches: dict[tuple[tuple[str, str], ...], Batch] = {}
        self._batch_of = []
        for row in self.measured:
            fixed = tuple((key, texts[key, value]) for key, value in row.set.items() if key != self.key)
            batch = batches.setdefault(fixed, Batch(fixed))
            if self.key in row.set:
                batch.swept[row.set[self.key]] = texts[self.key, row.set[self.key]]
            self._batch_of.append(batch)
        self.batches = list(batches.values())

    def __call__(self, values: Sequence[float]) -> list[float]:
        """The model's numbers in the order of the measured ones."""
        return [self._found(row, found) for row, found in zip(self.measured, self._results(values), strict=True)]

    def spreads(self, values: Sequence[float]) -> list[float]:
        """The standard deviation of measuring each point once, relative to it.

        It is that of one replication, or what the point states, half of an interval of 95 %, if that is larger.
        """
        return [
            max(
                row.uncertainty / NORMAL_95 / abs(row.value),
                _spread(row, next(one for one in found[0] if _is_of(one, row))),
            )
            for row, found in zip(self.measured, self._results(values), strict=True)
        ]

    def _results(self, values: Sequence[float]) -> list[list[Results]]:
        """The results that have each of the points."""
        scenario = self.scenario
        for parameter, value in zip(self.parameters, values, strict=True):
            scenario = scenario.set(parameter.key, parameter.text(value))
        results = {id(batch): self._run(scenario, batch) for batch in self.batches}
        return [results[id(batch)] for batch in self._batch_of]

    def _run(self, scenario: Scenario, batch: Batch) -> list[Results]:
        """The results of a batch: of one job, or of each capture."""
        if self.in_captures:
            analysed = captured(scenario, self.options, self.watch)
            self.network = str(analysed[0].raw["network"])
            return analysed
        for key, text in batch.fixed:
            scenario = scenario.set(key, text)
        over = [f"{self.key}={','.join(batch.swept.values())}"] if batch.swept else []
        outcome = run_job(scenario.request("sweep" if over else "run", over=over, **self.options), self.watch)
        if outcome.failures:
            raise RunFailed("; ".join(str(failure["message"]) for failure in outcome.failures))
        assert outcome.results is not None
        self.network = str(outcome.results.raw["network"])
        return [outcome.results]

    def _found(self, row: Published, results: list[Results]) -> float:
        """The model's number: the mean over captures."""
        return sum(self._found_in(row, each) for each in results) / len(results)

    def _found_in(self, row: Published, results: Results) -> float:
        point = next(point for point in results.points if _is_of(point, row))
        if row.metric not in point.metrics:
            raise UnknownName(f"{row.where}: the scenario does not produce {row.metric!r}{_nearest(row.metric, point)}")
        metric = point.metrics[row.metric]
        if metric.unit != row.unit:
            raise ResultsError(f"{row.where}, column unit: {row.metric} is in {metric.unit}, not in {row.unit!r}")
        number = metric.field(row.field)
        if number is None:
            if row.field not in metric.raw:
                fields = ", ".join(name for name, value in metric.raw.items() if _is_number(value))
                raise UnknownName(f"{row.where}: {row.metric} has no field {row.field!r}; it has {fields}")
            at = phrases.settings(row.set, results.axes)
            raise RunFailed(f"{row.where}: no observation of {row.metric} at {at}{_why_not(metric, row)}")
        return number


def _spread(row: Published, point: Point) -> float:
    """The standard deviation of one replication, relative to the value."""
    metric = point.metrics[row.metric]
    each = (metric.raw.get("by_replication") or {}).get(row.field) or []
    known = [float(value) for value in each if value is not None]
    return statistics.stdev(known) / abs(row.value) if len(known) > 1 else 0.0


def _why_not(metric: Metric, row: Published) -> str:
    failed = metric.raw.get("sent", 0) - metric.raw.get("count", 0)
    return f": {failed} failed, so that {row.field} is not reached; leave it out with --metric" if failed else ""


def _is_of(point: Point, row: Published) -> bool:
    return all(row.set.get(key) == value for key, value in point.set.items())


def _nearest(name: str, point: Point) -> str:
    import difflib  # noqa: PLC0415

    near = difflib.get_close_matches(name, point.metrics, n=1)
    return f"; did you mean {near[0]}?" if near else f"; it produces {', '.join(point.metrics)}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
