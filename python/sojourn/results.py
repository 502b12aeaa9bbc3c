"""Results of a run, a sweep, a study or a measurement, read from `results.json` or taken from a job.

A point is one setting of a scenario, with its metrics by name. Values are in SI units.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import catalogue
from sojourn.catalogue import Axis, budget_order
from sojourn.errors import ResultsError, UnknownName
from sojourn.samples import Samples
from sojourn.units import is_share

if TYPE_CHECKING:
    import altair
    import polars

__all__ = ["Metric", "Point", "Results", "Samples", "read_results"]

SCHEMA = 1
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
"""The quantiles of a distribution, and the share of samples at or below each."""
Interval = tuple[float, float | None]
"""The ends of a 95 % confidence interval; an upper end that the samples do not bound is None."""
_NUMBERS = ("count", "sent", "min", "min_mean", "max", "max_mean", "p50", "p90", "p99", "p999", "sd")
_BUDGET = ("share", "slowest_mean", "slowest_share")


@dataclass(frozen=True)
class Metric:
    """One metric of one point. A field that the shape does not have, or that does not apply, is None."""

    name: str
    raw: dict[str, Any]

    @property
    def unit(self) -> str:
        """The SI unit; "1" for counts and shares."""
        return str(self.raw.get("unit", "1"))

    def field(self, name: str) -> float | None:
        """A number of the metric, as "mean", "p99" or "value"."""
        value = self.raw.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def mean(self) -> float | None:
        """The central value: the mean of a distribution or a level, the value of a scalar."""
        return self.field("mean" if "mean" in self.raw else "value")

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of `mean`; None with fewer than two replications."""
        return self.interval_of("mean")

    def interval_of(self, name: str) -> Interval | None:
        """The 95 % confidence interval of a mean, a value or a quantile; None if it has none."""
        key = f"{name}_ci95" if name in QUANTILES else "ci95" if name in ("mean", "value") else ""
        found = self.raw.get(key)
        return None if found is None else (float(found[0] or 0.0), None if found[1] is None else float(found[1]))

    @property
    def sent(self) -> int | None:
        """Messages sent by the probed flow, delivered or not; None where that is not recorded."""
        sent = self.raw.get("sent")
        return None if sent is None else int(sent)

    @property
    def failed_share(self) -> float:
        """The share of sent messages without a sample: failed, or unanswered at the end of the run."""
        delivered = self.field("count") or 0.0
        return 1 - delivered / self.sent if self.sent else 0.0

    @property
    def not_reached(self) -> list[str]:
        """Quantiles that are larger than any time-out, because more than their share of messages failed."""
        return list(self.raw.get("not_reached") or [])

    @property
    def is_count(self) -> bool:
        """Whether its value is the total over all replications, as of `failures`."""
        values = [value for value in (self.raw.get("by_replication") or {}).get("value") or [] if value is not None]
        whole = bool(values) and self.unit == "1" and all(value == int(value) for value in values)
        return whole and sum(values) == self.mean and not is_share(self.name)

    def by_replication(self, name: str | None = None) -> list[float] | None:
        """One value per replication, in order, of a field or of the central value; None if any is missing."""
        values = self.each_replication(name)
        return [value for value in values if value is not None] if values and None not in values else None

    def each_replication(self, name: str | None = None) -> list[float | None]:
        """One value per replication, in order, of a field or of the central value; None where it has none."""
        central = "mean" if "mean" in self.raw else "value"
        return list((self.raw.get("by_replication") or {}).get(name or central) or [])

    @property
    def weak(self) -> list[str]:
        """Quantiles with fewer than ten samples beyond them."""
        return list(self.raw.get("weak") or [])

    @property
    def applies(self) -> bool:
        """Whether anything was observed."""
        return self.mean is not None

    @property
    def undelivered(self) -> bool:
        """Whether it is the time of a flow of which nothing was delivered."""
        return self.mean is None and bool(self.sent)

    @property
    def is_distribution(self) -> bool:
        """Whether it has quantiles."""
        return "p50" in self.raw


