"""A running measurement, as its watcher sees it: on a terminal, through a pipe, and as lines for machines."""

import json
import os
import pty
import re
import select
import subprocess
import time
from itertools import pairwise

import pytest

LONG_TIMEOUT = ("--timeout", "30 s")
"""Nothing is lost on a loopback, however long the machine stands still."""


@pytest.fixture
def echo(listener) -> str:
    """The URL of an echo of UDP on this host."""
    return f"udp-echo://{listener('udp-echo://127.0.0.1:0').address}"


def shown_on_a_terminal(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """The exit status of a command and what it wrote to the terminal that its standard error is."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    seen, deadline = b"", time.monotonic() + 300
    while time.monotonic() < deadline and select.select([ours], [], [], 30)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break  # the other end is closed
        if not part:
            break
        seen += part
    os.close(ours)
    return process.wait(30), seen.decode()


def test_a_terminal_shows_the_course_and_the_time_left_and_is_clean_again_at_the_end(tool, environment, echo) -> None:
    environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}

    status, seen = shown_on_a_terminal([str(tool), "measure", echo, "--duration", "8 s"], environment)

    assert status == 0, seen
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    left = [float(number) for number in re.findall(r"of 8 s, (\d+) s left", plain)]
    assert left == sorted(left, reverse=True) and len(set(left)) >= 2, "the time left runs down"
    assert "median response time" in plain and re.search(r"[▁▂▃▄▅▆▇█]", plain)
    assert "noise floor of this host" in plain
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h"), "the cursor is back"


def test_a_pipe_gets_no_display(sojourn, echo) -> None:
    done = sojourn("measure", echo, "--duration", "1 s")

    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    assert "median response time" not in done.stderr


def test_a_machine_gets_a_line_a_second_and_then_the_results(sojourn, echo) -> None:
    done = sojourn("measure", echo, "--duration", "4 s", "--rate", "200 /s", *LONG_TIMEOUT, "--format", "json")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines(keepends=True)
    reports = [json.loads(line)["standing"] for line in lines if line.startswith('{"standing"')]
    instants = [standing["elapsed_s"] for standing in reports]
    assert instants and all(later - earlier > 0.8 for earlier, later in pairwise(instants)), "one a second"
    assert [standing["sent"] for standing in reports] == sorted(standing["sent"] for standing in reports)
    last = reports[-1]
    assert last["phase"] == "idle" and last["elapsed_s"] + last["left_s"] == pytest.approx(max(4.0, last["elapsed_s"]))
    (phase,) = last["phases"]
    assert phase["response"]["min"] <= phase["response"]["p50"] <= phase["response"]["p99"]

    results = json.loads("".join(lines[len(reports) :]))
    (point,) = results["points"]
    assert point["metrics"]["response_time"]["count"] == 800
    assert point["metrics"]["response_time"]["min"] <= phase["response"]["min"]
    assert point["metrics"]["noise_floor"]["value"] == pytest.approx(last["noise_floor_s"])


def test_a_voice_stream_is_rated(sojourn, echo) -> None:
    done = sojourn(
        "measure",
        echo,
        "--voice",
        "g711",
        "--set",
        "measure.voice.playout_delay=150 ms",
        "--duration",
        "2 s",
        *LONG_TIMEOUT,
        "--format",
        "json",
    )

    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout[done.stdout.index('{"schema"') :])
    metrics = results["points"][0]["metrics"]
    assert metrics["response_time"]["count"] == 100, "one packet every 20 ms"
    latest = metrics["response_time_intended"]["max"]
    assert 0.17375 <= metrics["play_out_delay"]["value"] <= 0.17375 + latest
    # a machine that stands still for longer is heard
    if latest < 0.075:
        assert metrics["mos"]["value"] > 4.2
        assert metrics["fifo_underflow"]["value"] == 0


def test_an_unknown_codec_is_refused_with_those_that_there_are(sojourn, echo) -> None:
    done = sojourn("measure", echo, "--voice", "opus")

    assert done.returncode == 2
    assert "known: g711, g711-plain, g729a" in done.stderr
