"""A database that is damaged: no changed value is shown in silence, and `history` checks, repairs and rebuilds it."""

import json
import random
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from sojourn.errors import SojournError
from sojourn.store import aside, backup, checksums, database, healing, queries, retention, series, spool, tagging
from sojourn.store.database import DamagedRun, StoreError, opened
from sojourn.store.loading import load
from sojourn.store.rebuilding import rebuild
from sojourn.store.recovery import integrity
from sojourn.store.schema import REVISIONS, runs, windows
from sojourn.store.settings import Place
from sojourn.store.waiting import StoreBusy

pytestmark = pytest.mark.hostile("a damaged database")

RUNS = 12
MANY = 40
"""Runs whose metrics take several pages."""
LEAF_OF_A_TABLE, LEAF_OF_AN_INDEX = 13, 10
"""First octet of a page, as the file format of SQLite has it."""


def filled(place: Place, run_record, count: int = RUNS) -> None:
    spool.append(place.spool, [run_record(number, p99=0.1 + number / 100) for number in range(count)])
    load(place)


def shown(place: Place) -> tuple[dict[str, Any], list[int]]:
    """What the store shows of each run, by identity, and the numbers of those that it says are damaged."""
    found, damaged = {}, []
    with opened(place) as engine, engine.connect().execution_options(reads=True) as connection:
        sound, left_out = queries.sound(queries.list_runs(connection, queries.Selection()))
        for listed in sound:
            try:
                run = queries.run(connection, listed["id"])
            except DamagedRun:
                damaged.append(listed["id"])
            else:
                found[run["uuid"]] = listed | run
    return found, damaged + left_out


def file_of(place: Place) -> Path:
    found = backup.file_of(place)
    assert found is not None
    return found


