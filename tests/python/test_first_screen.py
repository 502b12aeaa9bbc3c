"""The first screen of a run, a sweep and a search: one table that fits, without zeros and members of members."""

from typing import Any

import pytest

from sojourn import headlines
from sojourn.cli import first, first_points, output
from sojourn.results import Results


@pytest.fixture
def run(loaded: Any) -> Results:
    """A run of 200 requests on two flows, with losses nowhere and three media."""
    results: Results = loaded({"D": {100.0: [15, 16]}})
    results.raw["axes"] = {}
    point = results.raw["points"][0]
    point["set"] = {}
    metrics = point["metrics"]
    for name in ("alarm-2", "alarm-10", "alarm-2/forward"):
        metrics[f"response_time/{name}"] = metrics["response_time"]
    for name, value in (("floor-1", 0.1), ("floor-2", 0.4), ("floor-10", 0.2)):
        metrics[f"utilisation/{name}"] = {"unit": "1", "value": value, "ci95": None}
    metrics["failures"] = {"unit": "1", "value": 0.0, "ci95": [0.0, 3.689], "by_replication": {"value": [0.0, 0.0]}}
    return results


def names(text: str) -> list[str]:
    """The first column of the first table of a text."""
    return [line.split("  ")[0] for line in text.split("\n\n", maxsplit=1)[0].splitlines()[2:]]


def test_a_run_has_its_flows_in_natural_order_and_the_busiest_medium(run: Results) -> None:
    shown = names(first.of_run(run, []))
    assert shown[:2] == ["response_time/alarm-2", "response_time/alarm-10"]
    assert shown[-1] == "utilisation/floor-2"
    assert "response_time" not in shown, "both flows say it"
    assert "response_time/alarm-2/forward" not in shown


def test_a_zero_is_a_row_only_where_it_is_required(run: Results) -> None:
    assert "failures" not in names(first.of_run(run, []))
    assert "failures" in names(first.of_run(run, [("failures", "value")]))


def test_a_table_has_eight_rows_at_most_and_80_columns(run: Results) -> None:
    metrics = run.raw["points"][0]["metrics"]
    for name in first.LOOKED_AT:
        metrics[name] = {"unit": "1", "value": 123.456, "ci95": [100.0, 200.0]}
    text = first.of_run(run, [])
    assert len(names(text)) == 8
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_is_required_is_a_row_however_many_there_are(run: Results) -> None:
    metrics = run.raw["points"][0]["metrics"]
    for name in first.LOOKED_AT:
        metrics[name] = {"unit": "1", "value": 123.456, "ci95": [100.0, 200.0]}
    shown = names(first.of_run(run, [("queue_length", "value")]))
    assert "queue_length" in shown
    assert len(shown) == 8


def test_where_the_time_goes_names_what_is_largest_and_that_of_the_slowest(run: Results) -> None:
    # the shares of the fixture: 25, 50 and 25 %
    text = " ".join(first.of_run(run, []).split())
    assert "where the time goes: retransmission 50 %" in text
    assert "; of the slowest 1 %: retransmission 50 %" in text


def test_columns_says_how_wide_a_table_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert output.width() == 120
    monkeypatch.setenv("COLUMNS", "wide")
    assert output.width() == 80


def test_a_value_keeps_its_unit_at_the_end_of_a_line() -> None:
    text = "x" * 70 + " at most 24.1 ms"
    assert output.filled(text).splitlines()[-1].endswith("24.1 ms")
    assert output.filled("x" * 74 + " 24.1 ms").splitlines()[1] == "24.1 ms"


def test_a_sweep_says_what_changes_over_its_key(loaded: Any) -> None:
    results = loaded({"D": {100.0: [15, 15], 200.0: [15, 15], 300.0: [60, 60]}})
    (said,) = headlines.of_sweep(results, [])
    assert said.startswith("The mean response time is 15 ms up to 200 packets/s, more than double its first value from")


def test_a_sweep_says_where_its_requirement_is_met_and_shows_it_in_one_table(loaded: Any) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [20, 21], 300.0: [60, 61]}})
    text = "response_time.mean < 30 ms"
    rows = [
        {"point": index, "experiment": "D", "set": {"background.rate": rate}, "text": text, "unit": "s", **found}
        for index, (rate, found) in enumerate({
            100.0: {"value": 0.0155, "interval": None, "verdict": "met"},
            200.0: {"value": 0.0205, "interval": None, "verdict": "met"},
            300.0: {"value": 0.0605, "interval": None, "verdict": "missed"},
        }.items())
    ]  # fmt: skip
    (said,) = headlines.of_sweep(results, rows)
    assert said.startswith("The mean response time is 15.5 ms at offered load 100 packets/s, and ")
    assert said.endswith(
        "the requirement of less than 30 ms is met at 2 of 3 points; missed at offered load 300 packets/s."
    )
    head, _, *lines = first_points.of_sweep(results, [("response_time", "mean")], rows).splitlines()
    assert head.split()[:3] == ["background.rate", "response_time", "verdict"]
    assert [line.split("  ")[0] for line in lines[:3]] == ["100 packets/s", "200 packets/s", "300 packets/s"]
    assert all(len(line) <= 80 for line in [head, *lines])


def trial(value: float, verdict: str) -> dict[str, Any]:
    condition = {"text": "mos > 3.6", "metric": "mos", "unit": "1", "value": value / 10, "interval": None}
    return {"value": value, "value_text": f"{value:.0f}", "verdict": verdict, "conditions": [condition]}


def test_a_search_shows_the_eight_values_nearest_to_the_limit_with_the_metric_of_the_condition() -> None:
    trials = [trial(float(value), "met" if value < 20 else "missed") for value in range(1, 31)]
    search = {"key": "flow.calls.voice.channels", "text": "mos > 3.6", "value": 19.0, "trials": trials}
    head, _, *rows = first_points.of_search(search).splitlines()
    assert head.split() == ["flow.calls.voice.channels", "mos", ">", "3.6", "verdict"]
    values = [int(row.split()[0]) for row in rows[:8]]
    assert values == list(range(15, 23))
    assert "8 of 30 values" in rows[8]
