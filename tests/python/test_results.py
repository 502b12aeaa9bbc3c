import json
from pathlib import Path

import pytest

from sojourn.errors import ResultsError, UnknownName, UserError
from sojourn.results import Results, read_results


def test_a_folder_and_its_file_hold_the_same_results(loaded, tmp_path: Path) -> None:
    raw = loaded({"D": {100.0: [15, 16]}}).raw
    (tmp_path / "results.json").write_text(json.dumps(raw))
    assert read_results(tmp_path).raw == read_results(tmp_path / "results.json").raw == raw


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": 2, "points": []}', '{"schema": 1, "points": 3}'])
def test_a_file_without_results_is_a_user_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(ResultsError, match=r"results\.json"):
        read_results(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        read_results(tmp_path / "nowhere.json")


def test_the_results_of_a_single_point_give_its_metrics(loaded) -> None:
    assert loaded({"D": {100.0: [15, 17]}})["response_time"].mean == pytest.approx(0.016)


def test_results_of_several_points_have_no_metric_of_their_own(loaded) -> None:
    with pytest.raises(UnknownName, match="2 points"):
        loaded({"D": {100.0: [15], 200.0: [16]}})["response_time"]


def test_an_unknown_metric_lists_the_known_ones(loaded) -> None:
    with pytest.raises(UnknownName, match="response_time"):
        loaded({"D": {100.0: [15]}}).points[0]["jitter"]


def test_the_frame_has_a_row_for_every_point_and_metric(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16], 200.0: [17, 18]}})
    frame = results.frame()
    assert frame.height == sum(len(point.metrics) for point in results.points)
    row = frame.filter((frame["metric"] == "response_time") & (frame["background.rate"] == 200.0)).row(0, named=True)
    assert row["value"] == pytest.approx(0.0175)
    assert row["ci95_low"] < row["value"] < row["ci95_high"]
    assert row["unit"] == "s"


def test_a_metric_that_does_not_apply_is_not_given(loaded) -> None:
    raw = loaded({"D": {100.0: [15]}}).raw
    raw["points"][0]["metrics"]["response_time"] |= {"count": 0, "mean": None, "ci95": None}
    assert Results(raw).points[0].get("response_time") is None


def test_points_are_selected_by_their_settings(loaded) -> None:
    results = loaded({"D": {100.0: [15], 200.0: [16]}, "E": {100.0: [14]}})
    assert [point.set for point in results.select("D", background__rate=200.0)] == [{"background.rate": 200.0}]
    assert len(results.select("D")) == 2


def test_budget_components_are_sorted_from_sender_to_receiver(loaded) -> None:
    point = loaded({"D": {100.0: [15]}}).points[0]
    assert point.components == ["sender-application", "retransmission", "receiver-network"]


def test_without_samples_the_frame_of_samples_is_empty(loaded) -> None:
    assert loaded({"D": {100.0: [15]}}).samples().height == 0
