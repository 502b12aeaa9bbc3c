"""The single samples behind the distributions, from a running job or from `samples.parquet` beside the results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.errors import ResultsError

if TYPE_CHECKING:
    import polars

    from sojourn.results import Results

FILE_NAME = "samples.parquet"


@dataclass
class Samples:
    """Where samples can be had: a job in memory, a folder on disk, or nowhere."""

    job: Any = None
    names: tuple[tuple[str, ...], ...] = ()
    """The sampled metrics of each point of the job."""
    folder: Path | None = None

    @classmethod
    def of_job(cls, job: Any, points: list[dict[str, Any]]) -> Samples:
        """The samples that a finished job holds."""
        return cls(job=job, names=tuple(tuple(point.get("samples") or ()) for point in points))

    @classmethod
    def of_folder(cls, folder: Path) -> Samples:
        """The samples written beside results, if they were."""
        return cls(folder=folder if (folder / FILE_NAME).exists() else None)

    def metrics(self) -> list[str]:
        """The metrics that samples are kept of."""
        if self.folder is not None:
            return [str(name) for name in self._stored()["metric"].unique(maintain_order=True)]
        return list(dict.fromkeys(name for point in self.names for name in point))

    def frame(self, results: Results, metric: str) -> polars.DataFrame:
        """All samples of one metric; empty where none are kept."""
        import polars as pl  # noqa: PLC0415

        if self.folder is not None:
            return self._stored().filter(pl.col("metric") == metric).drop("metric")
        frames = [self._of_point(results, index, metric) for index, names in enumerate(self.names) if metric in names]
        empty = pl.DataFrame(schema={"experiment": pl.String, "replication": pl.UInt32, "value": pl.Float64})
        return pl.concat(frames, how="vertical_relaxed") if frames else empty

    def write(self, results: Results, folder: Path) -> Path | None:
        """Writes all samples of a job to `samples.parquet`; None where the job kept none."""
        import polars as pl  # noqa: PLC0415

        frames = [self.frame(results, metric).with_columns(pl.lit(metric).alias("metric")) for metric in self.metrics()]
        if not frames:
            return None
        path = folder / FILE_NAME
        pl.concat(frames, how="diagonal_relaxed").write_parquet(path)
        return path

    def _of_point(self, results: Results, index: int, metric: str) -> polars.DataFrame:
        import polars as pl  # noqa: PLC0415

        point = results.points[index]
        settings = [
            pl.lit(point.set.get(key), dtype=pl.String if unit is None else pl.Float64).alias(key)
            for key, unit in results.axes.items()
        ]
        columns = pl.DataFrame(self.job.samples(index, metric))
        return columns.select(pl.lit(point.experiment).alias("experiment"), *settings, "replication", "value")

    def _stored(self) -> polars.DataFrame:
        import polars as pl  # noqa: PLC0415

        assert self.folder is not None
        try:
            return pl.read_parquet(self.folder / FILE_NAME)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise ResultsError(f"cannot read {self.folder / FILE_NAME}: {error}") from None
