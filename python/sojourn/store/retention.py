"""Retention: old windows become hours, old hours become days; their counts and histograms are added."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, delete, func, insert, select

from sojourn.store import histogram, settings, spool
from sojourn.store.database import opened
from sojourn.store.records import MESH, MONITOR
from sojourn.store.schema import QUANTILES, rollups, runs, windows

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
PERIODS = {"hour": HOUR_US, "day": DAY_US}
SHARES = {name: float(f"0.{name[1:]}") for name in QUANTILES}
EVERY_S = 3600.0
"""How often what the configuration asks for is done."""
APPLIED = "retention"
"""An empty file beside the records that wait: when this host did so last."""
Key = tuple[int, int, bool]
"""Target, begin of the period in microseconds, whether the path was loaded."""


def apply_configured(place: settings.Place) -> None:
    """Does what `[retention]` of the configuration asks for, at most once an hour and by one process of this user."""
    kept = settings.retention()
    if kept is None or not _is_due(place.spool / APPLIED):
        return
    with spool.only_loader(place.spool, wait=False) as alone:
        if not alone:
            return
        (place.spool / APPLIED).touch()
        now_s = time.time()
        with opened(place) as engine:
            roll_up(engine, *(int((now_s - age_s) * 1e6) for age_s in (kept.windows_s, kept.hours_s)))
            if kept.runs_s is not None:
                delete_runs(engine, int((now_s - kept.runs_s) * 1e6))


def roll_up(engine: Engine, windows_before_us: int, hours_before_us: int) -> tuple[int, int]:
    """Rolls up windows and hours that began before a time; returns how many windows and how many hours went.

    Each day is a transaction: a kill leaves every window either as it was or in its hour. Windows that arrive late are
    added to the hour that is there.
    """
    counts = []
    for source, period, before_us in ((windows, "hour", windows_before_us), (rollups, "day", hours_before_us)):
        counts.append(0)
        while (first := _oldest(engine, source, before_us - before_us % DAY_US)) is not None:
            with _snapshot(engine) as connection:
                counts[-1] += _roll_up_day(connection, source, period, first - first % DAY_US)
    return counts[0], counts[1]


def delete_runs(engine: Engine, before_us: int) -> int:
    """Deletes runs that began before a time, with all that belongs to them, except monitors; returns how many."""
    with engine.begin() as connection:
        old = (runs.c.begin_us < before_us) & runs.c.command.not_in((MONITOR, MESH))
        return int(connection.execute(delete(runs).where(old)).rowcount)


def shrink(engine: Engine) -> None:
    """Gives the space of what was deleted back to the file system, where the store is a file."""
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")


def _is_due(applied: Path) -> bool:
    try:
        return not 0 <= time.time() - applied.stat().st_mtime < EVERY_S  # a clock may have stepped back
    except FileNotFoundError:
        return True


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Connection]:
    """A transaction that neither sees nor deletes what others write meanwhile; SQLite has one writer at a time."""
    level = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**level) as connection, connection.begin():
        yield connection


def _oldest(engine: Engine, source: Any, before_us: int) -> int | None:
    with engine.connect() as connection:
        oldest = select(func.min(source.c.begin_us)).where(source.c.begin_us < before_us, *_of(source))
        return connection.execute(oldest).scalar()


def _of(source: Any) -> list[Any]:
    return [source.c.period == "hour"] if source is rollups else []


def _roll_up_day(connection: Connection, source: Any, period: str, day_us: int) -> int:
    where = and_(source.c.begin_us >= day_us, source.c.begin_us < day_us + DAY_US, *_of(source))
    found: defaultdict[Key, list[Any]] = defaultdict(list)
    rows = connection.execute(select(source).where(where)).all()
    for row in rows:
        begin = row.begin_us - row.begin_us % PERIODS[period]
        found[row.target_id, begin, row.loaded].append(row)
    there = and_(rollups.c.period == period, rollups.c.begin_us >= day_us, rollups.c.begin_us < day_us + DAY_US)
    for row in connection.execute(select(rollups).where(there)):
        key = row.target_id, row.begin_us, row.loaded
        if key in found:
            found[key].append(row)
    sums = [_sum(key, period, parts) for key, parts in found.items()]
    connection.execute(delete(source).where(where))
    connection.execute(delete(rollups).where(there, rollups.c.target_id.in_({key[0] for key in found}), _is_any(found)))
    if sums:
        connection.execute(insert(rollups), sums)
    return len(rows)


def _is_any(found: Iterable[Key]) -> Any:
    return rollups.c.begin_us.in_({key[1] for key in found})


def _sum(key: Key, period: str, parts: list[Row[Any]]) -> dict[str, Any]:
    """The roll-up of windows and roll-ups."""
    bins = histogram.merged(part.histogram for part in parts)
    sent = sum(part.sent for part in parts)
    return {
        "target_id": key[0],
        "period": period,
        "begin_us": key[1],
        "loaded": key[2],
        "windows": sum(_several(part, "windows", 1) for part in parts),
        "windows_in_outage": sum(part.windows_in_outage if _is_sum(part) else int(part.in_outage) for part in parts),
        "sent": sent,
        "answered": sum(part.answered for part in parts),
        "total": sum(part.total if _is_sum(part) else (part.mean or 0.0) * part.answered for part in parts),
        "min": min((part.min for part in parts if part.min is not None), default=None),
        "max": max((part.max for part in parts if part.max is not None), default=None),
        "histogram": histogram.encode(bins),
    } | {name: histogram.quantile(bins, share, sent) for name, share in SHARES.items()}


def _is_sum(part: Row[Any]) -> bool:
    return "total" in part._fields


def _several(part: Row[Any], name: str, otherwise: int) -> int:
    return int(getattr(part, name)) if _is_sum(part) else otherwise