def in_one_file(place: Place) -> bytes:
    """The database without its log, as after the last connection."""
    with closing(sqlite3.connect(file_of(place))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    return file_of(place).read_bytes()


def damage(place: Place, octets: bytes) -> None:
    for ending in backup.BESIDE:
        Path(f"{file_of(place)}{ending}").unlink(missing_ok=True)
    file_of(place).write_bytes(octets)


def assert_heals(place: Place, whole: dict[str, Any], octets: bytes) -> dict[str, Any]:
    """Nothing shown differs from what was recorded; after a repair all is sound. Returns what is left."""
    try:
        before, _ = shown(place)
    except StoreError as error:
        before = {}
        assert "history repair" in str(error) and "history rebuild" in str(error)
    assert all(whole[uuid] == run for uuid, run in before.items())
    was_sound = not healing.check(place).damage

    done = healing.repair(place)

    after, damaged = shown(place)
    assert not damaged and not healing.check(place).damage
    assert all(whole[uuid] == run for uuid, run in after.items())
    assert before.keys() <= after.keys(), "a repair loses nothing that was shown"
    assert was_sound == (not done)
    if done:
        copies = [file for file in file_of(place).parent.glob("history.sqlite3.2*") if not file.name.endswith("wal")]
        assert [len(copy.read_bytes()) for copy in copies] == [len(octets)]
    return after


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=pytest.mark.nightly) for n in range(5, 20))])
def test_a_flipped_bit_of_the_database_changes_no_value_in_silence_and_is_repaired(sqlite, run_record, seed):
    filled(sqlite, run_record)
    whole, _ = shown(sqlite)
    octets = bytearray(in_one_file(sqlite))
    bit = random.Random(seed).randrange(8 * len(octets))
    octets[bit // 8] ^= 1 << bit % 8
    damage(sqlite, bytes(octets))

    assert_heals(sqlite, whole, bytes(octets))


@pytest.mark.parametrize("left", [0.0005, 0.2, 0.5, 0.8, 0.97])
def test_a_truncated_database_says_how_to_go_on_and_keeps_what_reads(sqlite, run_record, left):
    filled(sqlite, run_record)
    whole, _ = shown(sqlite)
    octets = in_one_file(sqlite)
    octets = octets[: int(left * len(octets))]
    damage(sqlite, octets)

    assert_heals(sqlite, whole, octets)


@pytest.mark.parametrize(("kind", "costs_runs"), [(LEAF_OF_A_TABLE, True), (LEAF_OF_AN_INDEX, False)])
def test_a_page_of_zeros_costs_the_runs_in_it_alone_and_none_where_it_is_of_an_index(
    sqlite, run_record, monitor_lines, monitored, kind, costs_runs
):
    monitored(sqlite, monitor_lines(200, targets=2))
    filled(sqlite, run_record, MANY)
    whole, _ = shown(sqlite)
    octets = bytearray(in_one_file(sqlite))
    size = int.from_bytes(octets[16:18], "big")
    pages = (at for at in range(size, len(octets), size) if octets[at] == kind)
    first = next(at for at in pages if octets.count(b"response_time", at, at + size) > 9)
    octets[first : first + size] = bytes(size)
    damage(sqlite, bytes(octets))

    after = assert_heals(sqlite, whole, bytes(octets))

    assert 0 < len(after) <= len(whole)
    assert (len(after) < len(whole), aside.file_of(sqlite).exists()) == (costs_runs, costs_runs)
    with opened(sqlite) as engine, engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(windows)).scalar() == 200


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE metrics SET value = 67.64 WHERE name = 'response_time' AND point_id = 3",
        "UPDATE metrics SET p99 = NULL WHERE name = 'response_time' AND point_id = 3",
        "UPDATE verdicts SET verdict = 'missed' WHERE point_id = 3",
        "UPDATE points SET settings = '{' WHERE id = 3",
        "UPDATE runs SET seed = 2 WHERE id = 3",
        "UPDATE runs SET settings = 'x' WHERE id = 3",
        "UPDATE runs SET checksum = NULL WHERE id = 3",
        "UPDATE scenarios SET text = 'x' WHERE id = 3",
        "DELETE FROM metrics WHERE point_id = 3 AND name = 'loss'",
        "INSERT INTO tags (run_id, tag) VALUES (3, 'x')",
    ],
)
def test_a_value_that_was_changed_is_refused_with_what_to_do_and_put_aside_by_a_repair(place, run_record, statement):
    spool.append(place.spool, [run_record(number, text=f"# {number}") for number in range(5)])
    load(place)
    with opened(place) as engine, engine.begin() as connection:
        connection.execute(text(statement))

    with opened(place) as engine, engine.connect() as connection:
        with pytest.raises(DamagedRun, match=r"run 3 is damaged.*`sojourn history repair`"):
            queries.run(connection, 3)
        with pytest.raises(DamagedRun, match="run 3 is damaged"):
            series.of_runs(connection, queries.Selection(), "response_time.p99")
        assert queries.run(connection, 2)["points"][0]["metrics"]["response_time"]["value"] == 0.05
    with opened(place) as engine, pytest.raises(DamagedRun):
        tagging.change(engine, 3, ["x"], remove=False)
    assert healing.check(place).damage == ["run 3 is damaged, the checksum is another one"]
    healing.repair(place)

    with opened(place) as engine, engine.connect() as connection:
        assert connection.execute(select(runs.c.id).order_by(runs.c.id)).scalars().all() == [1, 2, 4, 5]
    (kept,) = [json.loads(line) for line in aside.file_of(place).read_bytes().splitlines()]
    assert kept["runs"][0]["uuid"] == f"{2:032x}"
    assert healing.check(place).damage == [] and healing.check(place).kept == [aside.file_of(place)]


def test_a_list_leaves_out_a_run_whose_row_was_changed_and_names_it(place, run_record):
    spool.append(place.spool, [run_record(number) for number in range(3)])
    load(place)
    with opened(place) as engine, engine.begin() as connection:
        connection.execute(text("UPDATE runs SET begin_us = 9000000000000000000 WHERE id = 2"))

    with opened(place) as engine, engine.connect() as connection:
        sound, damaged = queries.sound(queries.list_runs(connection, queries.Selection()))

    assert ([row["id"] for row in sound], damaged) == ([3, 1], [2])


def test_tags_roll_ups_and_later_windows_leave_checksums_right(place, run_record, monitor_lines, monitored):
    filled(place, run_record)
    monitored(place, monitor_lines(10))
    load(place)
    with opened(place) as engine:
        tagging.change(engine, 1, ["b", "a"], remove=False)
        tagging.change(engine, 1, ["b"], remove=True)
        retention.roll_up(engine, 2**60, 2**60)
        with engine.connect() as connection:
            assert checksums.damaged(connection) == []


