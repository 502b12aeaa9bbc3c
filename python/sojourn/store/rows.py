"""Records as rows of the tables."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Text, cast, column, func, insert, literal, literal_column, select

from sojourn.store import checksums, histogram, schema
from sojourn.store.database import StoreError
from sojourn.store.records import MONITOR, VERSION

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

Row = dict[str, Any]
Record = Mapping[str, Any]
_DOCUMENT = ("uuid", "command", "name", "network", "world", "peer", "scenario_hash", "seed", "elapsed_s", "folder")
_RUN = (*_DOCUMENT, "version", "commit", "build", "host", "platform", "processors")
_NUMBERS = ("count", "sent", "sd", "min", "max", *schema.QUANTILES)


class Writer:
    """Writes records in one transaction."""

    def __init__(self, connection: Connection) -> None:
        """Into the tables of a connection."""
        self._connection = connection
        self._runs: dict[str, int] = {}
        self._targets: dict[tuple[str, str], int] = {}
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._changed: set[int] = set()

    def write(self, records: Iterable[Record]) -> None:
        """Writes all of them, in their order; conditions last."""
        of_kind = {
            "run": self._run,
            "monitor": self._monitor,
            "window": self._window,
            "outage": self._outage,
            "alert": self._alert,
            "condition": self._condition,
        }
        # of a condition nothing is known that a window of its target does not say as well
        for record in sorted(records, key=lambda record: bool(record["type"] == "condition")):
            if record["record"] > VERSION:
                raise StoreError(f"a record of a later version of Sojourn ({record['record']}): install that version")
            of_kind[record["type"]](record)
        for name, rows in self._rows.items():
            self._insert(schema.metadata.tables[name], rows)
        checksums.write(self._connection, sorted(self._changed))

    def _run(self, record: Record) -> None:
        row = {name: record[name] for name in _RUN}
        row |= {"answer": _json(record["answer"]), "regime": _json(record["regime"]), "well": record["well"]}
        row |= {"replications": max((point["replications"] or 0 for point in record["points"]), default=None)}
        run = self._new_run(row, record)
        if run is None:
            return
        numbers = [self._new_point(run, position, point) for position, point in enumerate(record["points"])]
        for verdict in record["verdicts"]:
            row = {"point_id": numbers[verdict["point"]], "condition": verdict["text"]}
            self._rows["verdicts"].append(row | {name: verdict[name] for name in ("verdict", "value")})

    def _monitor(self, record: Record) -> None:
        row = {name: record.get(name) for name in _RUN} | {"network": "ip", "world": "live"}
        run = self._new_run(row | {"command": record.get("command", MONITOR), "well": True}, record)
        for name, url in record["targets"] if run is not None else ():
            self._targets[record["uuid"], name] = self._target(record["host"], name, url)
            assert run is not None
            self._rows["run_targets"].append({"run_id": run, "target_id": self._targets[record["uuid"], name]})

    def _new_run(self, row: Row, record: Record) -> int | None:
        """The number of the run; None where the store has it."""
        text = record["text"]
        row |= {"begin_us": microseconds(record["began"]), "settings": _json(record["settings"])}
        row |= {"scenario_id": None if text is None else self._scenario(text)}
        runs = schema.runs
        found = self._connection.execute(self._ignoring(runs).values(row).returning(runs.c.id)).scalar()
        if found is not None:
            self._runs[record["uuid"]] = found
            self._changed.add(found)
        return found

    def _new_point(self, run: int, position: int, point: Record) -> int:
        row = {name: point[name] for name in ("experiment", "status", "replications", "scenario_hash")}
        row |= {"run_id": run, "position": position, "settings": _json(point["set"])}
        points = schema.points
        number = int(self._connection.execute(insert(points).values(row).returning(points.c.id)).scalar_one())
        # a timeline has a value for each of its windows: it stays with the results
        single = [(name, metric) for name, metric in point["metrics"].items() if not name.endswith("/timeline")]
        self._rows["metrics"] += [_metric(number, name, metric) for name, metric in single]
        return number

    def _window(self, record: Record) -> None:
        row = self._of_target(record) | {name: record[name] for name in ("sent", "answered", "in_outage", "loaded")}
        row |= {"number": record["number"]}
        row |= {f"{name}_us": microseconds(record[name]) for name in ("begin", "end")}
        row |= {name: record["response_time"].get(name) for name in ("mean", "min", "max", *schema.QUANTILES)}
        bins = record["histogram"]
        octets = histogram.encode(dict(bins)) if record["record"] == 1 else bytes.fromhex(bins)
        row |= {"metrics": _json(record["metrics"]), "histogram": octets}
        self._rows["windows"].append(row)

    def _outage(self, record: Record) -> None:
        row = self._of_target(record) | {"begin_us": microseconds(record["begin"])}
        end = {"end_us": None if record["end"] is None else microseconds(record["end"])}
        end |= {name: record[name] for name in ("duration_s", "cause")}
        outages = schema.outages
        statement = self._dialect().insert(outages).values(row | end)
        self._connection.execute(statement.on_conflict_do_update(index_elements=list(row), set_=end))

    def _alert(self, record: Record) -> None:
        row = self._of_target(record) | {name: record[name] for name in ("number", "event", "condition", "value")}
        self._rows["alerts"].append(row | {"at_us": microseconds(record["end"])})

    def _condition(self, record: Record) -> None:
        self._rows["conditions"].append(self._of_target(record) | {"condition": record["condition"]})

    def _of_target(self, record: Record) -> Row:
        run = self._number_of(record)
        key = record["run"], record["target"]
        if key not in self._targets:
            used, targets = schema.run_targets, schema.targets
            found = select(targets.c.name, targets.c.id).join(used).where(used.c.run_id == run)
            self._targets |= {(record["run"], name): number for name, number in self._connection.execute(found)}
        if key not in self._targets:
            self._targets[key] = self._target("", record["target"], "")
            known = {"run_id": run, "target_id": self._targets[key]}
            self._connection.execute(self._ignoring(schema.run_targets).values(known))
            self._changed.add(run)
        return {"run_id": run, "target_id": self._targets[key]}

    def _number_of(self, record: Record) -> int:
        """The number of the monitor of a record."""
        uuid = record["run"]
        if uuid not in self._runs:
            found = self._connection.execute(select(schema.runs.c.id).where(schema.runs.c.uuid == uuid)).scalar()
            self._runs[uuid] = self._unknown_monitor(record) if found is None else int(found)
        return self._runs[uuid]

    def _unknown_monitor(self, record: Record) -> int:
        """A monitor whose first record was damaged: its windows are worth keeping, its host and URLs are lost."""
        first = record["begin"] if "begin" in record else record["end"]
        row = dict.fromkeys(_RUN) | {"uuid": record["run"], "command": "monitor", "name": "monitor"}
        row |= {"network": "ip", "world": "live", "well": True}
        number = self._new_run(row, {"uuid": record["run"], "text": None, "began": first, "settings": None})
        assert number is not None
        return number

    def _scenario(self, text: str) -> int:
        key = hashlib.sha256(text.encode()).hexdigest()
        return self._known(schema.scenarios, "hash", {"hash": key, "text": text})

    def _target(self, host: str, name: str, url: str) -> int:
        key = json.dumps([host, name, url])
        return self._known(schema.targets, "key", {"key": key, "host": host, "name": name, "url": url})

    def _known(self, table: Table, key: str, row: Row) -> int:
        """The number of a row, which is inserted unless it is there."""
        where = table.c[key] == row[key]
        found = self._connection.execute(select(table.c.id).where(where)).scalar()
        if found is None:
            self._connection.execute(self._ignoring(table).values(row))
            found = self._connection.execute(select(table.c.id).where(where)).scalar_one()
        return int(found)

    def _insert(self, table: Table, rows: Sequence[Row]) -> None:
        if not rows:
            return
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(self._ignoring(table).from_select(list(rows[0]), _as_one_value(table, rows)))
        else:
            self._connection.execute(self._ignoring(table), rows)

    def _ignoring(self, table: Table) -> Any:
        """An insertion that leaves a row with the same key as it is."""
        return self._dialect().insert(table).on_conflict_do_nothing()

    def _dialect(self) -> Any:
        """The module of the database, which has its `insert`; the other one takes a tenth of a second to import."""
        return import_module(f"sqlalchemy.dialects.{self._connection.dialect.name}")


def _as_one_value(table: Table, rows: Sequence[Row]) -> Any:
    """Rows selected from one JSON value: a parameter for each cell takes the driver a tenth of a millisecond a row."""
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False, default=lambda octets: f"\\x{octets.hex()}")
    names: list[Any] = [column(name) for name in rows[0]]
    value = cast(literal(text, Text), JSON)
    found = func.json_populate_recordset(literal_column(f"NULL::{table.name}"), value).table_valued(*names)
    return select(*(found.c[name.name] for name in names))


def microseconds(time: str) -> int:
    """A time of RFC 3339 in microseconds since 1970."""
    moment = datetime.fromisoformat(time)
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def _metric(point: int, name: str, metric: Record) -> Row:
    row = {"point_id": point, "name": name, "unit": metric.get("unit", "1"), "value": metric.get("mean")}
    row |= {"value": metric.get("value")} if "mean" not in metric else {}
    row |= {field: metric.get(field) for field in _NUMBERS}
    for field, key in (("value", "ci95"), *((quantile, f"{quantile}_ci95") for quantile in schema.QUANTILES)):
        low, high = metric.get(key) or (None, None)
        row |= {f"{field}_low": low, f"{field}_high": high}
    return row


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
