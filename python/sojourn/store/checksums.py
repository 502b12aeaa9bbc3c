"""Checksums of runs: over all rows that a record brought, so that no changed value is shown as the one recorded.

A checksum has two parts. The first is of what a list shows: the row of the run, its tags, and how many points and
verdicts it has. The second is of everything else: document, targets, points, metrics and verdicts. Numbers of rows are
of neither, so that a copy of the store has the same checksums.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Integer, func, select, type_coerce, update

from sojourn.store.schema import metrics, points, run_targets, runs, scenarios, tags, targets, verdicts

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

DIGITS = 16
AT_ONCE = 200
"""Runs whose rows are read together."""
Row = Mapping[str, Any]


def columns(table: Table) -> list[ColumnElement[Any]]:
    """The columns as the database has them: a damaged truth value raises nothing before its checksum is compared."""
    return [type_coerce(one, Integer).label(one.name) if isinstance(one.type, Boolean) else one for one in table.c]


def is_sound(row: Row, counted: int, judged: Mapping[str, int], tagged: Sequence[str]) -> bool:
    """Whether what a list shows of a run is what was recorded."""
    return str(row["checksum"]).partition("-")[0] == _of_row(row, counted, judged, tagged)


def damaged(connection: Connection, numbers: Iterable[int] | None = None) -> list[int]:
    """Of these runs, or of all, those that are not what was recorded."""
    found = []
    for some in _some(_numbers(connection) if numbers is None else numbers):
        expected = dict(connection.execute(select(runs.c.id, runs.c.checksum).where(runs.c.id.in_(some))).all())
        found += [number for number, sum_ in of(connection, some).items() if sum_ != expected.get(number)]
    return found


def count(connection: Connection) -> int:
    """How many runs there are."""
    return int(connection.execute(select(func.count()).select_from(runs)).scalar_one())


def write(connection: Connection, numbers: Iterable[int]) -> None:
    """Gives runs the checksum of what is there now."""
    for some in _some(numbers):
        for number, sum_ in of(connection, some).items():
            connection.execute(update(runs).where(runs.c.id == number).values(checksum=sum_))


def fill(connection: Connection) -> None:
    """Gives the runs of before there were checksums theirs."""
    write(connection, connection.execute(select(runs.c.id).where(runs.c.checksum.is_(None))).scalars().all())


def of(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    """The checksums of what is there of some runs."""
    counts = points_of(connection, numbers)
    judged, tagged = verdicts_of(connection, numbers), tags_of(connection, numbers)
    lines: defaultdict[int, list[str]] = defaultdict(list)
    for kind, statement, of_run in _rest():
        for number, *values in connection.execute(statement.where(of_run.in_(numbers))):
            lines[number].append(_text([kind, *values]))
    rows = connection.execute(select(*columns(runs)).where(runs.c.id.in_(numbers))).all()
    return {
        row.id: f"{_of_row(dict(row._mapping), counts.get(row.id, 0), judged[row.id], tagged[row.id])}-"
        f"{_digest(sorted(lines[row.id]))}"
        for row in rows
    }


def points_of(connection: Connection, numbers: Sequence[int]) -> dict[int, int]:
    """How many points each run has."""
    statement = select(points.c.run_id, func.count()).where(points.c.run_id.in_(numbers)).group_by(points.c.run_id)
    return {row[0]: row[1] for row in connection.execute(statement)}


def verdicts_of(connection: Connection, numbers: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many verdicts of each kind each run has."""
    found: dict[int, dict[str, int]] = {number: {} for number in numbers}
    statement = select(points.c.run_id, verdicts.c.verdict, func.count()).join(points)
    statement = statement.where(points.c.run_id.in_(numbers)).group_by(points.c.run_id, verdicts.c.verdict)
    for number, verdict, count in connection.execute(statement):
        found[number][verdict] = count
    return found


def tags_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The tags of runs, in the order of the alphabet."""
    found: dict[int, list[str]] = {number: [] for number in numbers}
    statement = select(tags.c.run_id, tags.c.tag).where(tags.c.run_id.in_(numbers)).order_by(tags.c.tag)
    for number, tag in connection.execute(statement):
        found[number].append(tag)
    return found


def _of_row(row: Row, counted: int, judged: Mapping[str, int], tagged: Sequence[str]) -> str:
    own = [row[column.name] for column in runs.c if column.name not in ("id", "scenario_id", "checksum")]
    return _digest([_text([*own, counted, sorted(judged.items()), sorted(tagged)])])


def _rest() -> Iterator[tuple[str, Any, Any]]:
    """What is of a run beside its row: kind, statement whose first column is the run, and that column."""
    yield "document", select(runs.c.id, scenarios.c.text).join(scenarios), runs.c.id
    names = (targets.c.host, targets.c.name, targets.c.url)
    yield "target", select(run_targets.c.run_id, *names).join(targets), run_targets.c.run_id
    place = (points.c.run_id, points.c.position)
    yield "point", select(*place, *_without(points, "id", "run_id", "position")), points.c.run_id
    for table in (metrics, verdicts):
        yield table.name, select(*place, *_without(table, "point_id")).join(points), points.c.run_id


def _without(table: Table, *names: str) -> list[Any]:
    return [column for column in table.c if column.name not in names]


def _text(values: Sequence[Any]) -> str:
    return json.dumps([int(value) if isinstance(value, bool) else value for value in values], default=str)


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGITS]


def _numbers(connection: Connection) -> list[int]:
    return list(connection.execute(select(runs.c.id).order_by(runs.c.id)).scalars())


def _some(numbers: Iterable[int]) -> Iterator[list[int]]:
    left = iter(numbers)
    while some := list(islice(left, AT_ONCE)):
        yield some
