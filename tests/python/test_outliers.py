"""The figure of the slowest transactions of a capture."""

from sojourn import outliers

ROW = {
    "from": "10.0.0.1",
    "to": "10.0.0.2",
    "service": "TCP 80",
    "time": 0.5,
    "begin": 3.0,
    "frames": [4, 9],
    "why": "1 retry",
}


def tables(**listed):
    """Tables of a capture of 10 s whose mean response time is 10 ms."""
    steps = [{"begin_s": float(second), "mean_s": 0.01} for second in range(10)]
    return {"seconds": 10.0, "steps": steps} | listed


def marks(chart):
    """The rows of the marks over the line of means."""
    return chart.to_dict()["layer"][-1]["data"]["values"]


def test_each_transaction_is_marked_at_its_time_and_lost_ones_above_all_others() -> None:
    lost = ROW | {"time": None, "begin": 7.0, "frames": [20, None]}
    chart = outliers.draw(tables(slowest=[ROW], retried=[], lost=[lost]))

    assert chart is not None
    slow, missing = marks(chart)
    assert (slow["kind"], slow["x"], slow["frames"], slow["why"]) == ("slowest", 3.0, "4-9", "1 retry")
    assert (missing["kind"], missing["x"], missing["frames"]) == ("lost", 7.0, "20")
    assert missing["y"] > slow["y"]
    line = chart.to_dict()["layer"][0]["data"]["values"]
    assert slow["y"] / line[0]["y"] == 0.5 / 0.01


def test_without_an_answered_transaction_there_is_no_figure() -> None:
    found = tables(slowest=[], lost=[ROW | {"time": None}])
    found["steps"] = [{"begin_s": 0.0, "mean_s": None}]

    assert outliers.draw(found) is None
