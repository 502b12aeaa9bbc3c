"""Percentiles of a response time on an axis of 1/(1 - p), dashed where there are few samples."""

from collections.abc import Callable
from typing import Any

import pytest

from sojourn.figures import Figure, draw


class Hundred:
    """1 to 100 ms, one sample each; the first may be shorter."""

    def __init__(self, shortest: float = 0.001) -> None:
        self.shortest = shortest

    def at(self, _point: Any, _axes: Any, _metric: str, kind: str = "samples") -> dict[str, list[Any]]:
        assert kind == "samples"
        times = [self.shortest, *(count / 1000 for count in range(2, 101))]
        return {"replication": [0] * len(times), "value": times}


@pytest.fixture
def drawn(loaded) -> Callable[..., dict[str, Any]]:
    """The figure of a hundred samples."""

    def build(**samples: float) -> dict[str, Any]:
        results = loaded({"D": {100.0: [50.0]}})
        results.raw["points"][0]["metrics"]["response_time"]["count"] = 100
        results.sampled = Hundred(**samples)
        figure = Figure.read({"id": "s", "kind": "percentiles", "y": "response_time", "experiments": ["D"]})
        return draw(figure, results).to_dict()

    return build


@pytest.fixture
def lines(drawn) -> list[list[dict[str, Any]]]:
    """The rows of both lines: percentiles with enough samples beyond them, and the others."""
    return [layer["data"]["values"] for layer in drawn()["layer"]]


def test_p90_is_drawn_at_ten(lines) -> None:
    well, _ = lines
    at = {round(row["x"], 6): row["y"] for row in well}
    assert (at[2.0], at[10.0]) == pytest.approx((50.0, 90.0))


def test_percentiles_with_fewer_than_ten_samples_beyond_are_separate_and_the_maximum_is_not_drawn(lines) -> None:
    well, weak = lines
    assert well[-1] == weak[0], "the line goes on"
    assert well[-1]["y"] == pytest.approx(90.0)
    assert (weak[-1]["x"], weak[-1]["y"]) == pytest.approx((100.0, 99.0))


def axis_begins_at(figure: dict[str, Any]) -> float:
    return figure["layer"][0]["encoding"]["y"]["scale"]["domain"][0]


def test_the_axis_begins_at_a_low_percentile_where_a_few_samples_are_far_shorter(drawn) -> None:
    near, far = drawn(shortest=0.0015), drawn(shortest=10e-9)
    assert axis_begins_at(near) == pytest.approx(1.5)
    assert 4 < axis_begins_at(far) < 7
    assert "The shortest 5 % of the samples are below the axis." in " ".join(far["title"]["subtitle"])
    assert "below the axis" not in " ".join(near["title"]["subtitle"])
