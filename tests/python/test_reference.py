from dataclasses import replace
from pathlib import Path

import pytest

from sojourn.comparison import against_published
from sojourn.comparison.published import blind_score
from sojourn.errors import ResultsError
from sojourn.point import Point
from sojourn.reference import read_published, second_cluster, share_of_whole

ROOT = Path(__file__).resolve().parents[2]
HEAD = "experiment,background.rate,metric,field,value,unit,uncertainty,role\n"


def written(tmp_path: Path, rows: str) -> Path:
    file = tmp_path / "numbers.csv"
    file.write_text("# a paper, 1992\n" + HEAD + rows)
    return file


def test_a_number_agrees_within_the_tolerance_and_differs_beyond_it(loaded, tmp_path: Path) -> None:
    results = loaded({"D": {100.0: [16.4, 16.4], 200.0: [16.6, 16.6]}})
    rows = "D,100,response_time,mean,0.015,s,0,prediction\nD,200,response_time,mean,0.015,s,0,prediction\n"
    near, far = against_published(results, read_published(written(tmp_path, rows)))
    assert (near.verdict, far.verdict) == ("agrees", "differs")
    assert far.deviation == pytest.approx(0.1067, abs=1e-3)


def test_a_published_uncertainty_that_is_larger_than_the_tolerance_counts_instead(loaded, tmp_path: Path) -> None:
    rows = "D,100,response_time,mean,0.015,s,0.003,calibration\n"
    (match,) = against_published(loaded({"D": {100.0: [17.9]}}), read_published(written(tmp_path, rows)))
    assert match.agrees


def test_an_empty_setting_takes_the_largest_over_all_points(loaded, tmp_path: Path) -> None:
    rows = "D,,throughput_l3,largest,360,1/s,0,calibration\n"
    (match,) = against_published(loaded({"D": {100.0: [15], 400.0: [90]}}), read_published(written(tmp_path, rows)))
    assert match.found == 360


def test_a_number_whose_point_is_not_there_is_missing_and_does_not_agree(loaded, tmp_path: Path) -> None:
    rows = "D,250,response_time,mean,0.015,s,0,prediction\n"
    (match,) = against_published(loaded({"D": {100.0: [15]}}), read_published(written(tmp_path, rows)))
    assert (match.verdict, match.agrees) == ("missing", False)


def test_experiments_that_were_not_run_are_left_out(loaded, tmp_path: Path) -> None:
    rows = "Z,100,response_time,mean,0.015,s,0,prediction\n"
    assert against_published(loaded({"D": {100.0: [15]}}), read_published(written(tmp_path, rows))) == []


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("D,100,response_time,mean,fast,s,0,prediction", "line 3.*fast"),
        ("D,100,response_time,mean,0.015,s,0,guess", "line 3.*guess"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(row: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=named):
        read_published(written(tmp_path, row + "\n"))


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("experiment,metric,value\nD,response_time,1\n")
    with pytest.raises(ResultsError, match="field, unit, uncertainty, role"):
        read_published(file)


def with_blind_columns(tmp_path: Path, rows: str) -> Path:
    file = tmp_path / "blind.csv"
    file.write_text(HEAD.rstrip() + ",tolerance,scored_blind\n" + rows)
    return file


def test_a_row_may_state_its_own_tolerance_and_that_it_was_withheld(loaded, tmp_path: Path) -> None:
    rows = "D,100,response_time,mean,0.015,s,0,prediction,0.2,true\nD,100,response_time,mean,0.015,s,0,prediction,,\n"
    results = loaded({"D": {100.0: [17.5]}})
    wide, usual = against_published(results, read_published(with_blind_columns(tmp_path, rows)))
    assert (wide.verdict, usual.verdict) == ("agrees", "differs")
    assert (wide.published.scored_blind, usual.published.scored_blind) == (True, False)


def test_the_blind_score_is_that_of_the_frozen_predictions_with_the_furthest_first(loaded, tmp_path: Path) -> None:
    rows = "".join(f"D,100,response_time,mean,{value},s,0,prediction,0.1,true\n" for value in (0.015, 0.02, 0.03))
    results = loaded({"D": {100.0: [99]}})
    published = [replace(row, predicted=0.0155) for row in read_published(with_blind_columns(tmp_path, rows))]
    score = blind_score(against_published(results, published))
    assert score is not None
    assert (score.met, [match.published.value for match in score.missed]) == (1, [0.03, 0.02])
    assert score.in_words.startswith("1 of 3 values")


def test_a_number_that_was_fitted_to_cannot_be_scored_blind(tmp_path: Path) -> None:
    with pytest.raises(
        ResultsError, match="line 2, column scored_blind: a number of role calibration cannot be scored blind"
    ):
        read_published(with_blind_columns(tmp_path, "D,100,response_time,mean,1,s,0,calibration,,true\n"))


def test_the_second_cluster_is_the_median_of_the_highest_distant_bin() -> None:
    samples = [0.015] * 80 + [0.016] * 10 + [0.121, 0.122, 0.123] + [0.25]
    assert second_cluster(samples) == 0.122


def test_samples_in_one_cluster_have_no_second_cluster() -> None:
    assert second_cluster([0.015, 0.016, 0.017]) is None
    assert second_cluster([]) is None


@pytest.mark.parametrize("file", sorted((ROOT / "reference").glob("*/*.csv")), ids=lambda file: file.name)
def test_the_numbers_at_hand_are_cited_and_readable(file: Path) -> None:
    assert file.read_text().startswith("# "), "the first line cites the source"
    assert read_published(file)


def test_the_share_of_a_member_is_its_part_of_the_whole_metric() -> None:
    values = {"throughput": 47.0e6, "throughput/a": 18.8e6, "throughput/b": 28.2e6, "drops": 0.0, "drops/a": 0.0}
    metrics = {name: {"unit": "1", "value": value} for name, value in values.items()}
    point = Point({"experiment": "pair", "set": {}, "metrics": metrics})

    assert share_of_whole(point, "throughput/a") == pytest.approx(0.4)
    assert share_of_whole(point, "throughput/c") is None
    assert share_of_whole(point, "drops/a") is None, "nothing is there to share"
