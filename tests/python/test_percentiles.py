"""Percentiles of a response time on an axis of 1/(1 - p), dashed where there are few samples."""

from typing import Any

import polars as pl
import pytest

from sojourn.figures import Figure, draw


class Hundred:
    """1 to 100 ms, one sample each."""

    def frame(self, _points: Any, _axes: Any, _metric: str, kind: str = "samples") -> pl.DataFrame:
        times = [count / 1000 for count in range(1, 101)] if kind == "samples" else []
        rates = [100.0] * len(times)
        return pl.DataFrame({"experiment": ["D"] * len(times), "background.rate": rates, "value": times})


@pytest.fixture
def lines(loaded) -> list[list[dict[str, Any]]]:
    """The rows of both lines: percentiles with enough samples beyond them, and the others."""
    results = loaded({"D": {100.0: [50.0]}})
    results.raw["points"][0]["metrics"]["response_time"]["count"] = 100
    results.sampled = Hundred()
    figure = Figure.read({"id": "s", "kind": "percentiles", "y": "response_time", "experiments": ["D"]})
    return [layer["data"]["values"] for layer in draw(figure, results).to_dict()["layer"]]


def test_p90_is_drawn_at_ten(lines) -> None:
    well, _ = lines
    at = {round(row["x"], 6): row["y"] for row in well}
    assert (at[2.0], at[10.0]) == pytest.approx((50.0, 90.0))


def test_percentiles_with_fewer_than_ten_samples_beyond_are_separate_and_the_maximum_is_not_drawn(lines) -> None:
    well, weak = lines
    assert well[-1] == weak[0], "the line goes on"
    assert well[-1]["y"] == pytest.approx(90.0)
    assert (weak[-1]["x"], weak[-1]["y"]) == pytest.approx((100.0, 99.0))
