"""Records that are damaged while they wait: each costs itself alone, is put aside, and is named in one sentence."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn import framing
from sojourn.store import queries, spool
from sojourn.store.database import opened
from sojourn.store.loading import load
from sojourn.store.settings import Place

pytestmark = pytest.mark.hostile("bits flipped in records that wait")

RUNS = 6
Made = Callable[..., dict[str, Any]]


@pytest.fixture
def fresh(migrated: Callable[[str], str], tmp_path: Path) -> Callable[[str], Place]:
    """Stores of SQLite with nothing in them."""

    def made(name: str) -> Place:
        (tmp_path / name).mkdir()
        shutil.copy(migrated("sqlite").removeprefix("sqlite:///"), tmp_path / name / "history.sqlite3")
        return Place(f"sqlite:///{tmp_path}/{name}/history.sqlite3", tmp_path / name / "spool")

    return made


def recorded(run_record: Made) -> list[dict[str, Any]]:
    return [run_record(number, p99=0.1 + number / 100, name=f"site-{number}") for number in range(RUNS)]


def shown(place: Place) -> dict[str, tuple[Any, ...]]:
    """What the store has of each run, by its identity."""
    found = {}
    with opened(place) as engine, engine.connect() as connection:
        for listed in queries.list_runs(connection, queries.Selection()):
            run = queries.run(connection, listed["id"])
            (point,) = run["points"]
            found[run["uuid"]] = run["name"], run["text"], point["metrics"], point["verdicts"]
    return found


def flipped(octets: bytes, bit: int) -> bytes:
    changed = bytearray(octets)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.fixture
def whole(fresh, run_record) -> dict[str, tuple[Any, ...]]:
    """What a store shows of the runs where nothing is damaged."""
    place = fresh("whole")
    spool.append(place.spool, recorded(run_record))
    load(place)
    return shown(place)


@pytest.mark.parametrize("seed", range(25))
def test_a_flipped_bit_costs_one_record_at_most_and_changes_no_value(fresh, run_record, whole, capsys, seed):
    place = fresh("flipped")
    spool.append(place.spool, recorded(run_record))
    file = place.spool / spool.OPEN
    octets = file.read_bytes()
    file.write_bytes(flipped(octets, random.Random(seed).randrange(8 * len(octets))))

    load(place)
    spool.append(place.spool, [run_record(RUNS)])
    load(place)

    found = shown(place)
    assert f"{RUNS:032x}" in found, "what is recorded afterwards is loaded"
    del found[f"{RUNS:032x}"]
    assert all(whole[uuid] == run for uuid, run in found.items())
    assert len(found) >= RUNS - 1
    said = capsys.readouterr().err.splitlines()
    kept = list(place.spool.glob(f"*{framing.DAMAGED}"))
    assert len(said) == len(kept) == RUNS - len(found)
    for sentence, aside in zip(said, kept, strict=True):
        assert ".jsonl: line " in sentence and str(aside) in sentence
        assert any(line in octets or len(line) > 200 for line in aside.read_bytes().splitlines())


@pytest.mark.parametrize("number", range(RUNS))
@pytest.mark.parametrize("bit", [0, 3, 7])
def test_a_line_end_that_changed_costs_nothing(fresh, run_record, whole, number, bit):
    place = fresh("joined")
    spool.append(place.spool, recorded(run_record))
    file = place.spool / spool.OPEN
    octets = file.read_bytes()
    ends = [at for at, octet in enumerate(octets) if octet == ord("\n")]
    file.write_bytes(flipped(octets, 8 * ends[number] + bit))

    load(place)

    assert shown(place) == whole
    assert not list(place.spool.glob(f"*{framing.DAMAGED}"))


def test_a_value_that_was_changed_on_purpose_is_refused_and_kept_aside(place, run_record, capsys):
    spool.append(place.spool, recorded(run_record))
    file = place.spool / spool.OPEN
    file.write_bytes(file.read_bytes().replace(b'"p99":0.12', b'"p99":0.11'))

    load(place)

    found = shown(place)
    assert sorted(found) == [f"{number:032x}" for number in range(RUNS) if number != 2]
    (said,) = capsys.readouterr().err.splitlines()
    (aside,) = place.spool.glob(f"*{framing.DAMAGED}")
    assert ": line 3 does not read" in said and str(aside) in said
    assert b'"name":"site-2"' in aside.read_bytes()


@pytest.mark.parametrize("left", [0.1, 0.35, 0.5, 0.77, 0.99])
def test_a_truncated_file_keeps_all_records_before_its_end(fresh, run_record, whole, left):
    place = fresh("truncated")
    spool.append(place.spool, recorded(run_record))
    file = place.spool / spool.OPEN
    octets = file.read_bytes()
    file.write_bytes(octets[: int(left * len(octets))])

    load(place)

    found = shown(place)
    assert len(found) == octets[: int(left * len(octets))].count(b"\n")
    assert all(whole[uuid] == run for uuid, run in found.items())
    assert list(place.spool.glob(f"*{framing.DAMAGED}"))


def test_the_rest_of_a_line_that_is_longer_than_the_next_record_is_put_aside_whole(tmp_path):
    spool.append(tmp_path, [{"number": 1}])
    torn = b'{"number":2,"text":"' + b"x" * 5000
    with (tmp_path / spool.OPEN).open("ab") as file:
        file.write(torn)

    spool.append(tmp_path, [{"number": 3}])

    first, second, end = (tmp_path / spool.OPEN).read_bytes().split(b"\n")
    assert [json.loads(line)["number"] for line in (first, second)] == [1, 3] and end == b""
    assert (tmp_path / f"{spool.OPEN}{framing.DAMAGED}").read_bytes() == torn + b"\n"


def test_a_record_that_the_tables_do_not_take_is_put_aside_and_all_others_are_loaded(place, run_record, capsys):
    bad = [run_record(10) | {"began": "yesterday"}, run_record(11) | {"seed": {"a": 1}}, {"record": 3, "type": "tea"}]
    for record in (*recorded(run_record)[:3], bad[0], run_record(3), *bad[1:], *recorded(run_record)[4:]):
        spool.append(place.spool, [record])

    load(place)

    assert len(shown(place)) == RUNS
    assert ": lines 4, 6, 7 do not read" in capsys.readouterr().err
    (aside,) = place.spool.glob(f"*{framing.DAMAGED}")
    assert len(aside.read_bytes().splitlines()) == len(bad)


def test_records_of_an_earlier_version_have_no_checksum_and_are_loaded(sqlite, run_record, capsys):
    sqlite.spool.mkdir()
    lines = [json.dumps(run_record(number)) for number in range(3)]
    (sqlite.spool / spool.OPEN).write_text("\n".join([*lines, json.dumps(run_record(4) | {"record": 3}), ""]))

    load(sqlite)

    assert len(shown(sqlite)) == 3
    assert ": line 4 does not read" in capsys.readouterr().err, "those of this version have one"


def test_windows_stay_where_the_first_record_of_their_monitor_is_damaged(place, monitor_lines, monitored):
    monitored(place, monitor_lines(10, targets=2))
    file = place.spool / spool.OPEN
    file.write_bytes(file.read_bytes().replace(b'"type":"monitor"', b'"type":"mon1tor"'))

    load(place)

    with opened(place) as engine, engine.connect() as connection:
        rows = queries.watched(connection, 0, 2**60)
        (monitor,) = queries.list_runs(connection, queries.Selection())
    assert [(row["target"], row["windows"], row["url"]) for row in rows] == [("target-0", 5, ""), ("target-1", 5, "")]
    assert monitor["is_sound"] and monitor["command"] == "monitor"


def test_a_record_is_put_aside_once_however_often_its_part_is_loaded(tmp_path):
    for _ in range(3):
        framing.put_aside(tmp_path / "x.jsonl", [(0, b"{broken"), (7, b"{torn")])

    assert (tmp_path / "x.jsonl.damaged").read_bytes() == b"{broken\n{torn\n"


@pytest.mark.parametrize(
    "text", ['{"a":1}', '{\n "a": "}",\n "b": [1, 2]\n}', '{"a":"\\",\\"crc32\\":\\"00000000\\"}"}']
)
def test_a_record_reads_as_it_was_and_with_any_bit_flipped_never_as_another_with_its_checksum(text):
    octets = framing.framed(text)

    assert framing.read(octets) == framing.Record(json.loads(text), is_checked=True)
    assert json.loads(octets) == json.loads(text) | {"crc32": json.loads(octets)["crc32"]}
    for bit in range(8 * len(octets)):
        try:
            found = framing.read(flipped(octets, bit))
        except framing.Damaged:
            continue
        assert found.members == json.loads(text) or not found.is_checked
