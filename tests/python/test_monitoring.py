"""What a user sees of a running monitor: each line in words, and the table of targets."""

import io
import sys
from typing import Any

import pytest
from rich.console import Console

from sojourn.cli.monitoring import Monitoring, as_text, matrix, sentence, table

TIME = "2026-11-23T05:00:00.000Z"
CONDITION = {"text": "loss < 1 %", "verdict": "missed", "value": 0.25, "raised": True}
BEGIN = {"type": "monitor", "event": "begin", "version": "0.1.0", "metrics": None, "targets": [["office", "stamp://h"]]}
WINDOW = {
    "type": "window", "target": "office", "begin": TIME, "end": TIME, "in_outage": False, "loaded": False, "sent": 40,
    "answered": 30, "metrics": {"response_time": {"p50": 0.0031, "p99": None}}, "conditions": [CONDITION],
}  # fmt: skip
OUTAGE = {"type": "outage", "target": "office", "event": "end", "begin": TIME, "end": TIME, "duration_s": 12.5,
          "cause": "host unreachable"}  # fmt: skip


HOST = {"type": "host", "event": "paused", "begin": TIME, "end": TIME, "duration_s": 20.0}
ALERT = {"type": "alert", "target": "office", "event": "raised", "condition": "loss < 1 %"}


def of(line: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"time": TIME} | line | changes


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (of(BEGIN), "begin of monitoring 1 target"),
        (of(BEGIN, metrics="http://h:1/metrics"), "begin of monitoring 1 target, OpenMetrics at http://h:1/metrics"),
        (of(WINDOW), "office: p50 3.10 ms, p99 –, lost 25.0 % of 40, alert: loss < 1 %"),
        (of(WINDOW, late=10, not_sent=5, host_paused=True, conditions=[]),
         "office: p50 3.10 ms, p99 –, lost 0.0 % of 40, 10 late, 5 not sent, this host was paused"),
        (of(WINDOW, sent=0, answered=0, conditions=[]), "office: p50 –, p99 –, lost – of 0"),
        (of(OUTAGE), "office: outage ended after 12.5 s (host unreachable)"),
        (of(OUTAGE, event="begin", cause=None), f"office: outage since {TIME}"),
        (of(ALERT), "office: alert raised: loss < 1 %"),
        (of(HOST), "this host was paused for 20 s"),
        (of(HOST, event="clock set", duration_s=-3600.0), "wall clock set by -3600 s"),
        (of(HOST, event="clock set", duration_s=0.52), "wall clock set by +0.5 s"),
        (of({"type": "address", "target": "office", "event": "changed", "old": "10.9.0.2", "new": "10.9.0.3"}),
         "office: address changed from 10.9.0.2 to 10.9.0.3"),
        (of(BEGIN, mesh=True, targets=[["a", "u"], ["b", "u"], ["c", "u"]]), "begin of a mesh of 3 agents, 6 pairs"),
        (of(WINDOW, **{"from": "oslo"}, conditions=[]), "oslo > office: p50 3.10 ms, p99 –, lost 25.0 % of 40"),
        (of(WINDOW, conditions=[], path=[{"text": "DSCP 46 is changed to 0"}]),
         "office: p50 3.10 ms, p99 –, lost 25.0 % of 40, DSCP 46 is changed to 0"),
        (of({"type": "note", "target": None, "text": "lines are lost"}), "lines are lost"),
    ],
)  # fmt: skip
def test_a_line_is_a_sentence_with_its_time(line, words):
    assert sentence(line) == f"{TIME} {words}"


def test_where_there_is_no_terminal_each_line_is_printed_and_for_a_machine_as_it_is(capsys):
    with Monitoring(stream=io.StringIO()) as shown:
        shown.line(of(OUTAGE), "{}")
    with Monitoring(machine=True) as shown:
        shown.line(of(OUTAGE), '{"type":"outage"}')

    assert (
        capsys.readouterr().out == f'{TIME} office: outage ended after 12.5 s (host unreachable)\n{{"type":"outage"}}\n'
    )


