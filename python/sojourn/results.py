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

from sojourn import catalogue, phrases
from sojourn.bindings import network
from sojourn.catalogue import Axis
from sojourn.errors import ResultsError, UnknownName
from sojourn.extras import require
from sojourn.point import QUANTILES, Interval, Metric, Point
from sojourn.reading import json_of, text_of
from sojourn.samples import Samples

if TYPE_CHECKING:
    import polars

__all__ = ["QUANTILES", "Interval", "Metric", "Point", "Results", "Samples", "read_results"]

SCHEMA = 1
_NUMBERS = ("count", "sent", "min", "min_mean", "max", "max_mean", "p50", "p90", "p95", "p99", "p999", "sd")
_BUDGET = ("share", "slowest_mean", "slowest_share")


MOST_SHOWN = 12
"""Most points that a notebook shows of results."""


@dataclass(repr=False)
class Results:
    """All points of a run, a sweep or a study."""

    raw: dict[str, Any]
    sampled: Samples = field(default_factory=Samples)
    provenance: dict[str, Any] = field(default_factory=dict)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    """The verdict of each condition of `[expect]`: text, verdict, value, interval; empty where they are not known."""

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
        declared = catalogue.axes(str(self.raw.get("network") or ""), units)
        values = {
            key: [found for point in self.raw["points"] if (found := point["set"].get(key)) is not None]
            for key in units
        }
        return {key: phrases.distinguished(axis, values[key]) for key, axis in declared.items()}

    @property
    def at_most(self) -> str:
        """What stands before the length of a replication: "at most " where it ends with its probes, else nothing."""
        return "at most " if network(str(self.raw.get("network"))).get("ends_with_its_probes") else ""

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

    def __repr__(self) -> str:
        """One screen: what was run, and the response time of the first points."""
        raw = self.raw
        several = "point" if len(self) == 1 else "points"
        what = f"{raw.get('network')}, {raw.get('world')}, seed {raw.get('seed')}"
        lines = [f"{raw.get('study')} ({what}): {len(self)} {several}"]
        for point in self.points[:MOST_SHOWN]:
            settings = ", ".join(f"{key} = {value}" for key, value in point.set.items()) or point.experiment
            time = point.metrics.get("response_time")
            lines.append(f"  {settings}: {len(point.metrics)} metrics" + (f"; {time!r}" if time is not None else ""))
        if len(self) > MOST_SHOWN:
            lines.append(f"  and {len(self) - MOST_SHOWN} more")
        return "\n".join([*lines, "  .frame() has all of them, .points one by one, sojourn.chart(results) draws"])

    def _repr_html_(self) -> str:
        """What a notebook shows: the requirements and whether they are met, and the first table."""
        from sojourn import notebook  # noqa: PLC0415

        return notebook.results(self)

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

    def rows(self) -> list[dict[str, Any]]:
        """One row per point and metric: the settings, the central value with its interval, and the distribution."""
        return [_row(point, metric, self.axes) for point in self.points for metric in point.metrics.values()]

    def frame(self) -> polars.DataFrame:
        """The rows as a data frame."""
        require("polars", "data frames")
        import polars as pl  # noqa: PLC0415

        rows = self.rows()
        numbers = {name: pl.Float64 for name in (rows[0] if rows else {}) if name.endswith(("_low", "_high"))}
        return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=numbers | {"not_reached": pl.String})

    def samples(self, metric: str = "response_time", *, flows: bool = False) -> polars.DataFrame:
        """The individual samples of a metric: experiment, settings, replication, value in SI units.

        A point with more samples than are stored has none here; its `histogram` has all of them. The samples of one
        probed flow are those of its member, as `response_time/alarm`; `flows` gives all of them, with a column `flow`.
        `requests` has when each was sent, by which station, and what became of it; `trace` that of a measurement.
        """
        if not flows:
            return self.sampled.frame(self.points, self.axes, metric)
        require("polars", "data frames")
        import polars as pl  # noqa: PLC0415

        members = dict.fromkeys(member for point in self.points for member in point.members(metric))
        frames = [
            self.sampled.frame(self.points, self.axes, f"{metric}/{member}").with_columns(flow=pl.lit(member))
            for member in members
        ]
        empty = self.sampled.frame(self.points, self.axes, metric).clear().with_columns(flow=pl.lit("").cast(pl.String))
        return pl.concat(frames) if frames else empty

    def requests(self) -> polars.DataFrame:
        """Every request of the probed flows in the first replication, in the order of sending.

        Experiment, settings, replication, time sent in seconds, response time in seconds, flow, sending station, and
        outcome: "delivered", or "failed" with a response time of null. Those still open at the end are left out.
        Empty for a measurement, and for results of `find` or of a version that kept none.
        """
        require("polars", "data frames")
        import polars as pl  # noqa: PLC0415

        found = [
            self.sampled.frame(self.points, self.axes, name, "traces").with_columns(
                flow=pl.lit(flow), station=pl.lit(station)
            )
            for name in self.sampled.metrics("traces", self.axes)
            if name.startswith("requests/")
            for _, flow, station in [name.split("/", 2)]
        ]
        empty = self.sampled.frame(self.points, self.axes, "requests", "traces").with_columns(
            flow=pl.lit(""), station=pl.lit("")
        )
        failed = pl.col("value").is_infinite()
        return (
            pl.concat([empty, *found])
            .with_columns(outcome=pl.when(failed).then(pl.lit("failed")).otherwise(pl.lit("delivered")))
            .with_columns(value=pl.when(failed).then(None).otherwise(pl.col("value")))
            .sort("experiment", *self.axes, "replication", "time_s")
        )

    def histogram(self, metric: str = "response_time") -> polars.DataFrame:
        """The histogram of all samples of a metric: experiment, settings, bin from and to in seconds, count."""
        return self.sampled.frame(self.points, self.axes, metric, "histograms")

    def columns_at(self, point: Point, metric: str, kind: str = "samples") -> dict[str, list[Any]]:
        """The samples, histogram (`"histograms"`) or trace (`"traces"`) of a metric in one point, as lists."""
        return self.sampled.at(point, self.axes, metric, kind)

    def trace(self, metric: str) -> polars.DataFrame:
        """The time series of a traced level: experiment, settings, replication, time in seconds, value."""
        return self.sampled.frame(self.points, self.axes, metric, "traces")


def read_results(path: str | Path) -> Results:
    """Reads results from a `results.json` or from its folder, including the samples."""
    place = Path(path)
    file = place / "results.json" if place.is_dir() else place
    found = Results.parse(text_of(file), Samples.of_folder(file.parent), _provenance(file.parent), str(file))
    verdicts = json_of(file.parent / "verdicts.json", [])
    found.verdicts = verdicts if isinstance(verdicts, list) else []
    return found


def _provenance(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json_of(folder / "provenance.json", {})
    return found


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
