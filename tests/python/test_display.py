"""The terminal display of a running measurement."""

import io
from typing import Any

import pytest
from rich.console import Console

from sojourn.cli.display import Display, summary, view


def quantiles(p50: float) -> dict[str, float]:
    return {"min": 0.8 * p50, "p50": p50, "p90": 1.5 * p50, "p95": 1.8 * p50, "p99": 2 * p50, "max": 4 * p50}


def slot(p50_s: float | None, lost: int = 0) -> dict[str, Any]:
    return {"p50_s": p50_s, "max_s": p50_s, "lost": lost}


def standing(**changes: Any) -> dict[str, Any]:
    """15 s of an idle and a loaded phase of 10 s each, in slots of a second; one request of the second was lost."""
    idle = {"name": "idle", "begins_s": 0.0, "ends_s": 10.0, "answered": 1000, "lost": 0, "response": quantiles(2e-4)}
    loaded = {
        "name": "loaded",
        "begins_s": 10.0,
        "ends_s": 20.0,
        "answered": 499,
        "lost": 1,
        "response": quantiles(0.02),
    }
    course = [slot(2e-4)] * 10 + [slot(0.02), slot(0.02, 1), slot(None, 3), slot(0.02), slot(0.02)]
    return {
        "elapsed_s": 15.0,
        "left_s": 5.0,
        "phase": "loaded",
        "sent": 1500,
        "load_bit_rate": 94.1e6,
        "noise_floor_s": 35e-6,
        "phases": [idle | {"response": quantiles(2e-4)}, loaded | {"response": quantiles(0.02)}],
        "slot_s": 1.0,
        "course": course,
    } | changes


def shown(width: int = 100, **changes: Any) -> list[str]:
    console = Console(file=io.StringIO(), record=True, width=width, color_system=None)
    console.print(view(standing(**changes), width))
    return console.export_text().splitlines()


def test_the_display_shows_phase_time_series_percentiles_load_and_time_left() -> None:
    text = "\n".join(shown())

    assert "loaded  15 s of 20 s, 5 s left, 1500 requests sent" in text
    assert "200 µs ▁▁▁▁▁▁▁▁▁▁██×██····· 20 ms" in text
    assert "load 94.1 Mbit/s, noise floor of this host 35 µs" in text
    *_, idle, loaded, _ = (" ".join(line.split()) for line in text.splitlines())
    assert idle == "idle 1000 0.0 % 160 µs 200 µs 300 µs 360 µs 400 µs 800 µs"
    assert loaded == "loaded 499 0.2 % 16 ms 20 ms 30 ms 36 ms 40 ms 80 ms"


def test_losses_are_marked_in_their_place() -> None:
    course, losses = next((line, after) for line, after in zip(shown(), shown()[1:], strict=False) if "▁" in line)

    assert losses.index("×") == course.index("█") + 1, "beneath the median of the same second"
    assert course.count("×") == 1, "a second without answers has the mark for a bar"


def test_what_varies_little_looks_level() -> None:
    text = "\n".join(shown(course=[slot(2e-4), slot(2.1e-4), slot(1.9e-4)], elapsed_s=3.0, left_s=0.0))

    assert "190 µs ▁▁▁ 210 µs" in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    course = [slot(2e-4 * (1 + index % 7)) for index in range(90)]

    lines = shown(width, course=course, elapsed_s=90.0, left_s=30.0)

    assert max(map(len, lines)) <= width
    assert sum("▁" in line for line in lines) == 1, "the course is one line, whatever its width"


def test_a_measurement_without_responses_or_end_can_be_shown() -> None:
    phase = {"name": "idle", "begins_s": 0.0, "ends_s": None, "answered": 0, "lost": 0, "response": None}
    changes = {"phases": [phase], "phase": "idle", "left_s": None, "noise_floor_s": None, "load_bit_rate": 0.0}

    text = "\n".join(shown(**changes, course=[slot(None)] * 3, elapsed_s=3.0))

    assert "idle  3 s, 1500 requests sent" in text
    assert "no response so far" in text


def test_nothing_is_drawn_if_the_stream_is_not_a_terminal() -> None:
    stream = io.StringIO()
    display = Display(stream)

    display(standing())
    display.close()

    assert stream.getvalue() == ""


def test_a_terminal_is_left_as_it_was() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    display = Display(terminal)
    display(standing())
    assert "20 ms" in terminal.getvalue()
    display.close()

    assert terminal.getvalue().endswith("\x1b[2K"), "the last line is erased, too"
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h") == 1, "the cursor is back"


def test_machine_readable_output_omits_the_time_series() -> None:
    assert summary(standing()).keys() == standing().keys() - {"course", "slot_s"}
