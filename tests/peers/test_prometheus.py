"""A real Prometheus scrapes `sojourn monitor`, and answers queries with what the monitor counted."""

import json
import re
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.peer("prometheus", package="prometheus"), pytest.mark.peer("promtool", package="prometheus")]

CONFIGURATION = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - job_name: sojourn
    static_configs: [{{targets: ["{target}"]}}]
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def lines_of(folder: Path) -> list[dict]:
    return [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]


def within(seconds: float, found: Callable[[], Any]) -> Any:
    """What is found before the timeout."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if value := found():
                return value
        except OSError:
            pass
        time.sleep(0.2)
    raise TimeoutError


@pytest.fixture
def prometheus(tmp_path: Path):
    """Starts Prometheus for a target; returns a function that queries it."""
    processes = []

    def begin(target: str) -> Callable[[str], dict[str, float]]:
        port = free_port()
        (tmp_path / "prometheus.yml").write_text(CONFIGURATION.format(target=target))
        command = ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb"]
        with (tmp_path / "prometheus.log").open("w") as log:
            process = subprocess.Popen(
                [*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=subprocess.STDOUT
            )
        processes.append(process)

        def query(expression: str) -> dict[str, float]:
            url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
            with urllib.request.urlopen(url, timeout=10) as response:
                found = json.load(response)["data"]["result"]
            return {series["metric"].get("target", ""): float(series["value"][1]) for series in found}

        return query

    yield begin
    for process in processes:
        process.terminate()
        process.wait(timeout=20)


def test_prometheus_has_the_counts_of_the_monitor_and_its_linter_finds_nothing(start, prometheus, tmp_path):
    agent = f"sojourn://127.0.0.1:{free_port()}"
    start("agent", agent).stderr.readline()
    absent = f"udp-echo://127.0.0.1:{free_port()}"
    monitor = start("monitor", agent, absent, "--window", "1 s", "--timeout", "300 ms", "--rate", "20 /s",
                    "--expect", "loss < 5 %", "--metrics", "127.0.0.1:0", "--out", str(tmp_path / "kept"))  # fmt: skip
    first = within(20, lambda: lines_of(tmp_path / "kept"))[0]
    endpoint = re.fullmatch(r"http://(\S+)/metrics", first["metrics"])[1]
    present, away = (name for name, _ in first["targets"])

    query = prometheus(endpoint)
    within(60, lambda: query("sojourn_windows_total").get(present, 0) >= 4)
    lint = subprocess.run(
        ["promtool", "check", "metrics"],
        input=urllib.request.urlopen(f"http://{endpoint}/metrics", timeout=10).read(),
        capture_output=True, check=False,
    )  # fmt: skip
    windows = {target: int(count) for target, count in query("sojourn_windows_total").items()}
    requests = query("sojourn_requests_total")
    answered = query("sojourn_response_time_seconds_count")
    lost = query("sum by (target) (sojourn_requests_lost_total)")
    up, raised = query("sojourn_target_up"), query("sojourn_alert_raised")
    monitor.send_signal(signal.SIGINT)
    monitor.communicate(timeout=20)

    assert (lint.returncode, lint.stderr) == (0, b"")
    lines = lines_of(tmp_path / "kept")
    for target in (present, away):
        kept = [line for line in lines if line["type"] == "window" and line["target"] == target][: windows[target]]
        sums = sum(window["sent"] for window in kept), sum(window["answered"] for window in kept)
        assert abs(requests[target] - sums[0]) <= 20, "one scrape may lie between the queries"
        assert abs(answered[target] - sums[1]) <= 20
        assert abs(lost[target] - (sums[0] - sums[1])) <= 20
    assert (up, raised) == ({present: 1, away: 0}, {present: 0, away: 1})
