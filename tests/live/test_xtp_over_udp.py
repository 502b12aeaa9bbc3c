"""Two processes on loopback: `sojourn listen` at one end, `sojourn measure` at the other."""

import json
import re
import signal
import socket

import pytest


def transfer_of(process) -> dict:
    """The only transfer reported by a listener with --format json, after it has ended."""
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    (line,) = stdout.splitlines()
    return json.loads(line)


def test_ten_mebibytes_arrive_intact_through_five_percent_loss(sojourn, listener):
    far = listener("xtp+udp://127.0.0.1:0", "--count", "1", "--format", "json")

    done = sojourn(
        "measure", f"xtp+udp://{far.address}", "--size", "10 MiB", "--packet-size", "8 KiB", "--inject-loss", "5 %"
    )

    assert done.returncode == 0, done.stderr
    message = re.search(
        r"10 MiB in ([\d.]+ m?s), ([\d.]+ [kMG]bit/s), (\d+) packets retransmitted, "
        r"(\d+) datagrams dropped on purpose, "
        r"intact \(SHA-256 ([0-9a-f]{64})\)",
        done.stderr,
    )
    assert message, done.stderr
    assert int(message[3]) >= 20, "5 % of 1280 packets were lost, and each was sent again"
    received = transfer_of(far.process)
    assert received["sha256"] == message[5]
    assert received["bytes"] == 10 * 2**20
    assert received["ended"] == "complete"
    print(f"\n10 MiB through 5 % loss: {message[2]} in {message[1]}, {message[3]} retransmissions")


def test_what_was_measured_has_the_form_of_results_and_names_its_world(sojourn, listener, tmp_path):
    far = listener("xtp+udp://127.0.0.1:0")

    done = sojourn(
        "measure", f"xtp+udp://{far.address}", "--exchanges", "200", "--size", "1 MiB", "--replications", "3",
        "--out", "out",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out/results.json").read_text())
    assert (results["schema"], results["world"], results["network"]) == (1, "live", "xtp+udp")
    exchanges, transfer = results["points"]
    assert (exchanges["experiment"], exchanges["status"], exchanges["replications"]) == ("exchanges", "ok", 3)
    assert exchanges["metrics"]["response_time"]["count"] == 600
    assert exchanges["metrics"]["response_time"]["p50"] > 0
    throughput = transfer["metrics"]["throughput"]
    low, high = throughput["ci95"]
    # three transfers that the host interrupts differently may leave an interval that reaches below 0
    assert throughput["value"] > 0 and low <= throughput["value"] <= high
    assert transfer["metrics"]["retries"]["unit"] == "1"
    assert (tmp_path / "out/report.html").exists()


def test_garbage_to_the_listener_s_port_does_not_end_it(sojourn, listener):
    far = listener("xtp+udp://127.0.0.1:0", "--count", "1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for length in range(300):
            stranger.sendto(bytes((37 * at + length) % 256 for at in range(length)), ("127.0.0.1", far.port))

    done = sojourn("measure", f"xtp+udp://{far.address}", "--size", "1 MiB")

    assert done.returncode == 0, done.stderr
    stdout, stderr = far.process.communicate(timeout=60)
    assert "transfer with 127.0.0.1" in stdout
    assert re.search(r"\d+ datagrams were not XTP packets, the first with the error: packet of 0 bytes", stderr)


def test_killing_the_listener_ends_a_transfer_with_a_named_report(start, listener, at_work):
    far = listener("xtp+udp://127.0.0.1:0")
    near = start("measure", f"xtp+udp://{far.address}", "--size", "1000000 MiB", "--format", "json")
    at_work(far.process)

    far.process.kill()
    stdout, stderr = near.communicate(timeout=60)

    assert near.returncode == 1
    gone = f"{far.address} became unreachable: no listener on that port (ICMP port unreachable)"
    assert f"failed: {gone}" in stderr
    assert json.loads(stdout)["points"][0]["status"] == f"failed: {gone}"


def test_killing_the_one_who_measures_ends_the_association_at_the_listener_by_its_timers(start, listener, at_work):
    far = listener("xtp+udp://127.0.0.1:0", "--count", "1", "--format", "json")
    near = start("measure", f"xtp+udp://{far.address}", "--size", "1000000 MiB")
    at_work(far.process)

    near.kill()
    received = transfer_of(far.process)

    assert (received["ended"], received["well"]) == ("the peer did not respond", False)
    assert received["bytes"] > 0


def test_a_missing_listener_is_reported_at_once(sojourn, free_port):
    port = free_port()
    done = sojourn("measure", f"xtp+udp://127.0.0.1:{port}", "--exchanges", "1")
    assert done.returncode == 1
    assert f"cannot reach 127.0.0.1:{port}: no listener on that port" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message", "advice"),
    [
        (["measure", "xtp+upd://127.0.0.1:1"], "there is no transport `xtp+upd`", "did you mean `xtp+udp`?"),
        (["measure", "127.0.0.1:36000"], "a URL begins with a scheme", "known: sojourn, xtp+udp"),
        (["measure", "xtp+udp://127.0.0.1"], "the port is missing", ""),
        (["measure", "xtp+udp://127.0.0.1:1", "--size", "10"], "`transfer` needs a unit", "MiB"),
        (
            ["measure", "xtp+udp://127.0.0.1:1", "--inject-loss", "100 %"],
            "`inject_loss` is 100 %, outside its range",
            "0 % to 99.99 %",
        ),
        (
            ["measure", "xtp+udp://127.0.0.1:1", "--packet-size", "70 kB"],
            "`packet_size` is 70 kB, outside its range",
            "1 B to 65000 B",
        ),
        (["measure", "xtp+udp://127.0.0.1:1", "--exchanges", "0"], "neither round trips nor a transfer", ""),
        (["listen", "xtp+udp://127.0.0.1:99999"], "`99999` is not a port", ""),
        (["listen", "xtp+udp://192.0.2.1:36000"], "this host has no address 192.0.2.1", "0.0.0.0"),
        (["listen", "xtp+ip://127.0.0.1:7"], "xtp+ip has no ports", ""),
    ],
)
def test_a_mistake_is_shown_under_a_caret_and_nothing_begins(sojourn, arguments, message, advice):
    done = sojourn(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert advice in done.stderr


def test_a_port_in_use_is_named(sojourn, listener):
    far = listener("xtp+udp://127.0.0.1:0")
    done = sojourn("listen", f"xtp+udp://{far.address}")
    assert done.returncode == 2
    assert f"UDP port {far.port} of 127.0.0.1 is in use" in done.stderr


def test_without_the_right_to_raw_sockets_the_capability_is_named(sojourn):
    done = sojourn("listen", "xtp+ip://127.0.0.1", plain_user=True)
    assert done.returncode == 2
    assert "XTP as IP protocol 36 needs the capability CAP_NET_RAW" in done.stderr


def test_ctrl_c_ends_a_listener_well_and_a_measurement_as_stopped(start, listener, at_work):
    far = listener("xtp+udp://127.0.0.1:0")
    near = start("measure", f"xtp+udp://{far.address}", "--size", "1000000 MiB")
    at_work(far.process)

    near.send_signal(signal.SIGINT)
    _, stderr = near.communicate(timeout=60)
    assert near.returncode == 130
    assert stderr.endswith("sojourn: stopped\n")
    far.process.send_signal(signal.SIGINT)
    stdout, _ = far.process.communicate(timeout=60)

    assert far.process.returncode == 0
    assert "failed: aborted by the peer" in stdout
