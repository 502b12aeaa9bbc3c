"""Loading into SQLite and PostgreSQL: whatever happens in between, every record arrives once."""

import os
import shutil
import signal
import time

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, inspect, select, text

from sojourn.store import database, loading, queries, spool
from sojourn.store.database import StoreError, StoreIsNewer, opened
from sojourn.store.loading import load
from sojourn.store.records import MonitorRecords, build_and_host
from sojourn.store.schema import REVISIONS, metadata, metrics, outages, runs, targets, verdicts, windows


def forked(work) -> int:
    """The number of a process that does `work` and ends."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def counts(place, *tables) -> list[int]:
    with opened(place) as engine, engine.connect() as connection:
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables]


def test_a_run_is_in_the_store_with_all_that_its_record_has(place, run_record):
    spool.append(place.spool, [run_record(regime={"governor": "performance"}, answer={"value": 3.0})])

    assert load(place) == 1

    with opened(place) as engine, engine.connect() as connection:
        (listed,) = queries.list_runs(connection, queries.Selection(scenario="site", network="queue", host="lab"))
        found = queries.run(connection, listed["id"])
    assert (listed["points"], listed["verdicts"]) == (1, {"met": 1})
    assert found["begin_us"] == 1_772_323_200_000_000
    assert (found["text"], found["regime"], found["answer"]) == (
        '[network]\nkind = "queue"\n', {"governor": "performance"}, {"value": 3.0})  # fmt: skip
    (point,) = found["points"]
    assert (point["experiment"], point["settings"]) == ("site", {"background.rate": 50.0})
    response = point["metrics"]["response_time"]
    assert (response["value"], response["value_low"], response["value_high"], response["p99"]) == (
        0.05,
        0.04,
        0.06,
        0.2,
    )
    assert point["verdicts"] == [{"condition": "response_time.p99 < 250 ms", "verdict": "met", "value": 0.2}]


def test_p95_is_stored_with_its_interval_and_null_of_a_run_before_it(place, run_record):
    with_p95, before = run_record(0), run_record(1)
    with_p95["points"][0]["metrics"]["response_time"] |= {"p95": 0.15, "p95_ci95": [0.12, None]}
    spool.append(place.spool, [with_p95, before])

    load(place)

    with opened(place) as engine, engine.connect() as connection:
        columns = (metrics.c.p95, metrics.c.p95_low, metrics.c.p95_high, metrics.c.p99)
        found = connection.execute(select(*columns).where(metrics.c.name == "response_time")).all()
    assert sorted(found, key=str) == [(0.15, 0.12, None, 0.2), (None, None, None, 0.2)]


def test_a_run_with_events_is_in_the_store_without_its_timelines(place, run_record):
    record = run_record()
    windows = {"unit": "s", "start": [1.0, 2.0, 3.0], "end": [2.0, 3.0, 4.0]}
    windows |= {"mean": [0.1, 0.2, 0.1], "ci95": [[0.05, 0.15], [0.1, 0.3], [0.05, 0.15]]}
    record["points"][0]["metrics"]["response_time/timeline"] = windows
    spool.append(place.spool, [record])

    assert load(place) == 1

    with opened(place) as engine, engine.connect() as connection:
        (listed,) = queries.list_runs(connection, queries.Selection(scenario="site"))
        (point,) = queries.run(connection, listed["id"])["points"]
    assert sorted(point["metrics"]) == ["loss", "response_time"]


def test_windows_outages_and_conditions_of_a_monitor_are_in_the_store(place, monitor_lines, monitored):
    head, *lines = monitor_lines(3)
    begin = {"type": "outage", "target": "target-0", "event": "begin", "begin": "2026-09-21T14:13:20.000Z",
             "end": None, "duration_s": None, "cause": None}  # fmt: skip
    end = begin | {"event": "end", "end": "2026-09-21T14:13:25.500Z", "duration_s": 5.5, "cause": "refused"}
    alert = {"type": "alert", "target": "target-0", "event": "raised", "condition": "loss < 1 %", "value": 0.02,
             "end": "2026-09-21T14:14:20.000Z"}  # fmt: skip

    monitored(place, [head, lines[0], begin, lines[1], end, alert, lines[2]])
    load(place)

    with opened(place) as engine, engine.connect() as connection:
        (row,) = queries.watched(connection, 0, 2**60)
        outage = connection.execute(select(outages)).one()
    assert (row["windows"], row["sent"], row["answered"], row["outages"], row["outage_s"]) == (3, 180, 177, 1, 5.5)
    assert row["loss"] == pytest.approx(1 / 60)
    assert row["p50"] == pytest.approx(1e-6, rel=0.008)
    assert row["p99"] is None, "a sixtieth is lost"
    assert (outage.end_us - outage.begin_us, outage.cause) == (5_500_000, "refused")


def test_a_window_that_an_earlier_version_recorded_is_loaded(sqlite, monitor_lines):
    head, line = monitor_lines(1)
    records = [*MonitorRecords({"urls": ["icmp://192.0.2.1"]}, build_and_host()).of_line(head)]
    (window,) = (
        one
        for one in MonitorRecords({"urls": ["icmp://192.0.2.1"]}, build_and_host()).of_line(line)
        if one["type"] == "window"
    )
    earlier = {"record": 1, "run": records[0]["uuid"], "histogram": line["histogram"]}
    spool.append(sqlite.spool, [*records, window | earlier])

    load(sqlite)

    with opened(sqlite) as engine, engine.connect() as connection:
        (row,) = queries.watched(connection, 0, 2**60)
    assert row["p50"] == pytest.approx(1e-6, rel=0.008)


def test_a_file_that_is_loaded_again_changes_nothing(place, run_record, monitor_lines, monitored):
    spool.append(place.spool, [run_record(number) for number in range(3)])
    monitored(place, monitor_lines(10))
    spool.seal(place.spool)
    (file,) = spool.sealed(place.spool)
    kept = shutil.copy(file, place.spool / "kept")

    load(place)
    before = counts(place, runs, metrics, verdicts, windows)
    shutil.move(kept, file)  # as after a kill between the transaction and the deletion of the file

    assert load(place) == 0
    assert counts(place, runs, metrics, verdicts, windows) == before == [4, 6, 3, 10]


def test_a_loader_killed_at_any_instant_loses_nothing_and_repeats_nothing(
    place, monitor_lines, monitored, run_record, monkeypatch
):
    monkeypatch.setattr(loading, "PART", 100)
    for _ in range(3):
        monitored(place, monitor_lines(400, targets=3))
    spool.append(place.spool, [run_record()])

    kills = 0
    for pause_s in (0.01, 0.03, 0.06, 0.1, 0.15, 0.2):
        child = forked(lambda: load(place))
        time.sleep(pause_s)
        os.kill(child, signal.SIGKILL)
        kills += os.waitpid(child, 0)[1] == signal.SIGKILL
    load(place)

    assert kills >= 2, "the loader was killed while it loaded"
    assert counts(place, runs, windows) == [4, 1200]
    assert not spool.waiting(place.spool)


def test_two_hosts_that_load_at_the_same_time_share_documents_and_lose_nothing(
    place, monitor_lines, monitored, run_record
):
    places = [type(place)(place.url.revealed(), place.spool / name) for name in "ab"]
    for number, one in enumerate(places):
        monitored(one, monitor_lines(300, targets=4))
        spool.append(one.spool, [run_record(10 * number + index) for index in range(5)])

    children = [forked(lambda one=one: load(one)) for one in places]
    for child in children:
        os.waitpid(child, 0)

    assert not any(spool.waiting(one.spool) for one in places)
    assert counts(place, runs, windows, targets) == [12, 600, 4]


def test_records_wait_while_the_server_is_away(server, postgresql, run_record):
    spool.append(postgresql.spool, [run_record(0)])
    load(postgresql)
    server.stop()
    try:
        spool.append(postgresql.spool, [run_record(1)])
        with pytest.raises(StoreError, match="does not answer: Connection refused"):
            load(postgresql)
        spool.append(postgresql.spool, [run_record(2)])
    finally:
        server.start()

    assert load(postgresql) == 2
    assert counts(postgresql, runs) == [3]


def test_windows_of_a_clock_that_stepped_back_are_all_kept(place, monitor_lines, monitored):
    head, *lines = monitor_lines(4)
    _, *again = monitor_lines(3, begin_s=1_790_000_060)  # three minutes back: the same begins a second time

    monitored(place, [head, *lines, *again])
    load(place)

    with opened(place) as engine, engine.connect() as connection:
        rows = connection.execute(select(windows.c.number, windows.c.begin_us).order_by(windows.c.number)).all()
    assert len(rows) == 7
    assert len({begin for _, begin in rows}) == 4


@pytest.mark.parametrize("earlier", REVISIONS[:-1])
def test_a_store_of_an_older_version_is_migrated_with_what_it_has(empty, earlier):
    engine = database.engine_of(empty)
    with engine.begin() as connection:
        database.migrate(connection, earlier)
        connection.execute(text("INSERT INTO scenarios (hash, text) VALUES ('h', 't')"))
        assert "checksum" not in {column["name"] for column in inspect(connection).get_columns("runs")}
    engine.dispose()

    with opened(empty) as engine, engine.connect() as connection:
        assert database.revision(connection) == REVISIONS[-1]
        assert connection.execute(text("SELECT hash, text FROM scenarios")).all() == [("h", "t")]
        for table, column in (("windows", "p95"), ("runs", "checksum")):
            assert column in {found["name"] for found in inspect(connection).get_columns(table)}


def test_a_store_of_a_newer_version_is_refused_and_records_wait(place, run_record):
    with opened(place) as engine, engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0999'"))
    spool.append(place.spool, [run_record()])

    with pytest.raises(StoreIsNewer, match=r"later version of Sojourn \(schema 0999"):
        load(place)

    assert spool.waiting(place.spool)


def test_the_migrations_give_the_tables_that_are_declared(empty):
    with opened(empty) as engine, engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
