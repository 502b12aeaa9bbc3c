"""What events do over time, in results, figures and text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sojourn.api import run
from sojourn.cli import recoveries
from sojourn.errors import UnknownName
from sojourn.figures import Figure, draw
from sojourn.report.automatic import automatic_figures

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


def test_a_scenario_without_events_has_no_timeline(loaded) -> None:
    plain = loaded({"D": {100.0: [15.0, 16.0]}})
    assert "timeline" not in {figure.kind for figure in automatic_figures(plain)}
    with pytest.raises(UnknownName, match="nothing is observed over time"):
        draw(Figure.read({"id": "t", "kind": "timeline", "y": ["response_time"]}), plain)
