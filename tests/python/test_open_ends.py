"""Intervals without an upper end are drawn open, and percentiles that are not reached at the top."""

import json
from typing import Any

from sojourn import phrases
from sojourn.catalogue import Axis
from sojourn.figures import Figure, draw, open_ends

P99 = {"id": "c", "kind": "lines", "x": "background.rate", "y": "response_time", "statistics": ["p99"], "limit": 0.3}


def sweep(loaded: Any) -> Any:
    """Three points: an interval, one without an upper end, and a p99 that is not reached."""
    results = loaded({"D": {100.0: [15.0, 16.0], 300.0: [25.0, 27.0], 500.0: [180.0, 200.0]}})
    known, some, none = (point["metrics"]["response_time"] for point in results.raw["points"])
    known |= {"p99": 0.03, "p99_ci95": [0.02, 0.04], "not_reached": []}
    some |= {"p99": 0.14, "p99_ci95": [0.022, None], "not_reached": []}
    none |= {"p99": None, "p99_ci95": [0.2, None], "not_reached": ["p99", "p999"]}
    return results


def layers(drawing: dict[str, Any]) -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    return [(layer["mark"]["type"], layer, layer["data"]["values"]) for layer in drawing["layer"] if "data" in layer]


def test_a_band_with_an_open_end_fades_up_to_the_top_and_never_ends_at_the_largest_sample(loaded) -> None:
    drawing = draw(Figure.read(P99), sweep(loaded)).to_dict()
    (faded,) = [
        rows for kind, layer, rows in layers(drawing) if kind == "area" and "gradient" in layer["mark"]["color"]
    ]
    top = max(row["high"] for row in faded)
    assert top == 0.3 * 1000 * open_ends.ROOM, "beyond the limit, which the interval does not exclude"
    assert {row["x"]: row["high"] for row in faded if row["high"] < top} == {100.0: 40.0}


def test_what_is_open_has_an_arrow_and_what_is_not_reached_a_cross_at_the_top_and_both_are_in_the_legend(
    loaded,
) -> None:
    drawing = draw(Figure.read(P99), sweep(loaded)).to_dict()
    marks = {
        rows[0]["mark"]: ([row["x"] for row in rows], layer["encoding"]["y"])
        for kind, layer, rows in layers(drawing)
        if kind == "point" and "mark" in rows[0]
    }
    legends = [
        channel["legend"]
        for _, layer, _ in layers(drawing)
        for channel in layer["encoding"].values()
        if "legend" in channel
    ]
    assert {legend["symbolType"] for legend in legends if legend} == {"triangle-up", open_ends.CROSS}
    assert marks == {
        "no upper end": ([300.0], {"value": open_ends.EDGE}),
        "not reached": ([500.0], {"value": open_ends.EDGE}),
    }


def test_a_line_has_a_gap_where_its_percentile_is_not_reached(loaded) -> None:
    drawing = draw(Figure.read(P99), sweep(loaded)).to_dict()
    (line,) = [rows for kind, _, rows in layers(drawing) if kind == "line"]
    assert [(row["x"], row["value"]) for row in line] == [(100.0, 30.0), (300.0, 140.0), (500.0, None)]


def test_the_caption_says_what_faded_bands_and_crosses_are(loaded) -> None:
    caption = " ".join(draw(Figure.read(P99), sweep(loaded)).to_dict()["title"]["subtitle"])
    assert (
        'Bands are 95 % confidence intervals. Faded, with an arrow: no upper end, the samples bear "at least" only.'
        in caption
    )
    assert "P99 is not reached at offered load 500 packets/s" in caption


def test_closed_intervals_have_neither_arrows_nor_fading(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0], 300.0: [25.0, 27.0]}})
    drawing = json.dumps(draw(Figure.read(P99 | {"statistics": []}), results).to_dict())
    assert "gradient" not in drawing and open_ends.OPEN_NAME not in drawing and open_ends.BEYOND_NAME not in drawing


def test_a_whisker_without_an_upper_end_is_dashed_to_an_arrow() -> None:
    rows = [{"low": 1.0, "high": 2.0, "label": "a"}, {"low": 3.0, "high": None, "label": "b"}]
    closed, dashed, arrow = (chart.specification for chart in open_ends.whiskers(rows))
    assert closed["data"]["values"] == rows[:1] and "strokeDash" not in closed["mark"]
    assert dashed["data"]["values"] == rows[1:] and dashed["encoding"]["y2"] == {"value": 0}
    assert arrow["mark"]["shape"] == "triangle-up"


def test_a_distribution_of_which_a_part_failed_ends_below_100_percent_with_a_cross_at_the_edge(loaded) -> None:
    results = loaded({"D": {500.0: [180.0, 200.0]}})
    metric = results.raw["points"][0]["metrics"]["response_time"]
    metric |= {"count": 190, "sent": 200, "p99": None, "p999": None, "not_reached": ["p99", "p999"]}
    drawing = draw(Figure.read({"id": "d", "kind": "distribution", "y": "response_time"}), results).to_dict()
    shares = [row["share"] for _, _, rows in layers(drawing) for row in rows]
    (curve,) = [rows for kind, _, rows in layers(drawing) if kind == "line"]
    assert max(row["share"] for row in curve) == 95.0
    (crosses,) = [rows for _, layer, rows in layers(drawing) if layer["mark"].get("shape") == open_ends.CROSS]
    assert [row["share"] for row in crosses] == [99.0, 99.9] and 99.0 in shares


def test_values_of_a_key_have_as_many_digits_as_distinguish_them() -> None:
    axis = phrases.distinguished(Axis("interval", "s", "Interval"), [1.822, 1.8153, 1.8178])
    assert [phrases.value(one, axis) for one in (1.822, 1.8153, 1.8178)] == ["1.822 s", "1.815 s", "1.818 s"]
    assert phrases.value(0.25, phrases.distinguished(axis, [0.25])) == "250 ms"


def test_members_with_numbers_are_in_the_order_of_their_numbers() -> None:
    names = ["sensor-1", "sensor-10", "sensor-2", "controller"]
    assert sorted(names, key=phrases.natural) == ["controller", "sensor-1", "sensor-2", "sensor-10"]
