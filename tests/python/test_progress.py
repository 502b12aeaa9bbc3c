import io

import pytest

from sojourn.cli.progress import Line, ProgressLine, TimeLeft, live_line
from sojourn.jobs import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("progress", "elapsed_s", "said"),
    [
        (Progress(0, 0, 0), 0.1, "starting"),
        (Progress(0, 1, 0, replications_total=10), 0.1, "0 of 1 point, 0 of 10 runs"),
        (
            Progress(12, 154, 120, replications_total=1540),
            10.0,
            "12 of 154 points, 120 of 1540 runs, 12 runs/s, 118 s left",
        ),
        (Progress(2, 4, 4, replications_total=8), 8.0, "2 of 4 points, 4 of 8 runs, 0.5 runs/s, 8 s left"),
        (
            Progress(
                2,
                3,
                30,
                "3 levels",
                {},
                replications_total=45,
                rate={"rate": 1e-8, "interval": [4e-9, 3e-8], "left_s": 90},
            ),
            10.0,
            "2 of 3 points, 30 of 45 runs, 3.0 runs/s, 3 levels, 0.315 a year (0.126 to 0.946) so far, about 90 s left",
        ),
        (
            Progress(2, 3, 30, replications_total=45, rate={"rate": None, "interval": [0, 1e-6], "left_s": None}),
            10.0,
            "2 of 3 points, 30 of 45 runs, 3.0 runs/s, fewer than 2.59 a month so far",
        ),
        (Progress(4, 4, 8, "writing", replications_total=8), 8.0, "4 of 4 points, 8 of 8 runs, 1.0 runs/s, writing"),
    ],
)
def test_the_line_shows_points_runs_of_the_total_rate_and_time_left(progress, elapsed_s, said) -> None:
    assert Line()(progress, elapsed_s) == said


def test_the_time_left_never_climbs_though_later_points_take_longer() -> None:
    left = TimeLeft()
    shown = [
        left(Progress(0, 9, done, replications_total=90), elapsed) for done, elapsed in ((9, 3), (18, 6), (27, 30))
    ]
    assert shown == [pytest.approx(27.0), pytest.approx(24.0), pytest.approx(24.0)]


def test_replications_from_the_cache_do_not_count_as_computed_at_once() -> None:
    assert TimeLeft()(Progress(0, 1, 60, replications_total=100, from_cache=50), 10.0) == pytest.approx(40.0)


def test_no_time_left_is_shown_where_the_end_is_not_known() -> None:
    left = TimeLeft()
    assert left(Progress(0, 1, 10, replications_total=20), 5.0) is not None
    assert left(Progress(1, 2, 20, replications_total=40), 9.0) is None


@pytest.mark.parametrize(
    ("live", "said"),
    [
        (
            {"phase": "transfer", "done": 5 << 20, "total": 10 << 20, "unit": "B", "rate": 1e6, "left_s": 5.24},
            "transfer: 5 MiB of 10 MiB, 8 Mbit/s, 5 s left",
        ),
        (
            {"phase": "exchanges", "done": 250, "total": 1000, "unit": "1", "rate": 5000.0, "left_s": 0.15},
            "exchanges: 250 of 1000, 5000 /s, 0 s left",
        ),
        ({"phase": "listening", "done": 0, "total": 0, "unit": "B", "rate": None, "left_s": None}, "listening: 0 B"),
    ],
)
def test_the_line_of_a_live_job_shows_progress_rate_and_time_left(live: dict, said: str) -> None:
    assert live_line(Progress(0, 0, 0, "", live), 1.0) == said


def test_the_line_is_erased_at_the_end() -> None:
    terminal, now = Terminal(), iter([0.0, 1.0, 2.0])
    with ProgressLine(terminal, lambda: next(now)) as progress:
        progress(Progress(1, 2, 3))
    shown = terminal.getvalue()
    assert "1 of 2 points" in shown
    assert shown.endswith("\r") and shown.rstrip("\r ").count("\r") == 1


def test_nothing_is_shown_if_standard_error_is_not_a_terminal() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as progress:
        progress(Progress(1, 2, 3))
    assert stream.getvalue() == ""
