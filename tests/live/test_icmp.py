"""ICMP echo between two network namespaces, over both versions of IP, by a ping socket and by a raw one."""

import json
import subprocess

import pytest

pytestmark = [pytest.mark.network_namespaces, pytest.mark.peer("ip", package="iproute2")]
NEAR, FAR = "2001:db8::1", "2001:db8::2"
FAR_VERSION_4 = "10.36.0.2"
PING_GROUPS = "/proc/sys/net/ipv4/ping_group_range"


@pytest.fixture
def permit(hosts):
    """Gives ping sockets to every group of the near host, or to none, and both hosts addresses of IPv6."""

    def groups(span: str) -> None:
        for host, address in zip(hosts, (NEAR, FAR), strict=True):
            command = ["ip", "-n", host.name, "address", "add", f"{address}/64", "dev", "wire", "nodad"]
            subprocess.run(command, check=True, capture_output=True)
        within = hosts[0].within
        subprocess.run([*within, "sh", "-c", f"echo {span} > {PING_GROUPS}"], check=True)

    return groups


@pytest.fixture
def ask(hosts, start, tmp_path):
    """Sends 50 requests from the near host; their metrics and what was printed."""

    def measure(url: str, *arguments: str) -> tuple[dict[str, dict[str, float]], str]:
        timing = ("--rate", "50 /s", "--duration", "1 s", "--out", str(tmp_path / "out"))
        process = start("measure", url, *timing, *arguments, within=hosts[0].within)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"], stderr

    return measure


@pytest.mark.parametrize("groups", ["0 2147483647", "1 0"], ids=["ping socket", "raw socket"])
@pytest.mark.parametrize("url", [f"icmp://{FAR_VERSION_4}", f"icmp://[{FAR}]"], ids=["IPv4", "IPv6"])
def test_the_kernel_of_the_far_host_answers_every_request(permit, ask, groups, url):
    permit(groups)

    metrics, stderr = ask(url, "--exchange-size", "56 B", "--ecn", "2")

    assert "were not responses" not in stderr
    assert (metrics["response_time"]["count"], metrics["loss"]["value"]) == (50, 0)
    assert metrics["path_time"]["count"] == 50, "the kernel takes timestamps of echo messages"
    assert metrics["marks"]["value"] == 0


def test_without_permission_the_error_names_the_sysctl_and_the_capability(hosts, permit, tool, environment, tmp_path):
    permit("1 0")
    command = [*hosts[0].within, "setpriv", "--bounding-set", "-all", tool, "measure", f"icmp://{hosts[1].address}"]

    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 2
    assert "net.ipv4.ping_group_range" in done.stderr
    assert "CAP_NET_RAW" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["icmp://127.0.0.1:7"], "icmp has no ports"),
        (["icmp://127.0.0.1", "--load", "tcp:1"], "`load` has no meaning for icmp"),
        (["http://127.0.0.1/", "--load", "tcp:1"], "`load` has no meaning for http"),
        (["http://127.0.0.1/", "--exchange-size", "100 B"], "`probe.size` has no meaning for http"),
        (["http://127.0.0.1/", "--ecn", "2"], "--ecn marks datagrams"),
        (["http://127.0.0.1/", "--ca-file", "ca.pem"], "`measure.ca_file` has no meaning for http"),
        (["https://127.0.0.1/", "--ca-file", "ca.pem"], "the CA file ca.pem cannot be read"),
        (["dns://127.0.0.1/a", "--voice", "g711"], "`measure.voice` has no meaning for dns"),
        (["dns://127.0.0.1/a?over=sctp"], "over is udp or tcp"),
        (["icmp://127.0.0.1", "--http-version", "2"], "`measure.http_version` has no meaning for icmp"),
    ],
)
def test_what_does_not_apply_to_a_probe_is_refused(sojourn, arguments, message):
    done = sojourn("measure", *arguments)

    assert done.returncode == 2
    assert message in done.stderr
    assert "^" in done.stderr or "─" in done.stderr or "cannot be read" in message
