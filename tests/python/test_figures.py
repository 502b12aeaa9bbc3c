"""Golden tests of the structure of figures; their numbers are tested separately."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair
import pytest

from sojourn import phrases
from sojourn.catalogue import figure_kinds
from sojourn.errors import UnknownName
from sojourn.figures import Figure, distribution, draw, lines, suitable
from sojourn.figures.axes import round_values
from sojourn.figures.histogram import RATIO, by_ratio, by_width
from sojourn.figures.trace import enveloped
from sojourn.point import Point
from sojourn.reference import Published
from sojourn.report.illustrate import Drawn, drawable
from sojourn.saturation import saturation
from sojourn.units import duration, seconds

GOLDEN = Path(__file__).parent / "golden"
TIMES = {
    "D": {100.0: [15.0, 16.0], 300.0: [25.0, 27.0], 500.0: [180.0, 200.0]},
    "E": {100.0: [15.0, 15.5], 500.0: [60.0, 70.0]},
}
MEAN = Published("D", {"background.rate": 100.0}, "response_time", "mean", 0.015, "s", 0.003, "calibration", "bulletin")
PEAK = Published("D", {}, "throughput_l3", "largest", 360.0, "1/s", 36.0, "calibration", "bulletin")
RATE = Published(
    "A",
    {"probe.service": "acknowledged", "probe.data": 1.0},
    "transaction_rate",
    "value",
    69.0,
    "1/s",
    0.5,
    "calibration",
    "b",
)

ALTERNATIVE = {
    "name": "as it is",
    "options": [],
    "cost": None,
    "value": 0.030,
    "ci95": [0.028, 0.032],
    "met": None,
    "replications": 10,
    "status": "worse",
    "eliminated_by": 1,
    "difference": 0.5,
    "difference_ci95": [0.4, 0.6],
}
ADVICE = {
    "objective": "response_time.mean",
    "unit": "s",
    "better": "lower",
    "conditions": [],
    "indifference": 0.001,
    "confidence": 0.95,
    "outcome": "selected",
    "selected": 1,
    "replications": 32,
    "equal_allocation": 36,
    "alternatives": [
        ALTERNATIVE,
        ALTERNATIVE
        | {"name": "priority", "options": ["priority"], "value": 0.020, "ci95": [0.019, 0.021], "status": "selected"}
        | {"eliminated_by": None, "difference": None, "difference_ci95": None, "replications": 12},
        ALTERNATIVE | {"name": "slow", "options": ["slow"], "value": None, "ci95": None, "status": "unstable"},
    ],
}
BOUND = {
    "flow": "voice",
    "hop": "end to end",
    "unit": "s",
    "delay": 0.016,
    "buffer": None,
    "simulated_max": 0.009,
    "measured_max": None,
    "p50": 0.002,
    "p99": 0.006,
    "p999": 0.008,
}


class Sampled:
    """Samples of the results' points in place of a job's."""

    def at(self, _point: Point, _axes: Any, _metric: str, kind: str = "samples") -> dict[str, list[Any]]:
        if kind == "traces":
            return {"replication": [0] * 4, "time_s": [0.0, 1.0, 1.0001, 2.5], "value": [0.0, 700.0, 3.0, 40.0]}
        if kind == "histograms":
            lows = [3.5e-6, 3.4e-4]
            return {"from_s": lows, "to_s": [1.1 * low for low in lows], "count": [990, 10]}
        return {"replication": [0] * 50, "value": [0.015 * (1 + index % 7) for index in range(50)]}


LOAD = {"x": "background.rate", "y": "response_time"}
OVER_TIME: dict[str, Any] = {
    "response_time/timeline": {
        "unit": "s",
        "start": [0.0, 2.0, 4.0],
        "end": [2.0, 4.0, 6.0],
        "sent": [2000, 20, 20],
        "delivered": [2000, 0, 18],
        "mean": [0.01, None, 0.02],
        "ci95": [[0.009, 0.011], None, None],
        "p50": [0.01, None, 0.02],
        "p50_ci95": [[0.009, 0.011], None, [0.018, None]],
        "p99": [0.02, None, 0.03],
        "p99_ci95": [[0.019, 0.022], None, [0.019, None]],
    },
    "queue_length/timeline": {
        "unit": "packets",
        "start": [0.0, 2.0, 4.0],
        "end": [2.0, 4.0, 6.0],
        "mean": [1.0, 0.0, 7.5],
        "ci95": [[0.9, 1.1], [0.0, 0.0], [5.0, 10.0]],
    },
}
"""What an outage from 2 s to 4 s leaves."""
FIGURES: dict[str, dict[str, Any]] = {
    "bars": {"x": "probe.data", "y": ["transaction_rate", "throughput"], "by": "probe.service", "experiments": ["A"]},
    "budget": {"x": "background.rate", "experiments": ["D"]},
    "distribution": {"y": "response_time", "experiments": ["D"]},
    "histogram": LOAD | {"experiments": ["D"], "at": [100, 500], "bin": "15 ms"},
    "histogram-log": LOAD | {"experiments": ["D"], "at": [100, 500], "scale": {"x": "log"}},
    "lines": LOAD | {"experiments": ["D", "E"]},
    "lines-baseline": LOAD | {"experiments": ["D", "E"], "baseline": "D"},
    "lines-extremes": LOAD
    | {
        "experiments": ["D", "E"],
        "facet": "experiment",
        "statistics": ["max", "mean", "min"],
        "scale": {"y": "log"},
    },
    "lines-facets": LOAD
    | {
        "experiments": ["D", "E"],
        "facet": "experiment",
        "statistics": ["mean", "p999"],
        "scale": {"x": "log"},
    },
    "lines-limit": LOAD | {"experiments": ["D"], "statistics": ["p99"], "limit": 0.1},
    "lines-members": {
        "x": "background.rate",
        "y": "utilisation",
        "experiments": ["D", "E"],
        "facet": "experiment",
        "members": True,
    },
    "lines-saturation": {
        "x": "background.rate",
        "y": ["throughput_l3", "throughput_l4", "collision_rate"],
        "experiments": ["D"],
        "saturation": True,
    },
    "advice": {"experiments": ["D"]},
    "bounds": {"experiments": ["D"]},
    "parity": {"experiments": ["D"]},
    "percentiles": {"y": "response_time", "experiments": ["D"]},
    "ranking": LOAD | {"experiments": ["D", "E"], "at": [100]},
    "ranking-members": {"y": "utilisation", "experiments": ["D"], "members": True},
    "samples": LOAD | {"experiments": ["D"], "at": [100, 500]},
    "timeline": {
        "y": ["response_time", "queue_length"],
        "experiments": ["D"],
        "where": {"background.rate": 100.0},
        "until": "8 s",
    },
    "timeseries": {"y": "response_time", "experiments": ["D"], "where": {"background.rate": 100.0}},
    "trace": {
        "x": "background.rate",
        "y": ["utilisation/floor"],
        "experiments": ["D", "E"],
        "at": [100, 500],
        "until": "3.4 s",
    },
}
"""Figures of every kind, some of several forms: the kind precedes the first hyphen."""


@pytest.fixture
def specification(loaded, idle):
    def build(name: str) -> dict[str, Any]:
        kind = name.partition("-")[0]
        measured = {"D+measured": TIMES["D"]} if kind == "parity" else {}
        results = idle if kind == "bars" else loaded(TIMES | measured)
        results.sampled = Sampled()
        for index, point in enumerate(results.raw["points"]):
            point["metrics"]["utilisation/floor"] = {"unit": "1", "value": 0.1 * (1 + index % 3), "ci95": None}
            point["metrics"] |= OVER_TIME
            point["events"] = [{"name": "outage", "action": "down", "begin": 2.0, "end": 4.0}]
        results.raw["bounds"] = [BOUND, BOUND | {"flow": "file", "delay": None, "why": "a list of arrivals"}]
        results.raw["advice"] = ADVICE
        figure = Figure.read({"id": kind, "kind": kind, "title": kind.capitalize(), **FIGURES[name]})
        return draw(figure, results, [MEAN, PEAK, RATE], {"D": "Ordinary", "E": "Priority"}).to_dict()

    return build


def structure(node: Any) -> Any:
    """A specification without its numbers: rows become the names of their columns."""
    if isinstance(node, list):
        return [structure(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: sorted(value[0]) if key == "values" and value and isinstance(value[0], dict) else structure(value)
        for key, value in node.items()
    }


def test_every_declared_kind_of_figure_has_a_golden_test() -> None:
    assert {name.partition("-")[0] for name in FIGURES} == set(figure_kinds())


def test_figures_use_declared_options_only() -> None:
    for name, options in FIGURES.items():
        declared = {option["name"] for option in figure_kinds()[name.partition("-")[0]]["options"]}
        assert set(options) <= declared, name


def test_every_option_of_a_figure_is_read() -> None:
    declared = {option["name"] for kind in figure_kinds().values() for option in kind["options"]}
    assert declared | {"kind"} == set(Figure.__dataclass_fields__)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_is_valid_vega_lite_that_altair_keeps_as_it_is(kind: str, specification) -> None:
    drawn = specification(kind)
    kept = altair.Chart.from_dict(drawn).to_dict()
    moved = {"config", "data", "datasets"}  # defaults are added to the first, rows of a single view named
    assert {key: part for key, part in kept.items() if key not in moved} == {
        key: part for key, part in drawn.items() if key not in moved
    }


def test_a_histogram_of_which_half_of_the_messages_failed_says_that_the_median_is_not_reached(loaded) -> None:
    results = loaded({"D": {500.0: [180.0, 200.0]}})
    results.sampled = Sampled()
    results.raw["points"][0]["metrics"]["response_time"]["p50"] = None
    figure = Figure.read({"id": "h", "kind": "histogram", "title": "H", **FIGURES["histogram"], "at": [500]})

    drawn = json.dumps(draw(figure, results, [], {}).to_dict())

    assert "200 samples, median not reached, maximum 760 ms" in drawn


@pytest.mark.parametrize("kind", FIGURES)
def test_the_structure_of_a_figure_is_unchanged(kind: str, specification) -> None:
    made = json.dumps(structure(specification(kind)), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    golden = GOLDEN / f"{kind}.json"
    if os.environ.get("SOJOURN_UPDATE_GOLDEN") == "1":
        golden.write_text(made)
    assert made == golden.read_text(), "look at the figure, then run with SOJOURN_UPDATE_GOLDEN=1"


def rows(node: Any) -> list[dict[str, Any]]:
    """All rows of a specification."""
    if isinstance(node, list):
        return [row for item in node for row in rows(item)]
    if not isinstance(node, dict):
        return []
    own = node["values"] if isinstance(node.get("values"), list) else []
    return [row for row in own if isinstance(row, dict)] + [
        row for value in node.values() for row in rows(value) if value is not own
    ]


@pytest.mark.parametrize("kind", FIGURES)
def test_the_caption_states_replications_and_seed(kind: str, specification) -> None:
    caption = " ".join(specification(kind)["title"]["subtitle"])
    assert "2 replications of 10 min per point, seed 1." in caption


def test_the_published_mean_is_drawn_over_its_line(specification) -> None:
    label = "offered load 100 packets/s: published 15 ms"
    assert {"x": 100.0, "value": 15.0, "label": label} in rows(specification("lines-extremes"))


def test_published_values_have_the_colour_of_their_line_where_a_panel_has_several(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0]}})
    figure = Figure.read({"id": "d", "kind": "lines", **LOAD})
    drawing = draw(figure, results, [MEAN, replace(MEAN, experiment="E", value=0.034)]).to_dict()
    published = {row["series"]: row["value"] for row in rows(drawing) if "published" in row.get("label", "")}
    assert published == {"D": 15.0, "E": 34.0}
    assert "Diamonds are published values, in the colour of their line." in " ".join(drawing["title"]["subtitle"])


def test_a_logarithmic_axis_reaches_the_published_values(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0], 300.0: [60.0, 60.0]}})
    figure = Figure.read({"id": "d", "kind": "lines", **LOAD, "scale": {"y": "log"}})
    drawing = json.dumps(draw(figure, results, [replace(MEAN, value=0.7)]).to_dict())
    assert '"values": [5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]' in drawing


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((1.0, 2.2), [1.0, 1.2, 1.5, 2.0]),
        ((0.5, 4.0), [0.5, 0.7, 1.0, 2.0, 3.0]),
        ((5.0, 52.0), [5.0, 10.0, 20.0, 50.0]),
        ((1.0, 2e5), [1.0, 10.0, 100.0, 1000.0, 1e4, 1e5]),
        ((7.1, 7.84), [7.2, 7.4, 7.6, 7.8]),
        ((7.55e-3, 8.1e-3), [7.6e-3, 7.7e-3, 7.8e-3, 7.9e-3, 8e-3, 8.1e-3]),
    ],
)
def test_ticks_of_a_logarithmic_axis_are_round_and_even(ends: tuple[float, float], ticks: list[float]) -> None:
    assert round_values(*ends) == pytest.approx(ticks)


def test_a_figure_of_variants_waits_until_they_are_run(loaded) -> None:
    figure = Figure.read({"id": "v", "kind": "lines", **LOAD, "experiments": ["D", "E", "D+queue"]})
    assert not drawable(figure, loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0]}}))
    assert drawable(figure, loaded({"D": {100.0: [15.0, 16.0]}, "D+queue": {100.0: [35.0, 38.0]}}))


@pytest.mark.parametrize(
    ("name", "number"), [("7", "Figure 7"), ("7-load", "Figure 7"), ("7-8", "Figures 7 and 8"), ("budget", "")]
)
def test_a_figure_has_the_number_it_has_in_the_source_of_its_study(name: str, number: str) -> None:
    assert Drawn(Figure.read({"id": name, "kind": "lines"}), {}).number == number


def test_a_difference_to_a_baseline_is_paired_and_drawn_for_published_values(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0], 300.0: [60.0, 60.0]}})
    published = [MEAN, replace(MEAN, experiment="E", value=0.034)]
    figure = Figure.read({"id": "d", "kind": "lines", **FIGURES["lines-baseline"]})
    drawn = rows(draw(figure, results, published).to_dict())
    (found,) = {row["value"] for row in drawn if "value" in row and "series" in row}
    assert found == pytest.approx(21.0)
    assert [row for row in drawn if "series" not in row] == [
        {"x": 100.0, "value": pytest.approx(19.0), "label": "offered load 100 packets/s: published difference 19.0 ms"}
    ]


def test_a_measured_time_stands_on_the_axis_of_its_bound(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}})
    results.raw["bounds"] = [BOUND | {"measured_max": 0.011}, BOUND | {"flow": "file", "delay": None}]
    drawing = draw(Figure.read({"id": "b", "kind": "bounds"}), results).to_dict()
    drawn = rows(drawing)
    marks = [(row["of"], row["series"], row["value"]) for row in drawn if "series" in row]
    assert ("voice, end to end", "bound", pytest.approx(16.0)) in marks
    largest = "largest measured"
    assert [mark for mark in marks if mark[1] == largest] == [("voice, end to end", largest, pytest.approx(11.0))]
    assert "above its bound" not in " ".join(drawing["title"]["subtitle"])
    results.raw["bounds"][0]["measured_max"] = 0.017
    caption = draw(Figure.read({"id": "b", "kind": "bounds"}), results).to_dict()["title"]["subtitle"]
    assert "Measured above its bound: voice." in " ".join(caption)


def test_marks_of_a_bound_that_coincide_lie_inside_each_other(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}})
    results.raw["bounds"] = [BOUND]
    drawing = draw(Figure.read({"id": "b", "kind": "bounds"}), results).to_dict()
    (scale,) = [layer["encoding"]["size"]["scale"] for layer in drawing["layer"] if "size" in layer["encoding"]]
    sizes = dict(zip(scale["domain"], scale["range"], strict=True))
    assert sizes["p50"] > sizes["p99"] > sizes["p99.9"] > sizes["largest simulated"]


def test_where_restricts_points_and_published_values(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0], 300.0: [60.0, 60.0]}})
    raw = {
        "id": "w",
        "kind": "lines",
        "x": "background.rate",
        "y": "response_time",
        "where": {"background.rate": 300.0},
    }
    drawn = rows(draw(Figure.read(raw), results, [MEAN]).to_dict())
    assert {row["value"] for row in drawn if "value" in row} == {60.0}


def test_an_axis_is_in_the_unit_of_the_middle_value_unless_the_largest_needs_five_digits(loaded) -> None:
    figure = Figure.read({"id": "w", "kind": "lines", **LOAD})

    def largest(last: float) -> float:
        results = loaded({"D": {100.0: [0.2, 0.2], 300.0: [0.3, 0.3], 500.0: [last, last]}})
        return max(row["value"] for row in rows(draw(figure, results, []).to_dict()) if "value" in row)

    assert largest(9.0) == pytest.approx(9000.0), "in µs"
    assert largest(20.0) == pytest.approx(20.0), "in ms"


def test_a_ranking_is_sorted_and_shows_the_published_value(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0], 300.0: [60.0, 60.0]}})
    figure = Figure.read({"id": "r", "kind": "ranking", **FIGURES["ranking"]})
    drawn = rows(draw(figure, results, [MEAN]).to_dict())
    assert list(dict.fromkeys(row["change"] for row in drawn if "low" in row and row["of"] == "variant")) == ["E"]
    assert {round(row["value"], 3) for row in drawn} == {36.5, 15.5, 15.0}


def test_the_published_rate_is_drawn_over_its_bar(specification) -> None:
    bar = {"x": 1.0, "series": "acknowledged", "value": 69.0, "label": "published 69 transactions/s"}
    assert bar in rows(specification("bars"))


def test_statistics_are_lines_of_their_own(specification) -> None:
    """At 100 packets/s D's mean is 15.5 ms, and the made-up distribution has its p99.9 at three means."""
    drawn = [row for row in rows(specification("lines-facets")) if row.get("x") == 100.0 and "of" in row]
    assert {("mean", 15.5), ("p99.9", 46.5)} < {(row["series"], row["value"]) for row in drawn}


