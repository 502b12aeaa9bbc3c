"""The course of a measurement: every request where it belongs in time, the load under it, and when it was taken."""

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
import vl_convert

from sojourn.figures import Figure, draw
from sojourn.report.automatic import automatic_figures
from sojourn.report.illustrate import drawable
from sojourn.results import Results

REQUESTS = {"idle": [(0.5, 100e-6), (1.5, 120e-6)], "loaded": [(2.5, 80e-3), (3.0, 0.7)]}
PROVENANCE = {"began": "2026-03-01T12:00:59Z", "host": "lab", "request": {"live": {"url": "sojourn://192.0.2.7"}}}


class Traced:
    """Traces of a measurement, by metric, phase, seconds and value."""

    def __init__(self, traces: dict[str, dict[str, list[tuple[float, float]]]]) -> None:
        self.traces = traces

    def frame(self, _results: Results, metric: str, kind: str = "samples") -> pl.DataFrame:
        assert kind == "traces"
        rows = [
            (phase, 0, time, value) for phase, trace in self.traces.get(metric, {}).items() for time, value in trace
        ]
        columns = {"experiment": pl.String, "replication": pl.UInt32, "time_s": pl.Float64, "value": pl.Float64}
        return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.fixture
def course(measured):
    """Draws a measurement of one size with these traces beside those of its requests."""

    def build(**traces: dict[str, list[tuple[float, float]]]) -> tuple[Results, dict[str, Any]]:
        raw = measured().raw
        points = [point | {"set": {}} for point in raw["points"] if point["set"] == {"probe.size": 64}]
        of_live = raw | {"points": points, "axes": {}, "world": "live", "network": "sojourn"}
        sampled: Any = Traced({"response_time": REQUESTS} | traces)
        results = replace(measured(), raw=of_live, sampled=sampled, provenance=PROVENANCE)
        (figure,) = (one for one in automatic_figures(results) if one.kind == "course")
        return results, draw(figure, results).to_dict()

    return build


def values(layer: dict[str, Any]) -> list[dict[str, Any]]:
    return layer["data"]["values"]


def test_every_request_stands_at_the_time_at_which_it_left_in_the_colour_of_its_phase(course) -> None:
    _, drawn = course()

    marks = values(drawn["layer"][-1])
    assert [row["x"] for row in marks] == [0.5, 1.5, 2.5, 3.0]
    assert [row["series"] for row in marks] == ["idle", "idle", "loaded", "loaded"]
    shares = [row["y"] / marks[0]["y"] for row in marks]
    assert shares == pytest.approx([1.0, 1.2, 800.0, 7000.0])


def test_a_time_axis_over_magnitudes_labels_each_tick_in_the_unit_that_suits_it(course) -> None:
    _, drawn = course()

    shown = vl_convert.vegalite_to_svg(drawn)
    assert all(f">{label}</text>" in shown for label in ("100 µs", "1 ms", "10 ms", "100 ms"))
    assert ">Response time</text>" in shown


def test_requests_without_an_answer_and_the_load_are_drawn_where_there_are_any(course) -> None:
    _, plain = course()
    assert "vconcat" not in plain

    _, drawn = course(failures={"loaded": [(2.7, 1.0)]}, throughput={"loaded": [(2.5, 94e6), (2.6, 95e6)]})

    above, below = drawn["vconcat"]
    (cross,) = values(above["layer"][-1])
    assert cross["x"] == 2.7
    assert values(below) == [{"x": 2.5, "y": 94.0}, {"x": 2.6, "y": 95.0}]
    assert "requests without an answer" in " ".join(drawn["title"]["subtitle"])


def test_of_many_requests_the_slowest_is_always_among_those_drawn(course) -> None:
    many = [(index / 100, 5.0 if index == 77_777 else 1e-4) for index in range(100_000)]

    _, drawn = course(response_time={"idle": many})

    marks = values(drawn["layer"][-1])
    assert 2000 <= len(marks) <= 4000
    assert 777.77 in {row["x"] for row in marks}


def test_the_caption_says_when_by_whom_and_against_whom_it_was_measured(course) -> None:
    _, drawn = course()

    caption = " ".join(drawn["title"]["subtitle"])
    assert "measured 2026-03-01 12:00 UTC by lab against sojourn://192.0.2.7" in caption
    assert "seed" not in caption


def test_results_without_traces_and_simulations_have_no_course(course, loaded) -> None:
    results, _ = course()
    figure = Figure.read({"id": "course", "kind": "course", "y": "response_time"})
    untraced: Any = Traced({})

    assert not drawable(figure, replace(results, sampled=untraced))
    assert "course" not in {one.kind for one in automatic_figures(loaded({"D": {100.0: [15.0]}}))}
