"""What a user sees of a capture that is read from a pipe, and what a second Ctrl-C leaves."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sojourn.captures import _ended
from sojourn.cli.capturing import Capturing, sentence, table
from sojourn.errors import Interrupted
from sojourn.jobs import Progress

FLOW = {
    "from": "10.0.0.1", "to": "10.0.0.2", "service": "TCP 80", "requests": 300, "p50_s": 0.0031, "p99_s": None,
    "retries": 2, "failures": 1,
}  # fmt: skip
STATE = {
    "seconds": 61.0, "packets": 1204, "packet_rate": 19.7, "transactions": 380, "malformed": 2, "evicted": 0,
    "flow_count": 12, "flows": [FLOW],
}  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def progress(**changes: Any) -> Progress:
    return Progress(0, 0, 0, capture=STATE | changes)


def test_the_state_in_words_names_rate_flows_and_what_was_not_counted() -> None:
    words = "1204 packets in 61 s, 19.7 packets/s, 380 requests of 12 flows, 11 flows not shown, 2 malformed"
    assert sentence(STATE) == words.replace("61 s", sentence(STATE).split(" in ")[1].split(",")[0])
    assert sentence(STATE | {"evicted": 3}).endswith("2 malformed, 3 evicted")


def test_the_table_has_a_row_for_each_flow() -> None:
    written = io.StringIO()
    Console(file=written, width=100).print(table(STATE))

    head, row = written.getvalue().splitlines()

    assert head.split() == ["flow", "service", "requests", "p50", "p99", "retries", "failures"]
    assert row.split() == ["10.0.0.1", "to", "10.0.0.2", "TCP", "80", "300", "3.10", "ms", "–", "2", "1"]


def test_a_terminal_has_the_table_in_place_which_is_erased_at_the_end() -> None:
    terminal = Terminal()
    with Capturing(terminal) as view:
        view(progress())
        view(progress(packets=1300))
    assert "10.0.0.1 to 10.0.0.2" in terminal.getvalue()
    assert "1300 packets" in terminal.getvalue()
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")


def test_without_a_terminal_a_line_is_written_every_ten_seconds() -> None:
    now, stream = [0.0], io.StringIO()
    with Capturing(stream, clock=lambda: now[0]) as view:
        for second in range(25):
            now[0] = float(second)
            view(progress(packets=second))
        view(progress(packets=24))
    assert [line.split()[0] for line in stream.getvalue().splitlines()] == ["10", "20"]


def test_a_second_interrupt_does_not_wait_and_names_the_folder_of_what_was_written() -> None:
    class Job:
        def outcome(self) -> str | None:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="stopped before the results were complete; the files written to out are"):
        _ended(Job(), Path("out"))
