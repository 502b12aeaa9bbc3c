"""The head of a report says what its findings and its tables say, with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sojourn.report.headline import headline
from sojourn.report.verdict import verdict
from sojourn.results import Results

WHY = "no steady state: more arrives at server (105 customers/s) than it serves (100 customers/s)"


def condition(value: float, word: str, reason: str | None = None) -> dict[str, Any]:
    of = {"text": "response_time.mean < 3 s", "metric": "response_time", "field": "mean", "unit": "s", "limit": 3.0}
    return of | {"groups": None, "value": value, "interval": [1.4, 2.7], "verdict": word, "reason": reason}


def tried(value: str, word: str, one: dict[str, Any]) -> dict[str, Any]:
    return {"value": float(value), "value_text": f"{value} /s", "verdict": word, "runs": None, "conditions": [one]}


def search(**changed: Any) -> dict[str, Any]:
    whole = {
        "key": "flow.customers.arrivals.rate",
        "unit": "1/s",
        "text": "response_time.mean < 3 s",
        "question": None,
        "outcome": "undecided",
        "direction": "largest",
        "value": 150.0,
        "value_text": "150 /s",
        "interval_text": ["93.8 /s", None],
        "replications": 20,
        "asked": None,
        "written": None,
        "found": tried("150", "undecided", condition(2.9, "undecided")),
    }
    return whole | changed


def test_of_an_overloaded_value_that_was_asked_for_the_reason_stands_beside_a_time_within_the_limit(
    loaded: Any, tmp_path: Path
) -> None:
    asked = tried("105", "missed", condition(2.03, "missed", WHY))
    (tmp_path / "find.json").write_text(json.dumps(search(asked=asked)))
    results = loaded({"D": {100.0: [15, 16], 105.0: [20, 21]}})

    head = headline(results, tmp_path, None, verdict(results, tmp_path, None), [])
    assert head.lines[0] == (
        f"No: with flow.customers.arrivals.rate = 105 /s, mean of response time is 2.03 s ({WHY})."
    )


def test_a_value_at_the_end_of_the_range_is_no_limit_where_none_was_found(loaded: Any, tmp_path: Path) -> None:
    results = loaded({"D": {100.0: [15, 16], 150.0: [20, 21]}})
    for outcome, named in (("undecided", "Tried"), ("found", "Limit")):
        (tmp_path / "find.json").write_text(json.dumps(search(outcome=outcome, interval_text=["93.8 /s", "150 /s"])))
        table = headline(results, tmp_path, None, [("Limit", "A limit.")], []).table
        assert table is not None
        assert [row[0] for row in table.rows] == [named]


def run(loaded: Any, **point: Any) -> Results:
    results: Results = loaded({"D": {100.0: [15, 16]}})
    results.raw["axes"] = {}
    results.raw["points"][0] |= {"set": {}, **point}
    return Results.parse(json.dumps(results.raw))


def test_the_bottleneck_of_a_report_is_that_of_the_terminal_and_not_the_busiest_medium(
    loaded: Any, tmp_path: Path
) -> None:
    row = {"offered": 1.34, "carried": 1.0, "unit": "1", "utilisation": 1.0, "demand": 1.34, "stable": False}
    link = {"offered": 6000.0, "carried": 6000.0, "unit": "packets/s", "utilisation": 0.61, "demand": 0.61}
    stability = [row | {"resource": "processor of bp"}, link | {"resource": "sw/bp", "stable": True}]
    results = run(loaded, stability=stability)
    found = dict(verdict(results, tmp_path, None))

    assert found["Bottleneck"].startswith("processor of bp, asked for 134 % of what it can do; next: sw/bp")
    assert "Busiest medium" not in found
    lines = headline(results, tmp_path, None, list(found.items()), []).lines
    assert lines[0].startswith("More arrives at processor of bp (134 % of its time) than it serves")


def test_the_answer_of_an_outage_is_how_long_recovery_took(loaded: Any, tmp_path: Path) -> None:
    results = run(loaded)
    point = results.raw["points"][0]
    point["events"] = [{"name": "cut", "action": "down", "begin": 20.0, "end": 25.0}]
    recovery = {"unit": "s", "count": 2, "sent": 2, "never": 0, "mean": 5.0, "ci95": [4.9, 5.1]}
    point["metrics"]["recovery_time/cut"] = recovery
    said = verdict(results, tmp_path, None)
    lines = headline(results, tmp_path, None, said, []).lines

    assert "After cut (at 20 s for 5 s) recovery took 5.00 ± 0.10 s from its begin." in lines
    point["metrics"]["recovery_time/cut"] = recovery | {"never": 2, "count": 0, "mean": None, "ci95": None}
    assert dict(verdict(results, tmp_path, None))["Recovery"] == "After cut (at 20 s for 5 s) no recovery in 2 of 2."