def test_a_damaged_monitor_keeps_its_windows(place, monitor_lines, monitored):
    monitored(place, monitor_lines(10))
    load(place)
    with opened(place) as engine, engine.begin() as connection:
        connection.execute(text("UPDATE runs SET name = 'other'"))

    healing.repair(place)

    with opened(place) as engine, engine.connect() as connection:
        (row,) = queries.watched(connection, 0, 2**60)
    assert row["windows"] == 10 and not healing.check(place).damage


@pytest.mark.parametrize("earlier", REVISIONS[:-1])
def test_a_database_is_copied_before_its_schema_changes(tmp_path, earlier):
    place = Place(f"sqlite:///{tmp_path}/history.sqlite3", tmp_path / "spool")
    engine = database.engine_of(place)
    with engine.begin() as connection:
        database.migrate(connection, earlier)
        connection.execute(
            text("INSERT INTO runs (uuid, command, name, begin_us, well) VALUES ('u', 'run', 'n', 1, 1)")
        )
    engine.dispose()

    with opened(place) as engine, engine.connect() as connection:
        assert checksums.damaged(connection) == [], "what was there has a checksum from now on"

    copy = tmp_path / f"history.sqlite3.schema-{earlier}"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(earlier,)]
        assert connection.execute("SELECT uuid FROM runs").fetchall() == [("u",)]


def test_a_schema_does_not_change_without_a_copy(tmp_path, monkeypatch):
    place = Place(f"sqlite:///{tmp_path}/history.sqlite3", tmp_path / "spool")
    engine = database.engine_of(place)
    with engine.begin() as connection:
        database.migrate(connection, REVISIONS[0])
    engine.dispose()

    def full(file: Path, part: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "_copied", full)
    with pytest.raises(SojournError, match=r"no backup of .*: No space left on device"), opened(place):
        pass

    engine = database.engine_of(place)
    with engine.connect() as connection:
        assert database.revision(connection) == REVISIONS[0]
    engine.dispose()


def test_a_store_that_another_program_holds_is_announced_and_waited_for(sqlite, run_record, capsys):
    spool.append(sqlite.spool, [run_record()])
    other = sqlite3.connect(file_of(sqlite), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1.6, other.execute, ["COMMIT"])
    release.start()

    began_s = time.monotonic()
    assert load(sqlite) == 1

    assert 1.5 <= time.monotonic() - began_s < 20
    (said,) = capsys.readouterr().err.splitlines()
    assert "another program holds the store" in said and "waiting up to 30 s" in said
    release.join()
    other.close()


