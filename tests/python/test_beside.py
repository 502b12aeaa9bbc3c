"""An outage that was simulated and one that was measured, in one figure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sojourn.figures import beside

EVENT = {"name": "outage", "action": "down", "begin": 30.0, "end": 40.0}
STARTS = [float(at) for at in range(20, 50)]


class Point:
    """What the figure reads of a point."""

    def __init__(self, timeline: dict[str, Any] | None = None, outages: list[dict[str, Any]] | None = None) -> None:
        self.events = [EVENT] if timeline else []
        self.raw = {"outages": outages}
        self._timeline = timeline

    def timeline(self, name: str) -> dict[str, Any] | None:
        return self._timeline if name == "response_time" else None


class Results:
    """What the figure reads of results."""

    def __init__(self, world: str, point: Point, traces: dict[str, list[tuple[float, float]]]) -> None:
        self.raw = {"world": world}
        self.points = [point]
        self._traces = traces

    def columns_at(self, _point: Point, name: str, kind: str) -> dict[str, list[Any]]:
        assert kind == "traces"
        trace = self._traces.get(name, [])
        return {"replication": [0] * len(trace)} | {
            "time_s": [time for time, _ in trace],
            "value": [value for _, value in trace],
        }


def off(at: float) -> bool:
    return 30 <= at < 40


@pytest.fixture
def simulated() -> Results:
    timeline = {
        "start": STARTS,
        "end": [at + 1 for at in STARTS],
        "sent": [20] * len(STARTS),
        "delivered": [0 if off(at) else 20 for at in STARTS],
        "p50": [None if off(at) else 0.010 for at in STARTS],
    }
    return Results("simulated", Point(timeline), {})


@pytest.fixture
def measured() -> Results:
    # the clock of the measurement is 7 s behind, and two requests a second take 20 ms
    sent = [at / 2 for at in range(2 * 13, 2 * 43)]
    traces = {
        "response_time": [(at, 0.020) for at in sent if not off(at + 7)],
        "failures": [(at, 1.0) for at in sent if off(at + 7)],
    }
    return Results("live", Point(outages=[{"begin": 23.0, "end": 33.0}]), traces)


def rows(drawn: dict[str, Any], panel: int, series: str) -> dict[float, float | None]:
    data = drawn["vconcat"][panel]["layer"][0]["data"]
    values = data.get("values") or drawn["datasets"][data["name"]]
    return {row["x"]: row["y"] for row in values if row["series"] == series}


def test_requests_of_the_measurement_stand_in_the_windows_of_the_simulation_from_the_begin_of_both_outages(
    simulated, measured
) -> None:
    assert beside.fits([simulated, measured])
    assert beside.fits([measured, simulated])

    drawn = json.loads(json.dumps(beside.draw([simulated, measured]).to_dict()))

    for series, milliseconds in (("simulated", 10.0), ("measured", 20.0)):
        times, lost = rows(drawn, 0, series), rows(drawn, 1, series)
        for at in STARTS:
            assert times[at + 0.5] == (None if off(at) else pytest.approx(milliseconds)), (series, at)
            assert lost[at + 0.5] == (100.0 if off(at) else 0.0), (series, at)
    caption = " ".join(drawn["title"]["subtitle"])
    assert "Event outage of the simulation: 10 s" in caption
    assert "shifted to begin with it" in caption


def test_two_simulations_and_a_measurement_without_an_outage_have_no_such_figure(simulated, measured) -> None:
    assert not beside.fits([simulated, simulated])
    calm = Results("live", Point(outages=[]), {})
    assert not beside.fits([simulated, calm])
    assert not beside.fits([measured, measured])
