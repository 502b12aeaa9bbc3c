"""Time series of a measurement: every request at its send time, the load below, and the time of the measurement."""

from dataclasses import replace
from typing import Any

import pytest
import vl_convert

from sojourn.figures import Figure, draw
from sojourn.report.automatic import automatic_figures
from sojourn.report.illustrate import drawable
from sojourn.results import Results

REQUESTS = {"idle": [(0.5, 100e-6), (1.5, 120e-6)], "loaded": [(2.5, 80e-3), (3.0, 0.7)]}
PROVENANCE = {"began": "2026-03-01T12:00:59Z", "host": "lab", "request": {"peer": "sojourn://192.0.2.7"}}


class Traced:
    """Traces of a measurement, by metric, phase, seconds and value."""

    def __init__(self, traces: dict[str, dict[str, list[tuple[float, float]]]]) -> None:
        self.traces = traces

    def at(self, point: Any, _axes: Any, metric: str, kind: str = "samples") -> dict[str, list[Any]]:
        assert kind == "traces"
        trace = self.traces.get(metric, {}).get(point.experiment, [])
        return {"replication": [0] * len(trace)} | {
            "time_s": [time for time, _ in trace],
            "value": [value for _, value in trace],
        }


@pytest.fixture
def timeseries(measured):
    """Draws a measurement of one size with these traces beside those of its requests."""

    def build(**traces: dict[str, list[tuple[float, float]]]) -> tuple[Results, dict[str, Any]]:
        raw = measured().raw
        points = [point | {"set": {}} for point in raw["points"] if point["set"] == {"probe.size": 64}]
        of_live = raw | {"points": points, "axes": {}, "world": "live", "network": "sojourn"}
        sampled: Any = Traced({"response_time": REQUESTS} | traces)
        results = replace(measured(), raw=of_live, sampled=sampled, provenance=PROVENANCE)
        (figure,) = (one for one in automatic_figures(results) if one.kind == "timeseries")
        return results, draw(figure, results).to_dict()

    return build


def values(layer: dict[str, Any]) -> list[dict[str, Any]]:
    return layer["data"]["values"]


def test_every_request_is_drawn_at_its_send_time_in_the_colour_of_its_phase(timeseries) -> None:
    _, drawn = timeseries()

    marks = values(drawn["layer"][-1])
    assert [row["x"] for row in marks] == [0.5, 1.5, 2.5, 3.0]
    assert [row["series"] for row in marks] == ["idle", "idle", "loaded", "loaded"]
    shares = [row["y"] / marks[0]["y"] for row in marks]
    assert shares == pytest.approx([1.0, 1.2, 800.0, 7000.0])


def test_ticks_of_a_logarithmic_time_axis_carry_their_own_units(timeseries) -> None:
    _, drawn = timeseries()

    shown = vl_convert.vegalite_to_svg(drawn)
    assert all(f">{label}</text>" in shown for label in ("100 µs", "1 ms", "10 ms", "100 ms"))
    assert ">Response time</text>" in shown


def test_lost_requests_and_the_load_are_drawn_where_there_are_any(timeseries) -> None:
    _, plain = timeseries()
    assert "vconcat" not in plain

    _, drawn = timeseries(failures={"loaded": [(2.7, 1.0)]}, throughput={"loaded": [(2.5, 94e6), (2.6, 95e6)]})

    above, below = drawn["vconcat"]
    (cross,) = values(above["layer"][-1])
    assert cross["x"] == 2.7
    assert values(below) == [{"x": 2.5, "y": 94.0}, {"x": 2.6, "y": 95.0}]
    assert "lost requests" in " ".join(drawn["title"]["subtitle"])


def test_thinning_keeps_the_slowest_request(timeseries) -> None:
    many = [(index / 100, 5.0 if index == 77_777 else 1e-4) for index in range(100_000)]

    _, drawn = timeseries(response_time={"idle": many})

    marks = values(drawn["layer"][-1])
    assert 2000 <= len(marks) <= 4000
    assert 777.77 in {row["x"] for row in marks}


def test_the_caption_states_time_host_and_peer(timeseries) -> None:
    _, drawn = timeseries()

    caption = " ".join(drawn["title"]["subtitle"])
    assert "measured 2026-03-01 12:00 UTC by lab against sojourn://192.0.2.7" in caption
    assert "seed" not in caption


def test_results_without_traces_and_simulations_have_no_time_series(timeseries, loaded) -> None:
    results, _ = timeseries()
    figure = Figure.read({"id": "t", "kind": "timeseries", "y": "response_time"})
    untraced: Any = Traced({})

    assert not drawable(figure, replace(results, sampled=untraced))
    assert "timeseries" not in {one.kind for one in automatic_figures(loaded({"D": {100.0: [15.0]}}))}
