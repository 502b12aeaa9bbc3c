"""Series over time: the response time of a target by hour or day, or a metric over the runs of a scenario."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, null, select

from sojourn import units
from sojourn.errors import UnknownName
from sojourn.store import checksums, histogram
from sojourn.store.database import DamagedRun
from sojourn.store.queries import Selection
from sojourn.store.retention import DAY_US, HOUR_US, SHARES
from sojourn.store.schema import conditions, metrics, outages, points, rollups, runs, targets, verdicts, windows

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_WINDOWS_US = 2 * DAY_US
"""A longer time is shown by hour."""
MOST_HOURS_US = 100 * DAY_US
"""A longer time is shown by day."""
_CONDITION = re.compile(r"([\w/-]+?)(?:\.(\w+))? *(<=?|>=?) *([\d.eE+-]+) *(\S.*)?")


@dataclass(frozen=True)
class Value:
    """A value at a time."""

    begin_us: int
    value: float
    low: float | None = None
    """Ends of its 95 % confidence interval."""
    high: float | None = None
    run: int | None = None


@dataclass(frozen=True)
class Series:
    """Values of one metric in the order of time, with what belongs into their figure."""

    title: str
    metric: str
    """As `response_time.p99`."""
    unit: str
    step_us: int | None
    """Length of the windows, hours or days of a monitor; None of runs."""
    values: list[Value]
    limits: dict[str, float] = field(default_factory=dict)
    """Conditions on this metric and the value each compares with."""
    outages: list[tuple[int, int]] = field(default_factory=list)
    """Begin and end, in microseconds since 1970."""
    beyond: list[int] = field(default_factory=list)
    """When a quantile was not reached, because more than its share failed."""


def of_target(connection: Connection, name: str, metric: str, since_us: int, until_us: int) -> Series:
    """A field of the response time of a target, or its `loss`, over windows, hours or days as suits the time."""
    numbers = list(connection.execute(select(targets.c.id).where(targets.c.name == name)).scalars())
    if not numbers:
        known = ", ".join(connection.execute(select(targets.c.name).distinct().order_by(targets.c.name)).scalars())
        raise UnknownName(f"no target {name!r} in the store; there are {known or 'none'}")
    fields = {"loss": "loss"} | {f"response_time.{field}": field for field in ("mean", "min", "max", *SHARES)}
    if metric not in fields:
        raise UnknownName(f"no series of {metric!r} of a target; there are {', '.join(fields)}")
    period = until_us - since_us
    step = HOUR_US if period <= MOST_HOURS_US else DAY_US
    rows = _parts(connection, numbers, since_us, until_us)
    if period <= MOST_WINDOWS_US and not any(part.is_sum for part in rows):
        values = [Value(part.begin_us, value) for part in rows if (value := part.field(fields[metric])) is not None]
        step = 0
    else:
        values = _by_step(rows, step, fields[metric])
    of_target = outages.c.target_id.in_(numbers) & (outages.c.begin_us >= since_us) & (outages.c.begin_us < until_us)
    # without an end the monitor ended before, or the outage lasts
    of_run = (windows.c.run_id == outages.c.run_id) & (windows.c.target_id == outages.c.target_id)
    last = select(func.max(windows.c.end_us)).where(of_run).correlate(outages).scalar_subquery()
    end = func.coalesce(outages.c.end_us, last, outages.c.begin_us)
    times = select(outages.c.begin_us, end).where(of_target).order_by(outages.c.begin_us)
    texts = select(conditions.c.condition).where(conditions.c.target_id.in_(numbers)).distinct()
    return Series(
        title=f"{name}, {_step_words(step)}",
        metric=metric,
        unit="1" if metric == "loss" else "s",
        step_us=step,
        values=values,
        limits=limits(connection.execute(texts).scalars(), metric),
        outages=[(row[0], row[1]) for row in connection.execute(times)],
    )


def of_runs(connection: Connection, selection: Selection, metric: str) -> list[Series]:
    """A metric over runs: a series for each experiment and setting of the keys that vary."""
    name, _, last = metric.rpartition(".")
    name, column = (name, last) if name and last in ("mean", "value", "min", "max", *SHARES) else (metric, "value")
    column = "value" if column == "mean" else column
    central = metrics.c[column]
    ends = [metrics.c.get(f"{column}_{end}", null()) for end in ("low", "high")]
    statement = (
        select(runs.c.id, runs.c.name, runs.c.begin_us, points.c.experiment, points.c.settings, metrics.c.unit)
        .add_columns(central, *ends)
        .join(points, points.c.run_id == runs.c.id)
        .join(metrics, metrics.c.point_id == points.c.id)
        # of what was sent there is always a quantile, unless too much of it failed
        .where(*selection.conditions(), metrics.c.name == name, central.is_not(None) | (metrics.c.sent > 0))
        .order_by(runs.c.begin_us, runs.c.id, points.c.position)
    )
    chosen = connection.execute(select(runs.c.id).where(*selection.conditions())).scalars().all()
    if damaged := checksums.damaged(connection, chosen):
        raise DamagedRun(damaged)
    found: defaultdict[str, list[Value]] = defaultdict(list)
    beyond: defaultdict[str, list[int]] = defaultdict(list)
    unit = "1"
    for row in connection.execute(statement):
        number, run, begin_us, experiment, settings, unit, value, low, high = row
        label = ", ".join([run, *_settings(experiment, settings, run)])
        if value is None:
            beyond[label].append(begin_us)
        else:
            found[label].append(Value(begin_us, value, low, high, number))
    texts = select(verdicts.c.condition).distinct().select_from(verdicts).join(points).join(runs)
    judged = list(connection.execute(texts.where(*selection.conditions())).scalars())
    shown = limits(judged, f"{name}.{last}" if name != metric else metric)
    return [Series(title, metric, unit, None, values, shown, [], beyond[title]) for title, values in found.items()]


def limits(texts: Any, metric: str) -> dict[str, float]:
    """Of conditions as written, those on a metric, with their value in SI units."""
    found = {}
    for text in texts:
        parsed = _CONDITION.fullmatch(text.strip())
        if parsed is None:
            continue
        name, last, _, number, unit = parsed.groups()
        if metric in (f"{name}.{last}" if last else name, f"{name}.mean" if not last else ""):
            size = {"": 1.0, "%": 0.01}.get(unit or "", units.unit_size(unit or ""))
            if size is not None:
                found[text] = float(number) * size
    return found


@dataclass(frozen=True)
class _Part:
    """A window or a roll-up."""

    begin_us: int
    sent: int
    answered: int
    total: float
    least: float | None
    most: float | None
    histogram: bytes
    quantiles: dict[str, float | None]
    is_sum: bool

    def field(self, name: str) -> float | None:
        if name == "loss":
            return 1 - self.answered / self.sent if self.sent else None
        if name == "mean":
            return self.total / self.answered if self.answered else None
        return {"min": self.least, "max": self.most, **self.quantiles}[name]


def _parts(connection: Connection, numbers: list[int], since_us: int, until_us: int) -> list[_Part]:
    found = []
    for table in (windows, rollups):
        total = table.c.total if table is rollups else windows.c.mean * windows.c.answered
        quantiles = [table.c[name] for name in SHARES]
        statement = select(
            table.c.begin_us,
            table.c.sent,
            table.c.answered,
            total,
            table.c.min,
            table.c.max,
            table.c.histogram,
            *quantiles,
        ).where(
            table.c.target_id.in_(numbers), table.c.begin_us >= since_us, table.c.begin_us < until_us, ~table.c.loaded
        )
        for begin, sent, answered, sum_, least, most, octets, *values in connection.execute(statement):
            by_name = dict(zip(SHARES, values, strict=True))
            part = _Part(begin, sent, answered, sum_ or 0.0, least, most, octets, by_name, table is rollups)
            found.append(part)
    return sorted(found, key=lambda part: part.begin_us)


def _by_step(parts: list[_Part], step: int, name: str) -> list[Value]:
    """The value of each hour or day, of all its requests together."""
    groups: defaultdict[int, list[_Part]] = defaultdict(list)
    for part in parts:
        groups[part.begin_us - part.begin_us % step].append(part)
    values = []
    for begin, group in groups.items():
        bins = histogram.merged(part.histogram for part in group) if name in SHARES else {}
        sent = sum(part.sent for part in group)
        whole = _Part(
            begin,
            sent,
            sum(part.answered for part in group),
            sum(part.total for part in group),
            min((part.least for part in group if part.least is not None), default=None),
            max((part.most for part in group if part.most is not None), default=None),
            b"",
            {key: histogram.quantile(bins, share, sent) for key, share in SHARES.items()}
            if bins
            else dict.fromkeys(SHARES),
            is_sum=True,
        )
        value = whole.field(name)
        if value is not None:
            values.append(Value(begin, value))
    return values


def _settings(experiment: str, settings: str, run: str) -> list[str]:
    shown = [f"{key} = {value}" for key, value in json.loads(settings).items()]
    return [*([experiment] if experiment not in (run, "run") else []), *shown]


def _step_words(step: int) -> str:
    return {0: "by window", HOUR_US: "by hour", DAY_US: "by day"}[step]