def test_samples_are_drawn_in_order_with_one_scale_per_column(specification) -> None:
    first, second = specification("samples")["concat"]
    values = [row["value"] for row in rows(specification("samples")) if row.get("x", 0) <= 7][:7]
    assert values == pytest.approx([15, 30, 45, 60, 75, 90, 105])
    assert first["encoding"]["y"]["scale"]["domain"] == second["encoding"]["y"]["scale"]["domain"]


def test_a_trace_keeps_the_extremes_of_each_span_and_holds_a_level_until_it_changes() -> None:
    spans = enveloped([0.0, 1.0, 1.0001, 2.5], [0.0, 700.0, 3.0, 40.0], end=4.0, spans=4)
    assert spans == [(0.0, 0.0, 0.0), (1.0, 0.0, 700.0), (2.0, 3.0, 40.0), (3.0, 40.0, 40.0)]


def test_a_distribution_that_is_thinned_keeps_the_jumps_that_can_be_seen() -> None:
    # half of the packets take 15 ms, which two bins of thousands hold
    steps = [(0.01504, 47.8), (0.01505, 50.1), *((0.06 + 1e-5 * n, 50.1 + 49.9 * n / 5000) for n in range(1, 5001))]
    kept = distribution._thinned(steps)

    assert (0.01505, 50.1) in kept
    assert len(kept) < 2 * distribution.MOST_POINTS


