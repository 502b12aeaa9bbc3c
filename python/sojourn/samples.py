"""Samples, histograms and traces behind the metrics, as columns.

A running job has them in memory; results on disk in files next to `results.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import columns
from sojourn.catalogue import Axis
from sojourn.columns import COLUMNS
from sojourn.extras import has, require
from sojourn.point import Point

if TYPE_CHECKING:
    import polars

KINDS = {"samples": "samples", "histograms": "histogram", "traces": "trace"}
"""The kinds of columns, each with the job's function that returns them."""


@dataclass
class Samples:
    """The source of columns: a job in memory, a folder on disk, or none."""

    job: Any = None
    names: list[dict[str, list[str]]] = field(default_factory=list)
    """For each point of the job and each kind, the metrics with columns."""
    folder: Path | None = None
    _read: dict[str, dict[tuple[str, ...], columns.Columns]] = field(default_factory=dict, repr=False)
    """What was read of the folder, by kind."""

    @classmethod
    def of_job(cls, job: Any, points: list[dict[str, Any]]) -> Samples:
        """The columns of a finished job."""
        return cls(job=job, names=[{kind: list(point.get(kind) or ()) for kind in KINDS} for point in points])

    @classmethod
    def of_folder(cls, folder: Path) -> Samples:
        """The columns stored with results, if any."""
        return cls(folder=folder)

    def at(self, point: Point, axes: Mapping[str, Axis], metric: str, kind: str = "samples") -> columns.Columns:
        """The columns of one kind and metric in one point as lists; empty ones without any, and of Parquet without
        Polars, which reads it."""
        if self.folder is not None:
            found = self._stored(point, axes, metric, kind)
            return found or {name: [] for name in COLUMNS[kind]}
        if point.index < len(self.names) and metric in self.names[point.index][kind]:
            return self._of_job(point, metric, kind)
        return {name: [] for name in COLUMNS[kind]}

    def frame(
        self, points: Sequence[Point], axes: Mapping[str, Axis], metric: str, kind: str = "samples"
    ) -> polars.DataFrame:
        """The columns of one kind and metric over all points, with experiment and settings; empty without any."""
        require("polars", "data frames")
        import polars as pl  # noqa: PLC0415

        if self.folder is not None:
            stored = columns.stored_frame(self.folder, axes, kind)
            return stored.filter(pl.col("metric") == metric).drop("metric")
        frames = [columns.frame_of(point, axes, found, kind) for point, found in self._parts(points, metric, kind)]
        return pl.concat(frames) if frames else columns.empty_frame(axes, kind).drop("metric")

    def metrics(self, kind: str, axes: Mapping[str, Axis]) -> list[str]:
        """The metrics that have columns of one kind, in order."""
        if self.folder is None:
            return list(dict.fromkeys(name for names in self.names for name in names[kind]))
        if columns.is_parquet(self.folder, kind) and has("polars"):
            stored = columns.stored_frame(self.folder, axes, kind)
            return stored["metric"].unique(maintain_order=True).to_list()
        return list(dict.fromkeys(name for name, *_ in self._of_csv(kind, axes)))

    def write(self, points: Sequence[Point], axes: Mapping[str, Axis], folder: Path) -> list[Path]:
        """Writes every kind of columns of a job to its file."""
        written = []
        for kind in KINDS:
            parts = (
                (point, metric, found)
                for metric in self.metrics(kind, axes)
                for point, found in self._parts(points, metric, kind)
            )
            file = columns.write(parts, axes, folder, kind)
            written += [file] if file is not None else []
        return written

    def _parts(self, points: Sequence[Point], metric: str, kind: str) -> Iterator[tuple[Point, columns.Columns]]:
        """The columns of a metric in each point of the job that has them."""
        for index, names in enumerate(self.names):
            if metric in names[kind]:
                yield points[index], self._of_job(points[index], metric, kind)

    def _of_job(self, point: Point, metric: str, kind: str) -> columns.Columns:
        found: columns.Columns = getattr(self.job, KINDS[kind])(point.index, metric)
        return found

    def _stored(self, point: Point, axes: Mapping[str, Axis], metric: str, kind: str) -> columns.Columns | None:
        assert self.folder is not None
        if columns.is_parquet(self.folder, kind):
            if not has("polars"):
                return None
            rows = columns.at_point(self.frame([], axes, metric, kind), point)
            return rows.select(*COLUMNS[kind]).to_dict(as_series=False)
        return self._of_csv(kind, axes).get(columns.key_of(point, axes, metric))

    def _of_csv(self, kind: str, axes: Mapping[str, Axis]) -> dict[tuple[str, ...], columns.Columns]:
        assert self.folder is not None
        if kind not in self._read:
            self._read[kind] = columns.of_csv(self.folder, axes, kind)
        return self._read[kind]
