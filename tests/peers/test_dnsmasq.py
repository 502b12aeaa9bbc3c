"""DNS queries over UDP and TCP to dnsmasq."""

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.peer("dnsmasq", package="dnsmasq-base")
# one record, larger than what queries announce for UDP
LARGE = ",".join(["x" * 200] * 8)


@pytest.fixture
def server(until) -> Iterator[str]:
    """Host and port of a server that is authoritative for `test`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=", "--pid-file="]
    command += [f"--port={port}", "--listen-address=127.0.0.1", "--bind-interfaces", "--local=/test/"]
    command += ["--host-record=www.test,192.0.2.1,2001:db8::1", f"--txt-record=large.test,{LARGE}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def listens() -> bool:
        assert process.poll() is None, process.stderr.read()
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    until(listens)
    yield f"127.0.0.1:{port}"
    process.kill()
    process.communicate()


@pytest.fixture
def ask(sojourn, server, tmp_path) -> Callable[[str], dict[str, Any]]:
    """Measures 40 queries; their metrics."""

    def metrics(query: str) -> dict[str, Any]:
        timing = ("--rate", "40 /s", "--duration", "1 s")
        done = sojourn("measure", f"dns://{server}/{query}", *timing, "--out", tmp_path / "out", "--overwrite")
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"]

    return metrics


@pytest.mark.parametrize("query", ["www.test", "WWW.test.?type=aaaa", "www.test?type=AAAA&over=tcp"])
def test_every_query_for_a_name_is_answered(ask, query):
    metrics = ask(query)

    assert metrics["response_time"]["count"] == 40
    assert metrics["failures"]["value"] == 0


def test_over_tcp_the_phases_add_up_to_the_response_time(ask):
    metrics = ask("www.test?over=tcp")

    phases = {name: metric for name, metric in metrics.items() if name.startswith("phase/")}
    assert set(phases) == {"phase/connect", "phase/first_byte", "phase/whole"}
    assert sum(phase["mean"] for phase in phases.values()) == pytest.approx(metrics["response_time"]["mean"], rel=1e-6)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("missing.test", "dns_nxdomain"),
        ("missing.test?over=tcp", "dns_nxdomain"),
        ("elsewhere.example", "dns_refused"),
        ("large.test?type=TXT", "truncated"),
    ],
)
def test_other_answers_are_failures_of_their_kind(ask, query, kind):
    metrics = ask(query)

    assert metrics["failures"]["value"] == metrics[f"failures/{kind}"]["value"] == 40
    assert metrics["response_time"]["count"] == 0


def test_what_udp_truncates_is_whole_over_tcp(ask):
    assert ask("large.test?type=TXT&over=tcp")["response_time"]["count"] == 40
