"""Golden tests of what a figure is made of; the numbers in it are tested apart."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sojourn.errors import UnknownName
from sojourn.figures import KINDS, Figure, draw, suitable
from sojourn.figures.histogram import bin_width, counted
from sojourn.figures.rotations import counted as magnitudes
from sojourn.figures.rotations import ratio
from sojourn.figures.theme import duration
from sojourn.figures.trace import enveloped
from sojourn.reference import Published
from sojourn.results import Results
from sojourn.saturation import saturation

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


class Sampled:
    """Samples of the results' points in place of a job's."""

    def frame(self, results: Results, _metric: str, kind: str = "samples") -> Any:
        import polars as pl  # noqa: PLC0415

        if kind == "traces":
            return pl.DataFrame(
                {"experiment": point.experiment, **point.set, "replication": 0, "time_s": time, "value": level}
                for point in results.points
                for time, level in ((0.0, 0.0), (1.0, 700.0), (1.0001, 3.0), (2.5, 40.0))
            )
        if kind == "histograms":
            return pl.DataFrame(
                {"experiment": point.experiment, **point.set, "from_s": low, "to_s": 1.1 * low, "count": count}
                for point in results.points
                for low, count in ((3.5e-6, 990), (3.4e-4, 10))
            )
        rows = [
            {"experiment": point.experiment, **point.set, "replication": 0, "value": 0.015 * (1 + index % 7)}
            for point in results.points
            for index in range(50)
        ]
        return pl.DataFrame(rows)


FIGURES = {
    "bars": {"x": "probe.data", "y": ["transaction_rate", "throughput"], "by": "probe.service", "experiments": ["A"]},
    "extremes": {"x": "background.rate", "y": "response_time", "experiments": ["D", "E"], "log": True},
    "histogram": {"x": "background.rate", "y": "response_time", "experiments": ["D"], "at": [100, 500], "bin": "15 ms"},
    "curves": {
        "x": "background.rate",
        "y": ["throughput_l3", "throughput_l4", "collision_rate"],
        "experiments": ["D"],
        "saturation": True,
    },
    "comparison": {"x": "background.rate", "y": "response_time", "experiments": ["D", "E"]},
    "difference": {"x": "background.rate", "y": "response_time", "experiments": ["D", "E"]},
    "ranking": {"x": "background.rate", "y": "response_time", "experiments": ["D", "E"], "at": [100]},
    "limit": {"x": "background.rate", "y": "response_time", "experiments": ["D"], "field_name": "p99", "limit": 0.1},
    "budget": {"x": "background.rate", "experiments": ["D"]},
    "panels": {"x": "background.rate", "y": "response_time", "experiments": ["D", "E"], "scale": {"x": "log"}},
    "samples": {"x": "background.rate", "y": "response_time", "experiments": ["D"], "at": [100, 500]},
    "trace": {
        "x": "background.rate",
        "y": ["utilisation/floor"],
        "experiments": ["D", "E"],
        "at": [100, 500],
        "until": 3.4,
    },
    "course": {"y": "response_time", "experiments": ["D"], "where": {"background.rate": 100.0}},
    "rotations": {"x": "background.rate", "y": "response_time", "experiments": ["D"], "at": [100, 500]},
    "distribution": {"y": "response_time", "experiments": ["D"]},
    "spectrum": {"y": "response_time", "experiments": ["D"]},
    "members": {"y": "utilisation", "experiments": ["D"]},
    "parity": {"y": "response_time", "experiments": ["D"]},
    "stages": {"x": "background.rate", "y": "utilisation", "experiments": ["D"]},
}


@pytest.fixture
def specification(loaded, idle):
    def build(kind: str) -> dict[str, Any]:
        measured = {"D+measured": TIMES["D"]} if kind == "parity" else {}
        results = idle if kind == "bars" else loaded(TIMES | measured)
        results.sampled = Sampled()
        for index, point in enumerate(results.raw["points"]):
            point["metrics"]["utilisation/floor"] = {"unit": "1", "value": 0.1 * (1 + index % 3), "ci95": None}
        figure = Figure.read({"id": kind, "kind": kind, "title": kind.capitalize(), **FIGURES[kind]})
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


def test_every_kind_of_figure_has_a_golden_test() -> None:
    assert set(FIGURES) == set(KINDS)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_is_made_of_what_it_was(kind: str, specification) -> None:
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
def test_a_figure_states_runs_and_seed_in_its_caption(kind: str, specification) -> None:
    caption = " ".join(specification(kind)["title"]["subtitle"])
    assert "2 runs of 10 min per point, seed 1." in caption


def test_the_published_mean_is_drawn_over_its_curve(specification) -> None:
    assert {"x": 100.0, "value": 15.0} in rows(specification("extremes"))


def test_a_difference_is_that_of_the_runs_and_of_the_published_numbers(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0], 300.0: [60.0, 60.0]}})
    published = [MEAN, replace(MEAN, experiment="E", value=0.034)]
    figure = Figure.read({"id": "d", "kind": "difference", **FIGURES["difference"]})
    drawn = rows(draw(figure, results, published).to_dict())
    (found,) = {row["value"] for row in drawn if "series" in row}
    assert found == pytest.approx(21.0)
    assert [row for row in drawn if "series" not in row] == [{"x": 100.0, "value": pytest.approx(19.0)}]


def test_a_figure_shows_only_the_points_and_published_numbers_it_asks_for(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0], 300.0: [60.0, 60.0]}})
    raw = {
        "id": "w",
        "kind": "comparison",
        "x": "background.rate",
        "y": "response_time",
        "where": {"background.rate": 300.0},
    }
    drawn = rows(draw(Figure.read(raw), results, [MEAN]).to_dict())
    assert {row["value"] for row in drawn} == {60.0}


def test_a_ranking_is_in_order_of_the_metric_with_the_published_number(loaded) -> None:
    results = loaded({"D": {100.0: [15.0, 16.0]}, "E": {100.0: [35.0, 38.0], 300.0: [60.0, 60.0]}})
    figure = Figure.read({"id": "r", "kind": "ranking", **FIGURES["ranking"]})
    drawn = rows(draw(figure, results, [MEAN]).to_dict())
    assert list(dict.fromkeys(row["change"] for row in drawn if "low" in row and row["of"] == "changed")) == ["E"]
    assert {round(row["value"], 3) for row in drawn} == {36.5, 15.5, 15.0}


def test_the_published_rate_is_drawn_over_its_bar(specification) -> None:
    assert {"x": 1.0, "series": "acknowledged", "value": 69.0} in rows(specification("bars"))


def test_a_panel_shows_the_mean_and_the_slowest_thousandth(specification) -> None:
    """At 100 packets/s D's mean is 15.5 ms, and the made-up distribution has its 99.9 % quantile at three means."""
    drawn = [row for row in rows(specification("panels")) if row.get("x") == 100.0 and "of" in row]
    assert {("mean", 15.5), ("99.9 %", 46.5)} < {(row["of"], row["value"]) for row in drawn}