@dataclass(frozen=True)
class Point:
    """One setting of the keys that vary, and its metrics."""

    raw: dict[str, Any]
    index: int = 0

    @property
    def experiment(self) -> str:
        """The experiment's id, with `+variant` for a sensitivity run."""
        return str(self.raw["experiment"])

    @property
    def set(self) -> dict[str, Any]:
        """The values of the keys that vary: numbers in SI units, words as in the scenario."""
        return dict(self.raw["set"])

    @property
    def key(self) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Experiment and settings, unique among all points."""
        return self.experiment, tuple(sorted(self.set.items()))

    @property
    def metrics(self) -> dict[str, Metric]:
        """All metrics by name."""
        return {name: Metric(name, raw) for name, raw in self.raw["metrics"].items()}

    def get(self, name: str) -> Metric | None:
        """One metric, or None if it was not observed or does not apply."""
        raw = self.raw["metrics"].get(name)
        metric = Metric(name, raw) if raw is not None else None
        return metric if metric is not None and metric.applies else None

    def __getitem__(self, name: str) -> Metric:
        """One metric; `UnknownName` if the point has none of that name."""
        raw = self.raw["metrics"].get(name)
        if raw is None:
            raise UnknownName(f"no metric {name!r} here; there are {', '.join(self.raw['metrics'])}")
        return Metric(name, raw)

    def members(self, name: str) -> dict[str, Metric]:
        """The members of a metric that apply here, as one per medium or station, by member name."""
        prefix = f"{name}/"
        return {
            full.removeprefix(prefix): metric
            for full, metric in self.metrics.items()
            if full.startswith(prefix) and metric.applies
        }

    @property
    def components(self) -> list[str]:
        """The components of the delay budget, from sender to receiver."""
        names = [name.split("/", 1)[1] for name in self.raw["metrics"] if name.startswith("delay_budget/")]
        return sorted(names, key=budget_order)


@dataclass
class Results:
    """All points of a run, a sweep or a study."""

    raw: dict[str, Any]
    sampled: Samples = field(default_factory=Samples)
    provenance: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(
        cls, text: str, samples: Samples | None = None, provenance: dict[str, Any] | None = None, name: str = "results"
    ) -> Results:
        """Reads the text of a `results.json`."""
        try:
            raw = json.loads(text)
        except json.JSONDecodeError as error:
            raise ResultsError(f"{name} is not JSON: {error}") from None
        if not isinstance(raw, dict) or raw.get("schema") != SCHEMA or not isinstance(raw.get("points"), list):
            raise ResultsError(f"{name} has no results of schema {SCHEMA}")
        return cls(raw, samples or Samples(), provenance or {})

    @cached_property
    def points(self) -> list[Point]:
        """The points in the order of the plan."""
        return [Point(raw, index) for index, raw in enumerate(self.raw["points"])]

    @cached_property
    def axes(self) -> dict[str, Axis]:
        """The keys that vary, with SI unit and label; a key of words has unit None."""
        units = {key: axis.get("unit") for key, axis in self.raw["axes"].items()}
        return catalogue.axes(str(self.raw.get("network") or ""), units)

    @property
    def experiments(self) -> list[str]:
        """The ids of the experiments, in order."""
        return list(dict.fromkeys(point.experiment for point in self.points))

    def select(self, experiment: str, **settings: Any) -> list[Point]:
        """The points of one experiment, optionally those with these settings (dots written as double underscores)."""
        wanted = {key.replace("__", "."): value for key, value in settings.items()}
        return [
            point
            for point in self.points
            if point.experiment == experiment and all(point.set.get(key) == value for key, value in wanted.items())
        ]

    def __len__(self) -> int:
        """The number of points."""
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        """The points in order."""
        return iter(self.points)

    def __getitem__(self, name: str) -> Metric:
        """A metric of the only point; `UnknownName` if there are several points."""
        if len(self.points) != 1:
            raise UnknownName(f"there are {len(self.points)} points: take one of them, as results.points[0][{name!r}]")
        return self.points[0][name]

    def frame(self) -> polars.DataFrame:
        """One row per point and metric: the settings, the central value with its interval, and the distribution."""
        import polars as pl  # noqa: PLC0415

        rows = [_row(point, metric, self.axes) for point in self.points for metric in point.metrics.values()]
        return pl.DataFrame(rows, infer_schema_length=None)

    def samples(self, metric: str = "response_time") -> polars.DataFrame:
        """The individual samples of a metric: experiment, settings, replication, value in SI units.

        A point with more samples than are stored has none here; its `histogram` has all of them.
        """
        return self.sampled.frame(self, metric)

    def histogram(self, metric: str = "response_time") -> polars.DataFrame:
        """The histogram of all samples of a metric: experiment, settings, bin from and to in seconds, count."""
        return self.sampled.frame(self, metric, "histograms")

    def trace(self, metric: str) -> polars.DataFrame:
        """The time series of a traced level: experiment, settings, replication, time in seconds, value."""
        return self.sampled.frame(self, metric, "traces")

    def chart(self, kind: str | None = None, **options: Any) -> altair.TopLevelMixin:
        """A figure of these results, of a suitable kind by default."""
        from sojourn.figures import draw, suitable  # noqa: PLC0415

        return draw(suitable(self, kind, options), self)


def read_results(path: str | Path) -> Results:
    """Reads results from a `results.json` or from its folder, including the samples."""
    place = Path(path)
    file = place / "results.json" if place.is_dir() else place
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultsError(f"{file} is not a text file") from None
    return Results.parse(text, Samples.of_folder(file.parent), _provenance(file.parent), str(file))


def _provenance(folder: Path) -> dict[str, Any]:
    file = folder / "provenance.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _row(point: Point, metric: Metric, axes: dict[str, Axis]) -> dict[str, Any]:
    settings = {key: point.set.get(key) for key in axes}
    row: dict[str, Any] = {"experiment": point.experiment, **settings, "metric": metric.name, "unit": metric.unit}
    row |= {"value": metric.mean} | _ends("ci95", metric.interval)
    row |= {name: metric.field(name) for name in (*_NUMBERS, *_BUDGET)}
    for name in QUANTILES:
        row |= _ends(f"{name}_ci95", metric.interval_of(name))
    return row | {"not_reached": " ".join(metric.not_reached) or None}


def _ends(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}
