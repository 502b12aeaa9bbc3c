"""Published numbers: CSV files with experiment, settings in SI, metric, field, value, unit, uncertainty and role, and
optionally a note, a relative tolerance, and whether they were withheld until the study's predictions had been scored.

Lines that begin with `#` are the citation. An empty setting means "over all values of that key"; the field is then
`largest` or `smallest`. A field may also be computed: `second_cluster` from samples, `share` of a member in the whole
metric.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from sojourn.errors import ResultsError
from sojourn.point import Metric
from sojourn.results import Point, Results, read_results

CLUSTER_BIN_S = 0.015
_FIXED = ("experiment", "metric", "field", "value", "unit", "uncertainty", "role")
_OPTIONAL = ("note", "tolerance", "scored_blind")
ROLES = ("calibration", "prediction")


@dataclass(frozen=True)
class Published:
    """One published number and its reading uncertainty, in SI units."""

    experiment: str
    set: dict[str, Any]
    metric: str
    field: str
    value: float
    unit: str
    uncertainty: float
    role: str
    source: str
    """Folder and file, as `bulletin/light.csv`."""
    line: int = 0
    note: str = ""
    """What a reader of the comparison is to know of the row; an optional column."""
    tolerance: float | None = None
    """Relative deviation up to which a result agrees, where the row states its own; an optional column."""
    scored_blind: bool = False
    """Whether the number was withheld until the frozen predictions of the study had been scored; an optional column."""
    predicted: float | None = None
    """What the frozen predictions hold, for a number that was scored blind."""

    @property
    def where(self) -> str:
        """File and line, for messages; a folder of results has no lines."""
        return f"{self.source}, line {self.line}" if self.line else self.source

    def covers(self, point: Point) -> bool:
        """Whether the number applies to this point."""
        return point.experiment == self.experiment and all(
            point.set.get(key) == value for key, value in self.set.items()
        )

    def found_in(self, results: Results) -> float | None:
        """The corresponding value in results; None if they do not have it."""
        points = [point for point in results.points if self.covers(point)]
        if not points:
            return None
        if self.field in _OVER_POINTS:
            values = [metric.mean for point in points if (metric := point.get(self.metric)) and metric.mean is not None]
            return _OVER_POINTS[self.field](values) if values else None
        if self.field == "second_cluster":
            return second_cluster(results.columns_at(points[0], self.metric)["value"])
        if self.field == "share":
            return share_of_whole(points[0], self.metric)
        metric = points[0].get(self.metric)
        return metric.field(self.field) if metric else None


_OVER_POINTS: dict[str, Callable[[Sequence[float]], float]] = {"largest": max, "smallest": min}


def read_published(path: str | Path) -> list[Published]:
    """Reads one file of published numbers, or the results of a capture or a measurement from their folder.

    `ResultsError` names the invalid line.
    """
    file = Path(path)
    if file.is_dir():
        return _of_results(file)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"cannot read {file}: {error}") from None
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if not numbered:
        raise ResultsError(f"{file} is empty: it needs a header line with at least the columns {', '.join(_FIXED)}")
    rows = csv.DictReader(io.StringIO("\n".join(line for _, line in numbered)))
    missing = [name for name in _FIXED if name not in (rows.fieldnames or [])]
    if missing:
        noun = "column" if len(missing) == 1 else "columns"
        raise ResultsError(f"{file}, line {numbered[0][0]}: {noun} {', '.join(missing)} missing")
    source = (Path(file.parent.name) / file.name).as_posix()
    return [_published(row, file, number, source) for row, (number, _) in zip(rows, numbered[1:], strict=False)]


_CENTRAL = {"transaction_time": ("p50", "p99"), "response_time": ("p50", "p99"), "throughput": ("value",)}
"""What a scenario is fitted to of whole results: their fields. Network times leave out applications."""
_CENTRAL_OF_CAPTURES = {"response_time": ("p50", "p99"), "transaction_time": ("p50",), "throughput": ("value",)}
"""Of captures, which show no applications: exchanges, and of links the acknowledgements within them."""


def _of_results(folder: Path) -> list[Published]:
    """The central metrics of the first point of results."""
    results = read_results(folder)
    point = results.points[0]
    is_capture = results.raw.get("world") == "captured"
    central = _CENTRAL_OF_CAPTURES if is_capture else _CENTRAL
    found = {name: metric for name in central if (metric := point.get(name)) is not None}
    if not is_capture and "transaction_time" in found:
        found.pop("response_time", None)
    elif is_capture and _are_same(found.get("response_time"), found.get("transaction_time")):
        del found["transaction_time"]
    present = [metric for metric in found.values() if metric.applies]
    rows = [
        Published(point.experiment, {}, metric.name, field, number, metric.unit, 0.0, "calibration", folder.name)
        for metric in present
        for field in central[metric.name]
        if (number := metric.field(field))
    ]
    if not rows:
        raise ResultsError(f"{folder} has none of the metrics {', '.join(central)}")
    return rows


def _are_same(one: Metric | None, other: Metric | None) -> bool:
    """Whether two metrics are of the same times, as those of a protocol whose transactions are its exchanges."""
    return one is not None and other is not None and one.raw == other.raw


def _published(row: dict[str | None, str | None], file: Path, line: int, source: str) -> Published:
    where = f"{file}, line {line}"
    if None in row or None in row.values():
        raise ResultsError(f"{where}: {'more' if None in row else 'fewer'} cells than columns")
    cells = {str(key): str(cell) for key, cell in row.items()}
    if cells["role"] not in ROLES:
        raise ResultsError(f"{where}, column role: {cells['role']!r} is neither calibration nor prediction")
    settings = {key: _setting(cell) for key, cell in cells.items() if key not in (*_FIXED, *_OPTIONAL) and cell}
    blind = cells.get("scored_blind", "")
    if blind not in ("", "true"):
        raise ResultsError(f"{where}, column scored_blind: {blind!r} is neither empty nor true")
    if blind and cells["role"] != "prediction":
        raise ResultsError(f"{where}, column scored_blind: a number of role {cells['role']} cannot be scored blind")
    tolerance = cells.get("tolerance", "")
    return Published(
        cells["experiment"],
        settings,
        cells["metric"],
        cells["field"],
        _number(cells["value"], f"{where}, column value"),
        cells["unit"],
        _number(cells["uncertainty"] or "0", f"{where}, column uncertainty"),
        cells["role"],
        source,
        line,
        cells.get("note", ""),
        _number(tolerance, f"{where}, column tolerance") if tolerance else None,
        blind == "true",
    )


def _number(cell: str, where: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        raise ResultsError(f"{where}: {cell!r} is not a number") from None
    if not math.isfinite(number):
        raise ResultsError(f"{where}: {cell!r} is not finite")
    return number


def _setting(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def share_of_whole(point: Point, member: str) -> float | None:
    """A member's part of its metric, as of `throughput/a` in `throughput`; None without either, or of nothing."""
    part, whole = point.get(member), point.get(member.split("/", maxsplit=1)[0])
    if part is None or whole is None or part.mean is None or not whole.mean:
        return None
    return part.mean / whole.mean


def second_cluster(samples: Sequence[float]) -> float | None:
    """The median of the samples in the busiest 15 ms bin beyond three times the median of all, in seconds.

    Messages retransmitted after a timeout form this cluster; None if there are none.
    """
    if not samples:
        return None
    beyond = 3 * median(samples)
    bins: dict[int, list[float]] = {}
    for sample in samples:
        if sample > beyond:
            bins.setdefault(int(sample / CLUSTER_BIN_S), []).append(sample)
    if not bins:
        return None
    return median(max(sorted(bins.items()), key=lambda item: len(item[1]))[1])