def test_samples_are_drawn_in_their_order_with_one_scale_for_a_column(specification) -> None:
    first, second = specification("samples")["concat"]
    values = [row["value"] for row in rows(specification("samples")) if row.get("x", 0) <= 7][:7]
    assert values == pytest.approx([15, 30, 45, 60, 75, 90, 105])
    assert first["encoding"]["y"]["scale"]["domain"] == second["encoding"]["y"]["scale"]["domain"]


def test_a_trace_keeps_the_highest_and_the_lowest_level_of_each_span_and_holds_a_level_until_it_changes() -> None:
    spans = enveloped([0.0, 1.0, 1.0001, 2.5], [0.0, 700.0, 3.0, 40.0], end=4.0, spans=4)
    assert spans == [(0.0, 0.0, 0.0), (1.0, 0.0, 700.0), (2.0, 3.0, 40.0), (3.0, 40.0, 40.0)]


def test_rotations_of_any_length_are_counted_into_bins_of_equal_ratio() -> None:
    low, high = magnitudes([(3.5e-6, 990), (3.6e-6, 0), (3.4e-4, 10)])
    assert (low[1], high[1]) == (99.0, 1.0)
    assert low[0] <= 3.5e-6 < low[0] * ratio()
    assert high[0] <= 3.4e-4 < high[0] * ratio()


def test_the_saturation_is_marked_and_the_published_one_drawn_across(loaded) -> None:
    results = loaded({"D": {300.0: [20.0], 400.0: [90.0], 500.0: [190.0]}})
    figure = Figure.read({"id": "9", "kind": "curves", **FIGURES["curves"]})
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
def test_a_channel_saturates_where_it_first_carries_nearly_its_most(curve: list[Any], found: Any) -> None:
    assert saturation(curve) == found


def test_the_bars_of_a_budget_add_up_to_the_response_time(specification) -> None:
    made = [row for row in rows(specification("budget")["concat"][0]) if row.get("x") == 500.0]
    made += [
        row
        for dataset in specification("budget").get("datasets", {}).values()
        for row in dataset
        if row.get("x") == 500.0
    ]
    assert sum(row["value"] for row in made) == pytest.approx(190.0)


def test_samples_are_counted_into_bins_as_shares() -> None:
    assert counted([0.001, 0.014, 0.016, 0.031], 0.015) == [(0.0, 0.5), (0.015, 0.25), (0.03, 0.25)]


@pytest.mark.parametrize(("text", "seconds"), [("15 ms", 0.015), ("1 s", 1.0), ("50 us", 5e-5)])
def test_a_bins_width_is_read_with_its_unit(text: str, seconds: float) -> None:
    assert bin_width(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("seconds", "said"), [(600.0, "10 min"), (90.0, "1.5 min"), (30.0, "30 s"), (7200.0, "2 h")])
def test_durations_are_shown_in_suitable_units(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_an_unknown_kind_names_those_there_are(loaded) -> None:
    with pytest.raises(UnknownName, match="histogram"):
        draw(Figure.read({"id": "x", "kind": "pie"}), loaded({"D": {100.0: [15]}}))


def test_a_figure_of_experiments_that_were_not_run_is_refused(loaded) -> None:
    with pytest.raises(UnknownName, match="H"):
        draw(
            Figure.read({"id": "9", "kind": "curves", "y": "throughput_l3", "experiments": ["H"]}),
            loaded({"D": {100.0: [15]}}),
        )


def test_results_choose_a_figure_that_suits_them(loaded) -> None:
    assert suitable(loaded({"D": {100.0: [15], 200.0: [16]}})).kind == "comparison"
    assert suitable(loaded({"D": {100.0: [15]}}), "budget").kind == "budget"
