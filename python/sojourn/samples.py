"""Samples, histograms and traces behind the metrics, as columns.

A running job has them in memory; results on disk in Parquet files next to `results.json`, which the extra `report`
reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.catalogue import Axis
from sojourn.errors import ResultsError
from sojourn.extras import has, require
from sojourn.point import Point

if TYPE_CHECKING:
    import polars

KINDS = {"samples": "samples", "histograms": "histogram", "traces": "trace"}
"""The kinds of columns, each with the job's function that returns them."""
COLUMNS = {
    "samples": {"replication": "UInt32", "value": "Float64"},
    "histograms": {"from_s": "Float64", "to_s": "Float64", "count": "UInt64"},
    "traces": {"replication": "UInt32", "time_s": "Float64", "value": "Float64"},
}


@dataclass
class Samples:
    """The source of columns: a job in memory, a folder on disk, or none."""

    job: Any = None
    names: list[dict[str, list[str]]] = field(default_factory=list)
    """For each point of the job and each kind, the metrics with columns."""
    folder: Path | None = None

    @classmethod
    def of_job(cls, job: Any, points: list[dict[str, Any]]) -> Samples:
        """The columns of a finished job."""
        return cls(job=job, names=[{kind: list(point.get(kind) or ()) for kind in KINDS} for point in points])

    @classmethod
    def of_folder(cls, folder: Path) -> Samples:
        """The columns stored with results, if any; none without the extra that reads them."""
        return cls(folder=folder if has("polars") else None)

    def at(self, point: Point, axes: Mapping[str, Axis], metric: str, kind: str = "samples") -> dict[str, list[Any]]:
        """The columns of one kind and metric in one point as lists; empty ones without any."""
        if self.folder is not None:
            rows = at_point(self.frame([], axes, metric, kind), point)
            return rows.select(*COLUMNS[kind]).to_dict(as_series=False)
        if point.index < len(self.names) and metric in self.names[point.index][kind]:
            found: dict[str, list[Any]] = getattr(self.job, KINDS[kind])(point.index, metric)
            return found
        return {name: [] for name in COLUMNS[kind]}

    def frame(
        self, points: Sequence[Point], axes: Mapping[str, Axis], metric: str, kind: str = "samples"
    ) -> polars.DataFrame:
        """The columns of one kind and metric over all points, with experiment and settings; empty without any."""
        require("polars", "data frames")
        import polars as pl  # noqa: PLC0415

        if self.folder is not None:
            return (
                _stored(self.folder / f"{kind}.parquet", axes, kind).filter(pl.col("metric") == metric).drop("metric")
            )
        indices = [index for index, names in enumerate(self.names) if metric in names[kind]]
        frames = [self._of_point(points[index], axes, metric, kind) for index in indices]
        return pl.concat(frames) if frames else _empty(axes, kind).drop("metric")

    def metrics(self, kind: str) -> list[str]:
        """The metrics that have columns of one kind, in order."""
        if self.folder is None:
            return list(dict.fromkeys(name for names in self.names for name in names[kind]))
        return _stored(self.folder / f"{kind}.parquet", {}, kind)["metric"].unique(maintain_order=True).to_list()

    def write(self, points: Sequence[Point], axes: Mapping[str, Axis], folder: Path) -> list[Path]:
        """Writes every kind of columns of a job to its Parquet file."""
        require("polars", "stored samples")
        import polars as pl  # noqa: PLC0415

        written = []
        for kind in KINDS:
            frames = [
                self.frame(points, axes, metric, kind).with_columns(pl.lit(metric).alias("metric"))
                for metric in self.metrics(kind)
            ]
            if frames:
                written.append(folder / f"{kind}.parquet")
                pl.concat(frames).write_parquet(written[-1])
        return written

    def _of_point(self, point: Point, axes: Mapping[str, Axis], metric: str, kind: str) -> polars.DataFrame:
        import polars as pl  # noqa: PLC0415

        settings = [pl.lit(_plain(point.set.get(key)), dtype=dtype).alias(key) for key, dtype in _axes(axes).items()]
        columns = pl.DataFrame(getattr(self.job, KINDS[kind])(point.index, metric), schema=_dtypes(kind))
        return columns.select(pl.lit(point.experiment).alias("experiment"), *settings, *COLUMNS[kind])


def at_point(columns: polars.DataFrame, point: Point) -> polars.DataFrame:
    """The rows that belong to one point."""
    import polars as pl  # noqa: PLC0415

    rows = columns.filter(pl.col("experiment") == point.experiment)
    for key, value in point.set.items():
        rows = rows.filter(pl.col(key) == _plain(value))
    return rows


def _axes(axes: Mapping[str, Axis]) -> dict[str, Any]:
    """The column type of every key that varies."""
    import polars as pl  # noqa: PLC0415

    return {key: pl.String if axis.unit is None else pl.Float64 for key, axis in axes.items()}


def _plain(value: Any) -> Any:
    """A setting as stored in its column: flags as words."""
    return str(value).lower() if isinstance(value, bool) else value


def _dtypes(kind: str) -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415

    return {name: getattr(pl, dtype) for name, dtype in COLUMNS[kind].items()}


def _empty(axes: Mapping[str, Axis], kind: str) -> polars.DataFrame:
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame(schema={"experiment": pl.String, **_axes(axes), **_dtypes(kind), "metric": pl.String})


def _stored(file: Path, axes: Mapping[str, Axis], kind: str) -> polars.DataFrame:
    import polars as pl  # noqa: PLC0415

    if not file.exists():
        return _empty(axes, kind)
    try:
        return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ResultsError(f"cannot read {file}: {error}") from None
