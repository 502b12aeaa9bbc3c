"""Measurements between two network namespaces, captured on the wire: what was measured and what the capture shows."""

import json

import pytest

pytestmark = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tshark", package="tshark"),
]
REQUESTS = 50


@pytest.fixture
def serve(hosts, begun):
    """Starts what answers a measurement on the far host; its address for the near host."""

    def launch(scheme: str) -> str:
        far = hosts[1]
        match scheme:
            case "icmp":
                return f"icmp://{far.address}"
            case "sojourn":
                _, address = begun("agent", f"sojourn://{far.address}", "--open", within=far.within)
            case _:
                _, address = begun("listen", f"{scheme}://{far.address}", within=far.within)
        return address if "://" in address else f"{scheme}://{address}"

    return launch


@pytest.mark.parametrize(
    ("scheme", "service", "most_beside"),
    [
        ("icmp", "echo", 0),
        pytest.param("stamp", "udp-862", 5, marks=pytest.mark.nightly),
        pytest.param("sojourn", "udp-18620", 5, marks=pytest.mark.nightly),
    ],
)
def test_a_capture_has_every_request_between_the_network_rtt_and_the_response_time(
    scheme, service, most_beside, hosts, serve, capture, start, sojourn, tmp_path
):
    url = serve(scheme)
    timing = ("--rate", f"{REQUESTS} /s", "--duration", "1 s", "--out", str(tmp_path / "measured"))
    measured = start("measure", url, *timing, within=hosts[0].within)
    _, stderr = measured.communicate(timeout=120)
    assert measured.returncode == 0, stderr
    capture("frame", "frame.number")  # ends it

    done = sojourn("analyse", "wire.pcapng", "--network", "ip", "--no-store", "--out", "captured")

    assert done.returncode == 0, done.stderr
    found, expected = metrics(tmp_path / "captured"), metrics(tmp_path / "measured")
    times = found[f"response_time/{service}"]
    assert expected["response_time"]["count"] == REQUESTS
    assert 0 <= times["count"] - REQUESTS <= most_beside, "a server is asked before the measurement begins"
    assert found[f"failures/{service}"]["value"] == 0
    # the capture adds to the time between the kernels at most that in the far host, and takes away that in the near one
    shortest, longest = expected["path_time"], expected["response_time"]
    assert all(shortest[name] <= times[name] * 1.02 and times[name] <= longest[name] * 1.02 for name in ("p50", "mean"))


def metrics(folder):
    (point,) = json.loads((folder / "results.json").read_text())["points"]
    return point["metrics"]