def shown_after(*lines: dict[str, Any]) -> list[str]:
    """The table after these lines."""
    shown = Monitoring(stream=io.StringIO())
    for line in lines:
        shown._take(line)
    console = Console(file=io.StringIO(), width=80)
    console.print(table(shown._targets))
    return console.file.getvalue().splitlines()


def test_an_ipv6_address_is_no_markup():
    for url in ("stamp://[fd00::7]", "stamp://[fe80::1]:862"):
        assert shown_after(of(BEGIN, targets=[[url, url]]))[1].startswith(f"{url} ")


def test_an_alert_and_an_outage_stay_in_the_table_until_they_end():
    loaded = of(WINDOW, loaded=True, conditions=[])
    raised = [of(BEGIN), of(WINDOW), of(ALERT), loaded]

    assert shown_after(*raised)[1].rstrip().endswith("up, alert: loss < 1 %"), "a loaded window is not judged"
    assert shown_after(*raised, of(ALERT, event="cleared"))[1].rstrip().endswith("up")
    after_outage = [of(OUTAGE, event="begin"), of(OUTAGE), of(WINDOW, in_outage=True)]
    assert "up" in shown_after(of(BEGIN), *after_outage)[1], "the window ended in the outage, which is over"
    assert "outage" in shown_after(of(BEGIN), of(OUTAGE, event="begin"), of(WINDOW))[1]


def test_a_loss_that_is_rare_is_not_shown_as_none():
    assert "< 0.1 %" in shown_after(of(BEGIN), of(WINDOW, sent=6000, answered=5999))[1]


def test_piped_output_is_lines_whatever_standard_error_is(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with Monitoring() as shown:
        shown.line(of(BEGIN), "{}")

    captured = capsys.readouterr()
    assert captured.out == f"{TIME} begin of monitoring 1 target\n"
    assert captured.err == ""


def test_the_table_has_the_last_window_and_the_state_of_every_target():
    lines = shown_after(of(BEGIN), of(WINDOW), of(ALERT), of(OUTAGE, event="begin"), of(BEGIN, event="end"))

    assert lines[0].split() == ["target", "p50", "p99", "lost", "state"]
    assert lines[1].split("  ")[0] == "office"
    assert lines[1].rstrip().endswith("25.0 %  outage, alert: loss < 1 %")


def test_a_mesh_ends_with_a_matrix_of_the_last_windows(capsys):
    agents = [[name, f"sojourn://{name}"] for name in ("oslo", "berlin", "rome")]
    quick = {"response_time": {"p50": 0.0031, "p99": 0.0102}, "loss": {"value": 0.0}}
    lossy = quick | {"loss": {"value": 0.125}}
    missed = CONDITION | {"raised": False}
    with Monitoring(stream=io.StringIO()) as shown:
        for line in (
            of(BEGIN, mesh=True, targets=agents),
            of(WINDOW, **{"from": "oslo"}, target="berlin", metrics=quick, conditions=[]),
            of(WINDOW, **{"from": "berlin"}, target="oslo", metrics=lossy, conditions=[missed]),
            of(OUTAGE, **{"from": "rome"}, target="oslo", event="begin"),
            of(WINDOW, **{"from": "rome"}, target="oslo", sent=0, answered=0, metrics={}, conditions=[]),
            of(BEGIN, event="end", mesh=True, targets=agents),
        ):
            shown.line(line, "{}")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[-5:-1] == ["1 2 3", "1 oslo 3.10 10.2 –", "2 berlin 3.10 10.2 !12 % –", "3 rome × –"]
    assert "median and 99 % of the response time in ms" in lines[-1]


def test_a_matrix_of_no_window_yet_has_dashes():
    targets = {pair: {"state": "opening", "alerts": {}} for pair in (("a", "b"), ("b", "a"))}
    rows = [" ".join(line.split()) for line in as_text(matrix(["a", "b"], targets)).splitlines()]
    assert rows[:3] == ["1 2", "1 a –", "2 b –"]
