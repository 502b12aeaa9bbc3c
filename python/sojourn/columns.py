"""Columns beside `results.json`, a file of each kind: compressed CSV by the standard library, or Parquet by Polars.

Both have the same columns: experiment, a setting for each key that varies, those of the kind, and the metric.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.catalogue import Axis
from sojourn.errors import ResultsError
from sojourn.extras import has
from sojourn.point import Point

if TYPE_CHECKING:
    import polars

COLUMNS = {
    "samples": {"replication": "UInt32", "value": "Float64"},
    "histograms": {"from_s": "Float64", "to_s": "Float64", "count": "UInt64"},
    "traces": {"replication": "UInt32", "time_s": "Float64", "value": "Float64"},
}
"""The columns of each kind, with the name of their type in Polars."""
CSV, PARQUET = ".csv.gz", ".parquet"
ROWS = 50_000
"""Rows that are compressed at once."""
FAST = 1
"""Of compression: a tenth larger than usual, in a quarter of the time."""

Columns = dict[str, list[Any]]
Part = tuple[Point, str, Columns]
"""The columns of a metric in one point."""


def of_csv(folder: Path, axes: Mapping[str, Axis], kind: str) -> dict[tuple[str, ...], Columns]:
    """The columns of a kind by `key_of`; empty without the file."""
    file = folder / f"{kind}{CSV}"
    if not file.exists():
        return {}
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
            return _grouped(csv.reader(text), axes, kind)
    except (OSError, EOFError, ValueError, IndexError, zlib.error, csv.Error) as error:
        raise ResultsError(f"cannot read {file}: {error}") from None


def _grouped(rows: Iterator[list[str]], axes: Mapping[str, Axis], kind: str) -> dict[tuple[str, ...], Columns]:
    types, head = COLUMNS[kind], _head(axes, kind)
    if next(rows, None) != head:
        raise ValueError(f"its columns are not {', '.join(head)}")
    first, read = 1 + len(axes), [float if dtype == "Float64" else int for dtype in types.values()]
    found: dict[tuple[str, ...], list[list[Any]]] = {}
    for (metric, settings), part in groupby(rows, itemgetter(-1, slice(0, first))):
        columns = list(zip(*part, strict=True))[first:-1]
        kept = found.setdefault((metric, *settings), [[] for _ in types])
        for one, convert, cells in zip(kept, read, columns, strict=True):
            one.extend(map(convert, cells))
    return {key: dict(zip(types, parts, strict=True)) for key, parts in found.items()}


def _head(axes: Mapping[str, Axis], kind: str) -> list[str]:
    return ["experiment", *axes, *COLUMNS[kind], "metric"]


def key_of(point: Point, axes: Mapping[str, Axis], metric: str) -> tuple[str, ...]:
    """Metric, experiment and settings, as the rows of a file of CSV have them."""
    return (metric, point.experiment, *(_cell(point.set.get(key), axis) for key, axis in axes.items()))


def plain(value: Any) -> Any:
    """A setting as stored in its column: flags as words."""
    return str(value).lower() if isinstance(value, bool) else value


def _cell(value: Any, axis: Axis) -> str:
    """A setting as text: a number as Python writes a float, so that reading gives the same one."""
    if value is None:
        return ""
    return str(plain(value)) if axis.unit is None else repr(float(value))


def write(parts: Iterable[Part], axes: Mapping[str, Axis], folder: Path, kind: str) -> Path | None:
    """Writes the columns of a kind: Parquet where Polars is installed, else CSV. None without any."""
    file, other = (folder / f"{kind}{ending}" for ending in ((PARQUET, CSV) if has("polars") else (CSV, PARQUET)))
    other.unlink(missing_ok=True)  # of results that were here before
    of = iter(parts)
    first = next(of, None)
    if first is None:
        return None
    found = chain([first], of)
    if file.name.endswith(PARQUET):
        _parquet(found, axes, file, kind)
    else:
        with gzip.GzipFile(file, "wb", compresslevel=FAST, mtime=0) as packed:
            packed.writelines(text.encode() for text in _lines(found, axes, kind))
    return file


def _lines(parts: Iterable[Part], axes: Mapping[str, Axis], kind: str) -> Iterator[str]:
    """The text of a file, many rows at once: what is equal in the rows of a part is written as CSV once."""
    yield _row(_head(axes, kind)) + "\n"
    for point, metric, columns in parts:
        last, *first = key_of(point, axes, metric)
        begin, end = f"{_row(first)},", f",{_row([last])}\n"
        cells = zip(*(map(repr, columns[name]) for name in COLUMNS[kind]), strict=True)
        while rows := [begin + ",".join(row) + end for row in islice(cells, ROWS)]:
            yield "".join(rows)


def _row(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _parquet(parts: Iterable[Part], axes: Mapping[str, Axis], file: Path, kind: str) -> None:
    import polars as pl  # noqa: PLC0415

    frames = [
        frame_of(point, axes, columns, kind).with_columns(pl.lit(metric).alias("metric"))
        for point, metric, columns in parts
    ]
    pl.concat(frames).write_parquet(file)


def frame_of(point: Point, axes: Mapping[str, Axis], columns: Columns, kind: str) -> polars.DataFrame:
    """Columns in one point as a data frame, with experiment and settings."""
    import polars as pl  # noqa: PLC0415

    settings = [pl.lit(plain(point.set.get(key)), dtype=dtype).alias(key) for key, dtype in _axes(axes).items()]
    found = pl.DataFrame(columns, schema=_dtypes(kind))
    return found.select(pl.lit(point.experiment).alias("experiment"), *settings, *COLUMNS[kind])


def stored_frame(folder: Path, axes: Mapping[str, Axis], kind: str) -> polars.DataFrame:
    """A file of a kind as a data frame; an empty one without the file."""
    import polars as pl  # noqa: PLC0415

    file = folder / f"{kind}{PARQUET if is_parquet(folder, kind) else CSV}"
    if not file.exists():
        return empty_frame(axes, kind)
    try:
        return pl.read_parquet(file) if file.name.endswith(PARQUET) else pl.read_csv(file, schema=_schema(axes, kind))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ResultsError(f"cannot read {file}: {error}") from None


def is_parquet(folder: Path, kind: str) -> bool:
    """Whether a folder has columns of a kind as Parquet, which Polars alone reads."""
    return (folder / f"{kind}{PARQUET}").exists()


def at_point(rows: polars.DataFrame, point: Point) -> polars.DataFrame:
    """The rows that belong to one point."""
    import polars as pl  # noqa: PLC0415

    found = rows.filter(pl.col("experiment") == point.experiment)
    for key, value in point.set.items():
        found = found.filter(pl.col(key) == plain(value))
    return found


def empty_frame(axes: Mapping[str, Axis], kind: str) -> polars.DataFrame:
    """The columns of a kind without rows."""
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame(schema=_schema(axes, kind))


def _schema(axes: Mapping[str, Axis], kind: str) -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415

    return {"experiment": pl.String, **_axes(axes), **_dtypes(kind), "metric": pl.String}


def _axes(axes: Mapping[str, Axis]) -> dict[str, Any]:
    """The column type of every key that varies."""
    import polars as pl  # noqa: PLC0415

    return {key: pl.String if axis.unit is None else pl.Float64 for key, axis in axes.items()}


def _dtypes(kind: str) -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415

    return {name: getattr(pl, dtype) for name, dtype in COLUMNS[kind].items()}
