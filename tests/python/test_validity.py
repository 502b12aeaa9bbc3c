"""What the section about validity says of the published values and of intervals."""

from types import SimpleNamespace

import pytest

from sojourn.reference import Published
from sojourn.report.tables import data_tables
from sojourn.report.validity import validity


def published(value_ms: float) -> Published:
    return Published(
        "D", {"background.rate": 300.0}, "response_time", "p50", value_ms / 1000, "s", 0.0, "calibration", "bulletin"
    )


@pytest.fixture
def said(loaded):
    """The statements about a median of 18 ms at 300 packets/s beside published ones."""

    def build(*values_ms: float) -> dict[str, str]:
        study = SimpleNamespace(published=[published(value) for value in values_ms], titles={})
        return dict(validity(loaded({"D": {300.0: [20.0, 20.0]}}), study).statements)

    return build


def test_the_value_furthest_beyond_its_tolerance_is_named_with_its_statistic_and_its_point(said):
    assert said(17.5, 15.0)["Calibration"] == (
        "1 of 2 values to which model constants were fitted agree within their tolerance; the furthest beyond it is "
        "response time, median, in D at offered load 300 packets/s: it is off by +20.0 %, and ±10 % agree."
    )


def test_where_all_values_agree_the_nearest_to_its_tolerance_is_named(said):
    assert "the nearest to its tolerance is response time, median, in D" in said(17.5, 18.0)["Calibration"]


def test_the_method_of_the_intervals_begins_a_sentence(said):
    assert said(17.5)["Intervals"].startswith("Replications, Student t; ")


def test_a_table_of_one_point_is_not_of_a_range(loaded):
    loads = {100.0 * number: [15.0, 16.0] for number in range(1, 7)}

    titles = [table.title for table in data_tables(loaded({"D": loads}), None)]

    assert titles == ["D, points 1 to 5 of 6", "D, point 6 of 6"]
