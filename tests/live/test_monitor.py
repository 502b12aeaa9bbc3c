"""Monitoring around the clock: targets that are there, absent, and come back; what is kept, and how it ends."""

import json
import re
import signal
import socket
import threading
import time
from datetime import datetime
from pathlib import Path

import jsonschema
import pytest

from sojourn import schemas
from sojourn.units import format_value

SCHEMA = json.loads(schemas.text("monitor-events"))
FAST = ("--window", "1 s", "--timeout", "500 ms", "--metrics", "off")


class Echo:
    """A UDP echo server that can be silent, and counts what it leaves unanswered."""

    def __init__(self, port: int) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(0.2)
        self.answers = self.runs = True
        self.unanswered = 0
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        while self.runs:
            try:
                datagram, sender = self.socket.recvfrom(2048)
            except TimeoutError:
                continue
            if self.answers:
                self.socket.sendto(datagram, sender)
            else:
                self.unanswered += 1

    def close(self) -> None:
        self.runs = False
        self.thread.join()
        self.socket.close()


@pytest.fixture
def echo(free_port):
    """Starts echo servers."""
    started = []

    def begin(port: int | None = None) -> tuple[Echo, int]:
        chosen = port or free_port()
        started.append(Echo(chosen))
        return started[-1], chosen

    yield begin
    for server in started:
        server.close()


def lines_of(folder: Path) -> list[dict]:
    return [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]


def seconds(time_of_day: str) -> float:
    return datetime.fromisoformat(time_of_day).timestamp()


def of(lines: list[dict], kind: str, target: str | None = None) -> list[dict]:
    return [line for line in lines if line["type"] == kind and target in (None, line.get("target"))]


def kept(folder: Path, kind: str) -> list[dict]:
    """The lines of a kind written so far; the last line may be incomplete, and the folder absent."""
    complete = [file.read_text().rpartition("\n")[0] for file in sorted(folder.glob("*.jsonl"))]
    return of([json.loads(line) for text in complete for line in text.splitlines()], kind)


def windows_after_the_outage(folder: Path) -> list[dict]:
    """The windows that begin after the end of the outage."""
    outages = kept(folder, "outage")
    return [window for window in kept(folder, "window") if len(outages) == 2 and window["begin"] > outages[1]["end"]]


def test_every_line_fits_its_schema_and_a_target_that_is_absent_disturbs_no_other(sojourn, echo, free_port, tmp_path):
    _, there = echo()
    urls = [f"udp-echo://127.0.0.1:{there}", f"sojourn://127.0.0.1:{free_port()}", "udp-echo://no.such.host.invalid:9"]

    done = sojourn("monitor", *urls, *FAST, "--rate", "20 /s", "--duration", "7 s", "--format", "jsonl",
               "--out", str(tmp_path / "kept"), "--expect", "loss < 5 %")  # fmt: skip

    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        jsonschema.validate(line, SCHEMA)
    kept = lines_of(tmp_path / "kept")
    assert all(re.fullmatch("[0-9a-f]{8}", line.pop("crc32")) for line in kept)
    assert lines == kept
    present, absent, nameless = (name for name, _ in lines[0]["targets"])
    windows = of(lines, "window", present)
    assert len(windows) >= 4
    assert all(window["sent"] == window["answered"] == 20 - window["not_sent"] for window in windows[:4])
    assert windows[0]["metrics"]["response_time"]["p50"] < 0.05
    assert not of(lines, "outage", present)
    for target in (absent, nameless):
        assert of(lines, "outage", target)[0]["event"] == "begin"
        lost = of(lines, "window", target)
        assert lost and all(window["answered"] == 0 for window in lost)
        assert lost[0]["sent"] == 20, "the requests that were due"
        assert [alert["event"] for alert in of(lines, "alert", target)] == ["raised"]
    listed = sojourn("history", "export", "--target", present)
    stored = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [row["sent"] for row in stored] == [window["sent"] for window in windows]
    assert [row["p99"] for row in stored] == [window["metrics"]["response_time"]["p99"] for window in windows]
    assert all(sum(row["histogram"].values()) == row["answered"] for row in stored)


def test_requests_outstanding_at_the_end_of_a_window_are_lost_only_after_their_timeout(sojourn, begun, tmp_path):
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    _, address = begun("relay", "--to", agent, "--delay", "700 ms")

    done = sojourn("monitor", f"sojourn://{address}", "--window", "1 s", "--timeout", "4 s", "--rate", "20 /s",
                   "--metrics", "off", "--duration", "13 s", "--out", str(tmp_path / "kept"))  # fmt: skip

    assert done.returncode == 0, done.stderr
    windows = of(lines_of(tmp_path / "kept"), "window")
    assert len(windows) > 5
    assert all(window["sent"] == window["answered"] for window in windows), (
        "even those cut off by the end of the monitor"
    )
    assert all(window["metrics"]["response_time"]["min"] > 1.4 for window in windows)
    # a host that is busy with other tests does not send what is overdue, and says so
    numbers = [window["sent"] + window["not_sent"] for window in windows[:-1]]
    assert numbers == [20] * len(numbers)


