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
from jsonschema import Draft202012Validator, FormatChecker

from sojourn import schemas

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


def checked(document: object, schema: str) -> None:
    """Fails where a document breaks the schema that the package has for it."""
    Draft202012Validator(json.loads(schemas.text(schema)), format_checker=FormatChecker()).validate(document)


def test_jsonl_is_a_line_an_event_that_its_schema_describes_and_ends_with_the_result(sojourn, echo) -> None:
    options = ("--duration", "4 s", "--rate", "200 /s", *LONG_TIMEOUT, "--expect", "loss < 50 %", "--format", "jsonl")
    done = sojourn("measure", echo, *options)

    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    for event in events:
        checked(event, "measure-events")
    reports = [event for event in events if event["type"] == "standing"]
    instants = [standing["elapsed_s"] for standing in reports]
    assert instants and all(later - earlier > 0.8 for earlier, later in pairwise(instants)), "one a second"
    assert [standing["sent"] for standing in reports] == sorted(standing["sent"] for standing in reports)
    last = reports[-1]
    assert last["phase"] == "idle" and last["elapsed_s"] + last["left_s"] == pytest.approx(max(4.0, last["elapsed_s"]))
    (phase,) = last["phases"]
    assert phase["response"]["min"] <= phase["response"]["p50"] <= phase["response"]["p99"]
    (ended,) = [event for event in events if event["type"] == "phase"]
    assert (ended["kind"], ended["messages"]) == ("idle", 800)

    result = events[-1]
    assert result["type"] == "result" and result["well"]
    assert [verdict["verdict"] for verdict in result["verdicts"]] == ["met"]
    checked(result["results"], "results")
    (point,) = result["results"]["points"]
    assert point["metrics"]["response_time"]["count"] == 800
    assert point["metrics"]["response_time"]["min"] <= phase["response"]["min"]
    assert point["metrics"]["noise_floor"]["value"] == pytest.approx(last["noise_floor_s"])


def test_jsonl_ends_with_a_result_where_nothing_was_measured(sojourn, free_port) -> None:
    done = sojourn("measure", f"udp-echo://127.0.0.1:{free_port()}", "--duration", "1 s", "--format", "jsonl")

    assert done.returncode == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    for event in events:
        checked(event, "measure-events")
    assert events[-1]["type"] == "result" and not events[-1]["well"] and events[-1]["failures"]


def test_json_is_one_document_that_its_schema_describes(sojourn, echo, tmp_path) -> None:
    done = sojourn("measure", echo, "--duration", "2 s", "--out", "out", "--format", "json")

    assert done.returncode == 0, done.stderr
    checked(json.loads(done.stdout), "results")
    assert done.stdout == (tmp_path / "out/results.json").read_text()


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
    results = json.loads(done.stdout)
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