def test_logarithmic_bins_have_equal_ratio() -> None:
    low, high = by_ratio([(3.5e-6, 990), (3.6e-6, 0), (3.4e-4, 10)])
    assert (low[2], high[2]) == (99.0, 1.0)
    assert low[0] <= 3.5e-6 < low[1] == pytest.approx(low[0] * RATIO)
    assert high[0] <= 3.4e-4 < high[1]


def test_computed_and_published_saturation_are_marked(loaded) -> None:
    results = loaded({"D": {300.0: [20.0], 400.0: [90.0], 500.0: [190.0]}})
    figure = Figure.read({"id": "9", "kind": "lines", **FIGURES["lines-saturation"]})
    texts = {row["text"] for row in rows(draw(figure, results, [PEAK]).to_dict()) if "text" in row}
    assert texts == {"saturates at 360 packets/s", "published: 360 packets/s"}


@pytest.mark.parametrize(
    ("curve", "found"),
    [
        ([(100.0, 100.0), (200.0, 196.0), (300.0, 200.0)], (200.0, 196.0, 200.0)),
        ([(300.0, 150.0), (100.0, 100.0), (200.0, 200.0)], (200.0, 200.0, 200.0)),
        ([(100.0, 100.0), (200.0, 200.0)], None),
        ([(100.0, 100.0)], None),
    ],
)
def test_a_channel_saturates_at_the_smallest_load_with_nearly_the_largest_throughput(
    curve: list[Any], found: Any
) -> None:
    assert saturation(curve) == found


