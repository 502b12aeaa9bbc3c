"""The scoreboard of twins: each capture once, in an order that is given, kind by kind."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scoreboard(monkeypatch):
    spec = importlib.util.spec_from_file_location("twin_scoreboard", ROOT / "tools" / "twin_scoreboard.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "twin_scoreboard", module)
    spec.loader.exec_module(module)
    return module


def _found(service, requests, verdict=None, goodput=None):
    flows = [{"service": service, "transactions": requests + 6, "unanswered": 1, "refused": 1, "open": 4}]
    ratios = {"p50": 1.0, "p99": 1.0, "response_rate": 1.0, "goodput": goodput, "transfer_time": goodput, "why": ""}
    return {"network": "ip", "flows": flows, "twin": verdict and ratios | {"verdict": verdict}}


def test_the_same_contents_are_one_capture_and_the_order_is_that_of_their_hashes(scoreboard, tmp_path):
    for name, text in {"a": "one", "b": "two", "c": "one", "d": "three"}.items():
        (tmp_path / name).write_text(text)

    assert [path.name for path in scoreboard.captures([tmp_path])] == ["b", "a", "d"]


def test_a_table_counts_the_verdicts_of_each_kind_and_captures_of_few_requests_or_other_kinds_are_not_in_it(
    scoreboard, monkeypatch
):
    captures = {
        "walk": _found("UDP 161", 200, "agrees"),
        "few": _found("UDP 161", 4, "agrees"),
        "drive": _found("TCP 445", 40, "deviates"),
        "backup": _found("TCP 445", 40, "not-compared", goodput=0.7),
        "dump": _found("TCP 5001", 1)
        | {
            "conversations": [
                {"from": "a", "to": "b", "l3_bytes": 150_000},
                {"from": "b", "to": "a", "l3_bytes": 5_000},
            ]
        },
        "game": _found("UDP 27015", 400, "agrees"),
        "odd": _found("UDP 53", 30),
        "office": _found("UDP 53", 30, "agrees") | {"streams": [{"packets": 400}, {"packets": 390}]},
        "ring": _found("UDP 53", 3) | {"streams": [{"packets": 20}]},
    }
    monkeypatch.setattr(scoreboard, "analysed", lambda path, _scenario, _seconds: captures[path.name])

    rows = list(scoreboard.judged([Path(name) for name in captures], 10, 12, 60))

    assert {row.capture: row.verdict for row in rows} == {
        "walk": "agrees",
        "drive": "deviates",
        "backup": "not-compared",
        "odd": "refused",
        "dump": "refused",
        "office": "agrees",
    }
    table = scoreboard.table(rows).splitlines()
    assert table[0] == "| kind | captures | agree | deviate | not compared | refused |"
    assert "| bulk TCP | 2 | 0 | 0 | 1 | 1 |" in table
    assert "| calls | 1 | 1 | 0 | 0 | 0 |" in table
    assert table[-1] == "| all | 6 | 2 | 1 | 1 | 2 |"


def test_an_analysis_that_fails_is_refused_with_its_last_line(scoreboard, monkeypatch, tmp_path):
    (tmp_path / "a.pcap").write_bytes(b"not a capture")

    found = scoreboard.analysed(tmp_path / "a.pcap", None, 60)

    assert found["error"]
    assert json.dumps(found)
