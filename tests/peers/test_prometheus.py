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
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
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


def _named(labels: dict[str, str]) -> str:
    return labels.get("target") or labels.get("alertname") or labels.get("le") or ""


@pytest.fixture
def prometheus(tmp_path: Path):
    """Starts Prometheus for a target; returns a function that queries it."""
    processes = []

    def begin(target: str, rules: str = "none.yml") -> Callable[[str], dict[str, float]]:
        port = free_port()
        (tmp_path / "prometheus.yml").write_text(CONFIGURATION.format(target=target, rules=rules))
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
            return {_named(series["metric"]): float(series["value"][1]) for series in found}

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


DOCUMENT = """
[network]
kind = "ip"
[monitor]
window = "1 s"
metrics = "127.0.0.1:0"
[[target]]
name = "present"
peer = "{present}"
rate = "20 /s"
timeout = "300 ms"
expect = ["response_time.p99 < 1 s"]
[[target]]
name = "away"
peer = "{away}"
rate = "20 /s"
timeout = "300 ms"
[expect]
"loss" = "< 5 %"
"response_time.p50" = "< 900 ms"
"""
SOMETIMES = {"sojourn_clock_offset_seconds", "sojourn_clock_error_seconds", "sojourn_target_address"}
"""Families that have samples only where clocks are compared and names resolved."""


def families(text: str) -> dict[str, str]:
    """The name and type of each family of an exposition in the text format."""
    return dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", text))


def test_dashboard_and_rules_of_a_document_are_those_of_what_its_monitor_serves(start, sojourn, prometheus, tmp_path):
    from sojourn.prometheus.dashboard import expression  # noqa: PLC0415
    from sojourn.prometheus.families import FAMILIES, INTERVAL  # noqa: PLC0415

    agent = f"sojourn://127.0.0.1:{free_port()}"
    start("agent", agent).stderr.readline()
    document = DOCUMENT.format(present=agent, away=f"udp-echo://127.0.0.1:{free_port()}")
    (tmp_path / "site.toml").write_text(document)
    written = sojourn("export", "site.toml", "--grafana", "dashboard.json", "--prometheus-rules", "rules.yml")
    rules = subprocess.run(["promtool", "check", "rules", tmp_path / "rules.yml"], capture_output=True, check=False)
    start("monitor", "site.toml", "--out", str(tmp_path / "kept"))
    first = within(20, lambda: lines_of(tmp_path / "kept"))[0]
    endpoint = re.fullmatch(r"http://(\S+)/metrics", first["metrics"])[1]
    query = prometheus(endpoint, rules="rules.yml")
    within(60, lambda: query("sojourn_windows_total").get("present", 0) >= 12)
    served = families(urllib.request.urlopen(f"http://{endpoint}/metrics", timeout=10).read().decode())

    assert written.returncode == 0, written.stderr
    assert rules.returncode == 0, rules.stdout
    kinds = {family.name: "gauge" if family.kind == "info" else family.kind for family in FAMILIES}
    assert served.items() <= kinds.items()
    assert kinds.keys() - served.keys() <= SOMETIMES
    empty = set()
    for family in FAMILIES:
        for one in family.queries:
            # a Prometheus without Grafana has none of its variables
            asked = expression(one, ("target",), ".*").replace(INTERVAL, "10s")
            if not query(asked):
                empty.add(family.name)
    assert empty <= SOMETIMES
    within(30, lambda: query('ALERTS{alertname="SojournLoss",alertstate="firing"}'))
    assert query('ALERTS{alertname="SojournLoss",alertstate="firing"}') == {"away": 1}
    assert query('ALERTS{alertname="SojournResponseTimeP99",alertstate="firing"}') == {}
    assert query('sojourn_alert_raised{condition="response_time.p99 < 1 s"}') == {"present": 0}
    panels = json.loads((tmp_path / "dashboard.json").read_text())["panels"]
    assert len(panels) == len(FAMILIES)