def test_the_wait_for_another_program_ends_and_nothing_is_lost(sqlite, run_record, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.3)
    spool.append(sqlite.spool, [run_record()])
    with closing(sqlite3.connect(file_of(sqlite), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="another program holds the store"):
            load(sqlite)
        assert shown(sqlite)[0] == {}, "who only reads does not wait"

    assert load(sqlite) == 1


def test_a_store_held_by_itself_alone_is_announced_as_well(sqlite, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.3)
    in_one_file(sqlite)
    with closing(sqlite3.connect(file_of(sqlite), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusy), opened(sqlite):
            pass
        with pytest.raises(StoreBusy), database.read_only(sqlite) as connection:
            connection.execute(text("SELECT count(*) FROM runs"))


@pytest.fixture
def results(sojourn, tmp_path) -> Path:
    assert sojourn("new", "queue", "-o", tmp_path / "site.toml").returncode == 0
    short = ("--set", "run.duration=20 s")
    for seed in "12":
        done = sojourn("run", tmp_path / "site.toml", *short, "--seed", seed, "--out", tmp_path / "all" / seed)
        assert done.returncode == 0, done.stderr
    return tmp_path / "all"


def listed(sojourn) -> list[dict[str, Any]]:
    return json.loads(sojourn("history", "--format", "json").stdout)


def test_a_history_is_made_anew_from_results_and_the_old_one_is_kept(sojourn, results, tmp_path):
    of_runs = [json.loads(sojourn("history", "show", number, "--format", "json").stdout)[0] for number in "12"]
    folder = tmp_path / "home/.local/share/sojourn"
    (folder / "history.sqlite3").write_bytes(b"x" * 5000)
    for ending in backup.BESIDE:
        (folder / f"history.sqlite3{ending}").unlink(missing_ok=True)
    refused = sojourn("history")
    checked = sojourn("history", "check")
    (results / "bad").mkdir()
    (results / "bad/results.json").write_bytes(b"\xff{")

    rebuilt = sojourn("history", "rebuild", results, results / "1")

    assert refused.returncode == 1 and "sojourn history rebuild" in refused.stderr
    assert checked.returncode == 1 and "not a database" in checked.stdout
    assert rebuilt.returncode == 1 and f"{results}/bad/results.json is not UTF-8" in rebuilt.stderr
    (kept,) = folder.glob("history.sqlite3.2*")
    assert kept.read_bytes() == b"x" * 5000 and str(kept) in rebuilt.stderr
    again = [json.loads(sojourn("history", "show", number, "--format", "json").stdout)[0] for number in "12"]
    for run in (*of_runs, *again):
        del run["id"], run["uuid"], run["scenario_id"]
        for point in run["points"]:
            del point["id"], point["run_id"]
    assert again == [run | {"folder": str(results / str(run["seed"]))} for run in of_runs]
    assert sojourn("history", "check").stdout == "the history is sound: 2 runs\n"


def test_a_run_that_waits_and_whose_folder_is_given_is_in_the_history_once(sojourn, results):
    done = sojourn("history", "rebuild", results)

    assert done.stdout == "the history has 2 runs\n", done.stderr
    assert len(listed(sojourn)) == 2


def test_a_damaged_line_of_a_monitor_is_put_aside_and_its_windows_are_in_the_new_history(
    sqlite, tmp_path, monitor_lines, capsys
):
    folder = tmp_path / "monitored"
    folder.mkdir()
    lines = [json.dumps(line).encode() for line in monitor_lines(10)]
    lines[4] = lines[4].replace(b'"sent"', b'"se\xfft"')
    lines[7] = lines[7][:50]
    (folder / "monitor-2026-11-23-0001.jsonl").write_bytes(b"\n".join(lines) + b"\n")

    for _ in range(2):
        assert rebuild(sqlite, [folder]).runs == 1

    with opened(sqlite) as engine, engine.connect() as connection:
        (row,) = queries.watched(connection, 0, 2**60)
    assert row["windows"] == 8
    assert "monitor-2026-11-23-0001.jsonl: lines 5, 8 do not read" in capsys.readouterr().err
    assert len((folder / "monitor-2026-11-23-0001.jsonl.damaged").read_bytes().splitlines()) == 2


def test_a_server_that_has_runs_is_not_replaced(postgresql, run_record, tmp_path):
    spool.append(postgresql.spool, [run_record()])
    load(postgresql)

    with pytest.raises(SojournError, match="pg_dump"):
        rebuild(postgresql, [tmp_path])


def test_check_repair_and_the_list_say_what_is_damaged_on_the_command_line(sojourn, results, tmp_path):
    assert len(listed(sojourn)) == 2
    with closing(sqlite3.connect(tmp_path / "home/.local/share/sojourn/history.sqlite3")) as connection:
        connection.execute("UPDATE runs SET seed = 9 WHERE id = 1")
        connection.commit()

    done = {words: sojourn("history", *words.split()) for words in ("", "show 1", "export", "check", "repair")}
    sound = sojourn("history", "check")

    assert (done[""].returncode, len(done[""].stdout.splitlines())) == (0, 3)
    assert "run 1 is damaged" in done[""].stderr and "run 1 is damaged" in done["show 1"].stderr
    assert [done[words].returncode for words in ("show 1", "export", "check", "repair")] == [1, 1, 1, 0]
    assert len(done["export"].stdout.splitlines()) == 1
    assert sound.returncode == 0 and "history.sqlite3.damaged keeps what was damaged" in sound.stderr


@pytest.mark.parametrize("number", ["0", "-1", "2147483648", "9" * 23, "9" * 4000])
def test_an_absurd_number_of_a_run_is_unknown(sojourn, number):
    done = sojourn("history", "show", "--", number)

    assert done.returncode == 2 and "there is no run" in done.stderr and len(done.stderr) < 200


def test_a_sound_database_has_nothing_to_repair_and_is_not_copied(sqlite, run_record):
    filled(sqlite, run_record)

    assert integrity(file_of(sqlite)) == [] and healing.repair(sqlite) == []
    assert not list(file_of(sqlite).parent.glob("history.sqlite3.2*"))
