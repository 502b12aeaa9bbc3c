"""What events do over time, in results, figures and text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sojourn.api import run
from sojourn.cli import recoveries
from sojourn.errors import UnknownName
from sojourn.figures import Figure, draw, open_ends
from sojourn.figures.timeline import answered_shares
from sojourn.report.automatic import automatic_figures
from sojourn.results import Results

SCENARIO = """
[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "deterministic", mean = "8 ms" }
[[flow]]
name = "customers"
path = ["desk"]
arrivals = { kind = "periodic", interval = "10 ms", start = "at-once" }
[[event]]
name = "outage"
at = "5 s"
duration = "1 s"
stations = "desk"
action = "down"
[run]
duration = "20 s"
warm_up = "1 s"
replications = 3
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("timeline") / "outage.toml"
    file.write_text(SCENARIO)
    return run(file)


def test_an_outage_of_a_second_is_recovered_from_when_arithmetic_says(results) -> None:
    recovery = results["recovery_time/outage"]
    assert recovery.mean == pytest.approx(5.0)
    assert (recovery.raw["never"], recovery.sent) == (0, 3)
    text = recoveries.of_point(results.points[0])
    assert "at 5 s for 1" in text
    assert "5 s" in text
    assert "0 of 3" in text


def test_metrics_over_time_are_aligned_to_the_event_and_apart_from_the_others(results) -> None:
    (point,) = results.points
    assert point.events == [{"name": "outage", "action": "down", "begin": 5.0, "end": 6.0}]
    timeline = point.timeline("response_time")
    assert {5.0, 6.0} <= set(timeline["start"])
    # the customer that comes at the very end is still being served
    assert sum(timeline["sent"]) == sum(timeline["delivered"]) + 3 == 3 * 2001
    assert timeline["p99"][timeline["start"].index(5.0)] == pytest.approx(1.008)
    assert not [name for name in point.metrics if name.endswith("/timeline")]


def test_the_report_of_a_scenario_with_events_begins_with_its_timeline(results) -> None:
    first = automatic_figures(results)[0]
    assert (first.kind, first.y) == ("timeline", ("response_time", "queue_length", "utilisation"))
    drawn = json.dumps(draw(first, results).to_dict())
    assert '"outage"' in drawn
    assert "Queue length" in drawn


@pytest.mark.parametrize(("has_upper_end", "tail"), [(True, "p99"), (False, "p95")])
def test_p95_takes_the_place_of_a_p99_that_no_window_has_responses_enough_for(results, has_upper_end, tail) -> None:
    changed = Results.parse(json.dumps(results.raw))
    timeline = changed.raw["points"][0]["metrics"]["response_time/timeline"]
    for name, closed in (("p99", has_upper_end), ("p95", True)):
        timeline[f"{name}_ci95"] = [value and [value, 2 * value if closed else None] for value in timeline[name]]
    drawn = json.dumps(draw(automatic_figures(changed)[0], changed).to_dict())
    assert [name for name in ("p95", "p99") if f'"{name}"' in drawn] == [tail]


def test_a_scenario_without_events_has_no_timeline(loaded) -> None:
    plain = loaded({"D": {100.0: [15.0, 16.0]}})
    assert "timeline" not in {figure.kind for figure in automatic_figures(plain)}
    with pytest.raises(UnknownName, match="nothing is observed over time"):
        draw(Figure.read({"id": "t", "kind": "timeline", "y": ["response_time"]}), plain)


LOSSY = """
[network]
kind = "ip"
[[medium]]
name = "line"
rate = "10 Mbit/s"
[[station]]
name = "client"
on = "line"
[[station]]
name = "server"
on = "line"
[probe]
from = "client"
to = "server"
think = "10 ms"
timeout = "100 ms"
[[event]]
name = "outage"
at = "3 s"
duration = "2 s"
media = "line"
action = "down"
[run]
duration = "7 s"
warm_up = "1 s"
replications = 3
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("timeline") / "lossy.toml"
    file.write_text(LOSSY)
    results = run(file)
    return draw(automatic_figures(results)[0], results).to_dict()


def _marks(spec: dict[str, Any], kind: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """The title of the vertical axis and the rows of all marks of a kind."""
    found = []
    for panel in spec["vconcat"]:
        for layer in panel.get("layer", [panel]):
            if layer["mark"]["type"] == kind:
                data = layer["data"]
                rows = data["values"] if "values" in data else spec["datasets"][data["name"]]
                found.append((layer["encoding"]["y"]["title"], rows))
    return found


def test_line_and_band_of_the_response_time_have_a_gap_with_crosses_at_the_top_while_nothing_is_answered(drawn) -> None:
    title, line = _marks(drawn, "line")[0]
    _, band = _marks(drawn, "area")[0]
    assert title.startswith("Response time")
    inside = [row for row in line if 3.2 < row["x"] < 4.8]
    assert inside
    assert all(row["y"] is None for row in inside)
    assert not [row for row in band if 3.2 < row["x"] < 4.8]
    assert [row for row in band if row["x"] < 3]
    crosses = [
        row["x"]
        for layer in drawn["vconcat"][1]["layer"]
        if layer["mark"].get("shape") == open_ends.CROSS
        for row in layer["data"]["values"]
    ]
    assert crosses and all(3 < x < 5 for x in crosses)


def test_what_is_not_answered_is_drawn_from_the_begin_of_the_event_to_its_end(drawn) -> None:
    ((title, rows),) = _marks(drawn, "rect")
    assert title == "Not answered (%)"
    lost = [row for row in rows if row["y"] > 0]
    assert (min(row["x"] for row in lost), max(row["x2"] for row in lost)) == (3.0, 5.0)


def test_requests_in_flight_at_the_end_of_the_run_are_not_drawn_as_not_answered() -> None:
    timeline = {"sent": [10, 10, 4, 0], "delivered": [10, 6, 1, 0], "in_flight": [0, 0, 3, 0]}
    assert answered_shares(timeline) == [1.0, 0.6, 1.0, None]