def test_the_components_of_a_budget_add_up_to_the_response_time(specification) -> None:
    made = [row for row in rows(specification("budget")["concat"][0]) if row.get("x") == 500.0]
    made += [
        row
        for dataset in specification("budget").get("datasets", {}).values()
        for row in dataset
        if row.get("x") == 500.0
    ]
    assert sum(row["value"] for row in made) == pytest.approx(190.0)


def test_samples_are_counted_into_bins_of_equal_width() -> None:
    bins = by_width([(sample, 1) for sample in (0.001, 0.014, 0.016, 0.031)], 0.015)
    assert [(low, share) for low, _, share in bins] == [(0.0, 50.0), (0.015, 25.0), (0.03, 25.0)]


@pytest.mark.parametrize(("text", "expected"), [("15 ms", 0.015), ("1 s", 1.0), ("50 us", 5e-5)])
def test_a_time_of_a_study_is_read_with_its_unit(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize(("seconds", "said"), [(600.0, "10 min"), (90.0, "1.5 min"), (30.0, "30 s"), (7200.0, "2 h")])
def test_a_length_of_time_is_formatted_in_a_fitting_unit(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_an_unknown_kind_lists_the_declared_kinds(loaded) -> None:
    with pytest.raises(UnknownName, match="histogram"):
        draw(Figure.read({"id": "x", "kind": "pie"}), loaded({"D": {100.0: [15]}}))


def test_a_figure_of_experiments_that_were_not_run_is_refused(loaded) -> None:
    with pytest.raises(UnknownName, match="H"):
        draw(
            Figure.read(
                {"id": "9", "kind": "lines", "x": "background.rate", "y": "throughput_l3", "experiments": ["H"]}
            ),
            loaded({"D": {100.0: [15]}}),
        )


def test_results_choose_a_suitable_figure(loaded) -> None:
    assert suitable(loaded({"D": {100.0: [15], 200.0: [16]}})).kind == "lines"
    assert suitable(loaded({"D": {100.0: [15]}}), "budget").kind == "budget"


def test_an_option_that_a_kind_lacks_is_refused_with_its_options(loaded) -> None:
    with pytest.raises(UnknownName, match=r"no option 'bin'.*statistics"):
        suitable(loaded({"D": {100.0: [15], 200.0: [16]}}), "lines", {"bin": "10 ms"})


def test_a_quantile_that_is_not_reached_is_named_in_the_caption(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [40, 50]}})
    lost = {"count": 180, "sent": 200, "p99": None, "not_reached": ["p99"]}
    results.raw["points"][1]["metrics"]["response_time"] |= lost
    figure = Figure.read(
        {"id": "p99", "kind": "lines", "x": "background.rate", "y": "response_time", "statistics": ["p99"]}
    )
    said = " ".join(draw(figure, results).to_dict()["title"]["subtitle"])
    assert "P99 is not reached at offered load 200 packets/s: 10.0 % failed" in said


def test_a_p99_without_both_ends_of_its_interval_is_not_drawn_over_time(specification) -> None:
    drawn = specification("timeline")
    shown = {(row["x"], row["y"]) for row in rows(drawn) if row.get("series") == "p99" and "y" in row}
    assert shown == {(1.0, 20.0), (3.0, None), (5.0, None)}
    assert "The line of p99 has gaps where a window has too few responses" in " ".join(drawn["title"]["subtitle"])


def test_a_component_of_the_delay_budget_keeps_its_capitals() -> None:
    assert [phrases.component(name) for name in ("ip-network", "token-wait", "transmit-cpu")] == [
        "IP network",
        "token wait",
        "transmit CPU",
    ]
    assert phrases.within_a_sentence("Max_Master of all stations") == "Max_Master of all stations"


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["response_time"], "Response time"),
        (["poll_cycle", "freshness"], "Time"),
        (["throughput", "goodput"], "Throughput"),
        (["throughput_l3", "throughput_l4"], "Throughput"),
        (["utilisation", "loss"], "Utilisation and loss"),
    ],
)
def test_lines_of_several_metrics_share_the_name_of_what_they_have_in_common(names: list[str], label: str) -> None:
    assert lines.shared_label(names) == label