def test_an_outage_raises_alerts_that_are_cleared_when_the_target_responds_again(start, echo, until, tmp_path):
    server, port = echo()
    monitor = start("monitor", f"udp-echo://127.0.0.1:{port}", *FAST, "--rate", "20 /s", "--expect", "loss < 10 %",
                    "--out", str(tmp_path / "kept"))  # fmt: skip
    until(lambda: len(kept(tmp_path / "kept", "window")) >= 2)
    server.answers = False
    time.sleep(4)
    server.answers = True
    until(lambda: len(windows_after_the_outage(tmp_path / "kept")) >= 2)
    monitor.send_signal(signal.SIGTERM)
    output, errors = monitor.communicate(timeout=20)

    assert monitor.returncode == 0, errors
    lines = lines_of(tmp_path / "kept")
    begin, end = of(lines, "outage")
    assert (begin["event"], end["event"]) == ("begin", "end")
    assert end["duration_s"] == pytest.approx(server.unanswered / 20, abs=0.3), "20 requests a second"
    assert [alert["event"] for alert in of(lines, "alert")] == ["raised", "cleared"]
    sent = sum(window["sent"] for window in of(lines, "window"))
    lost = sent - sum(window["answered"] for window in of(lines, "window"))
    assert lost == pytest.approx(server.unanswered, abs=2), "no request is counted twice or lost at a window's end"
    assert server.unanswered > 40, "most of those that were due in four seconds of silence"
    assert lines[-1]["type"] == "monitor" and lines[-1]["event"] == "end"
    assert "alert raised: loss < 10 %" in output
    assert f"outage ended after {format_value(end['duration_s'], 's')}" in output


def test_a_peer_that_restarts_is_an_outage_and_the_session_is_opened_again(begun, start, free_port, until, tmp_path):
    url = f"sojourn://127.0.0.1:{free_port()}"
    agent, _ = begun("agent", url)
    monitor = start("monitor", url, *FAST, "--rate", "20 /s", "--out", str(tmp_path / "kept"))
    until(lambda: len(kept(tmp_path / "kept", "window")) >= 2)
    agent.kill()
    agent.wait()
    time.sleep(2)
    begun("agent", url)
    until(lambda: len(windows_after_the_outage(tmp_path / "kept")) >= 2)
    monitor.send_signal(signal.SIGINT)
    _, errors = monitor.communicate(timeout=20)

    assert monitor.returncode == 0, errors
    lines = lines_of(tmp_path / "kept")
    begin, end = of(lines, "outage")
    assert end["duration_s"] > 2
    late = [seconds(window["time"]) - seconds(window["end"]) for window in of(lines, "window")]
    assert max(late) < 6, "no window waits for the counters of a peer that is away"
    assert "ICMP port unreachable" in (end["cause"] or begin["cause"] or "")
    after = windows_after_the_outage(tmp_path / "kept")
    assert after and all(window["answered"] == window["sent"] for window in after[1:])
    assert any("loss/forward" in window["metrics"] for window in after), "the agent counts what arrives"


def test_a_monitor_continues_its_folder_and_repairs_a_line_that_was_cut_off(sojourn, start, echo, until, tmp_path):
    _, port = echo()
    command = ("monitor", f"udp-echo://127.0.0.1:{port}", *FAST, "--out", str(tmp_path / "kept"))
    killed = start(*command)
    until(lambda: kept(tmp_path / "kept", "window"))
    again = sojourn(*command, "--duration", "1 s")
    assert again.returncode == 2 and "another monitor" in again.stderr
    killed.kill()
    killed.wait()
    (file,) = (tmp_path / "kept").glob("*.jsonl")
    before = lines_of(tmp_path / "kept")
    with file.open("a") as unfinished:
        unfinished.write('{"type":"window","ti')

    done = sojourn(*command, "--duration", "3 s")

    assert done.returncode == 0, done.stderr
    after = lines_of(tmp_path / "kept")
    assert after[: len(before)] == before
    assert "was cut off" in of(after, "note")[0]["text"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[target]]\nname = "a"\npeer = "sojourn://h"\nrat = "1 /s"', "did you mean `rate`?"),
        ('[[target]]\nname = "a"\npeer = "udp-ecko://h"', "did you mean `udp-echo`?"),
        ('[[target]]\nname = "a"\npeer = "udp-echo://h:70000"', "is not a port"),
        ('[[target]]\nname = "a"\npeer = "xtp+udp://h:1"', "cannot be monitored"),
        ('[[target]]\nname = "a"\npeer = "stamp://h"\ntransport = "tcp"', "has no meaning for stamp"),
        ('[[target]]\nname = "a"\npeer = "sojourn://h"\nload_every = "1 h"', "the document has no [[load]]"),
        ('[[target]]\nname = "a"\npeer = "sojourn://h"\nexpect = ["los < 1 %"]', "did you mean `loss`?"),
        ('[[target]]\nname = "a"\npeer = "sojourn://h"\n[measure]\nrate = "1 /s"', "no effect on targets"),
        ('[monitor]\nwindow = "2 h"\n[[target]]\nname = "a"\npeer = "sojourn://h"', "outside its range"),
        ("", "no target to monitor"),
    ],
)  # fmt: skip
def test_mistakes_have_a_place_and_a_hint_before_anything_runs(sojourn, tmp_path, text, message):
    document = tmp_path / "m.toml"
    document.write_text(f'[network]\nkind = "ip"\n{text}\n')

    done = sojourn("monitor", str(document), "--metrics", "off")

    assert done.returncode == 2
    assert message in done.stderr
