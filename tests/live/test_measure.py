"""`sojourn measure` against an agent as a user starts both: output, stored results, and errors."""

import csv
import json
import os
import re
import signal
import time

import pytest

LONG_TIMEOUT = ("--timeout", "30 s")
"""Nothing is lost on a loopback, however long the machine stands still."""
LONG = ("--duration", "600 s", "--format", "jsonl")

SITE = """
title = "An echo beside two uploads"
[network]
kind = "ip"
[[medium]]
name = "link"
rate = "100 Mbit/s"
[[station]]
name = "near"
on = "link"
[[station]]
name = "far"
on = "link"
[probe]
from = "near"
to = "far"
size = "128 B"
think = "5 ms"
[background]
from = "near"
to = "far"
streams = 2
[run]
duration = "2 s"
warm_up = "500 ms"
replications = 2
[expect]
"response_time.p50" = "< 1 s"
"""


@pytest.fixture
def agent(begun):
    """The address of an agent of this host."""
    _, address = begun("agent", "sojourn://127.0.0.1:0")
    return address


def metrics(folder):
    points = json.loads((folder / "results.json").read_text())["points"]
    return {point["experiment"]: point["metrics"] for point in points}


def stability(folder):
    points = json.loads((folder / "results.json").read_text())["points"]
    return {point["experiment"]: point["stability"] for point in points}


def test_idle_loaded_and_recovery_have_metrics_of_their_own(agent, sojourn, tmp_path):
    out = tmp_path / "out"

    done = sojourn(
        "measure", f"sojourn://{agent}", "--load", "tcp:1,pace=20 Mbit/s", "--duration", "2 s", "--idle", "1 s",
        "--recovery", "1 s", *LONG_TIMEOUT, "--out", str(out), "--figures", "svg",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "noise floor" in done.stderr
    found = metrics(out)
    assert list(found) == ["idle", "loaded", "recovery"]
    assert found["idle"]["response_time"]["count"] == 100
    assert found["idle"]["throughput"] == {**found["idle"]["throughput"], "applies": False, "value": None}, "no load"
    assert 0 < found["loaded"]["throughput"]["value"] < 25e6
    resources = {row["resource"]: row for row in stability(out)["loaded"]}
    assert resources["peer"]["offered"] == pytest.approx(100, rel=0.1), "requests a second, as asked"
    assert resources["peer"]["carried"] <= resources["peer"]["offered"]
    [load] = set(resources) - {"peer"}
    assert resources[load]["offered"] == 20e6
    assert resources[load]["carried"] == found["loaded"]["throughput"]["value"]
    assert {row["utilisation"] for row in resources.values()} == {None}, "not seen from here"
    assert found["loaded"]["lateness"]["count"] == 200
    titles = [line.split(":")[0] for line in done.stdout.splitlines() if ": " in line[:13]][:4]
    assert titles == ["Latency", "Loss", "Outages", "Bufferbloat"]
    assert found["loaded"]["responsiveness"]["value"] > 1
    headlines = re.findall('<p class="headline">([^<]*)', (out / "report.html").read_text())
    assert [line.split(":")[0] for line in headlines] == titles
    assert (out / "figures" / "timeseries.svg").exists()
    assert (out / "traces.parquet").exists()
    assert (
        json.loads((out / "provenance.json").read_text())["circumstances"]["calibration"]["regime"]["processors"] >= 1
    )


def test_cpu_idle_states_are_disabled_if_permitted(agent, sojourn, tmp_path):
    out = tmp_path / "out"

    options = ["--no-cpu-idle", "--duration", "500 ms", *LONG_TIMEOUT]
    done = sojourn("measure", f"sojourn://{agent}", *options, "--out", str(out))

    if os.access("/dev/cpu_dma_latency", os.W_OK):
        assert done.returncode == 0, done.stderr
        assert "CPU idle states disabled" in done.stderr
        circumstances = json.loads((out / "provenance.json").read_text())["circumstances"]
        assert circumstances["calibration"]["regime"]["wake_limit_us"] == 0
    else:
        assert done.returncode == 2
        assert "--no-cpu-idle: " in done.stderr


def test_what_is_expected_is_judged_in_every_phase_and_a_miss_ends_with_exit_code_1(agent, sojourn):
    phases = [
        "--load",
        "tcp:1,pace=20 Mbit/s",
        "--duration",
        "1 s",
        "--idle",
        "1 s",
        "--recovery",
        "0 s",
        *LONG_TIMEOUT,
    ]
    wanted = ["failures = 0", "throughput > 1 Mbit/s", "response_time.min > 1 s"]
    expected = [word for condition in wanted for word in ("--expect", condition)]

    done = sojourn("measure", f"sojourn://{agent}", *phases, *expected)

    assert done.returncode == 1, done.stderr
    assert "expected failures = 0: met at 2 of 2 points" in done.stderr
    assert "expected throughput > 1 Mbit/s: met with " in done.stderr, "it applies under load alone"
    assert "expected response_time.min > 1 s: missed at idle; loaded" in done.stderr


def test_requests_over_tcp_have_the_metrics_of_those_over_udp(agent, sojourn, tmp_path):
    common = ["--duration", "1 s", "--rate", "100 /s", "--exchange-size", "64 B,16 KiB", *LONG_TIMEOUT]

    folders = [tmp_path / transport for transport in ("udp", "tcp")]
    runs = [
        sojourn("measure", f"sojourn://{agent}", "--transport", folder.name, *common, "--out", str(folder))
        for folder in folders
    ]

    assert [done.returncode for done in runs] == [0, 0], [done.stderr for done in runs]
    udp, tcp = (json.loads((folder / "results.json").read_text())["points"] for folder in folders)
    assert [point["set"] for point in tcp] == [{"probe.size": 64}, {"probe.size": 16384}]
    for over_udp, over_tcp in zip(udp, tcp, strict=True):
        assert over_tcp["metrics"]["response_time"]["count"] == 100
        assert over_tcp["metrics"]["one_way_delay/forward"]["count"] >= 95
        of_tcp = {"retransmissions", "srtt"}
        # the agent counts datagrams, and the kernel stamps them, over UDP alone
        assert of_tcp <= set(over_tcp["metrics"]) <= set(over_udp["metrics"]) | of_tcp
    assert "over TCP" in runs[1].stderr
    report = (tmp_path / "tcp" / "report.html").read_text()
    assert "response time" in report.lower() and "TCP retransmissions" in report


def test_a_scenario_is_measured_under_the_names_of_its_simulation(agent, sojourn, tmp_path):
    site = tmp_path / "site.toml"
    site.write_text(SITE)

    simulated = sojourn("run", str(site), "--set", "run.replications=2", "--out", str(tmp_path / "simulated"))
    measured = sojourn("measure", str(site), "--peer", f"sojourn://{agent}", "--out", str(tmp_path / "measured"))
    compared = sojourn("compare", str(tmp_path / "simulated"), str(tmp_path / "measured"))

    assert simulated.returncode == 0, simulated.stderr
    assert measured.returncode == 0, measured.stderr
    assert "that a real one does not obey" in " ".join(measured.stderr.split())
    assert "medium link: rate" in " ".join(measured.stderr.split())
    found = metrics(tmp_path / "measured")
    assert list(found) == ["site"]
    assert found["site"]["response_time"]["count"] > 0
    assert found["site"]["throughput/background-2"]["value"] > 0
    # two runs show a difference only where it is large: that both can be held against each other is what counts
    assert compared.returncode in {0, 1}, compared.stderr
    assert "comparisons show a difference" in compared.stdout
    # the report of the measurement simulates the scenario
    assert json.loads((tmp_path / "measured" / "document.json").read_text())["text"] == SITE


MEASUREMENT = """
[network]
kind = "ip"
[measure]
rate = "100 /s"
[probe]
size = "100 B"
[run]
duration = "500 ms"
warm_up = "0 s"
replications = 1
"""


def test_a_document_is_measured_and_swept_over_a_key_that_only_real_networks_obey(agent, sojourn, tmp_path):
    document = tmp_path / "measurement.toml"
    document.write_text(MEASUREMENT.replace("[measure]", f'[measure]\npeer = "sojourn://{agent}"'))

    checked = sojourn("check", str(document), "--expand")
    swept = sojourn("sweep", str(document), "--over", "measure.rate=50,200 /s", "--out", str(tmp_path / "out"))
    simulated = sojourn("run", str(document))

    assert checked.returncode == 0, checked.stderr
    assert "schedule" not in checked.stdout and 'rate = "100 /s"' in checked.stdout
    assert swept.returncode == 0, swept.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert (results["world"], results["axes"]) == ("live", {"measure.rate": {"unit": "1/s"}})
    assert [point["set"]["measure.rate"] for point in results["points"]] == [50, 200]
    assert [point["metrics"]["response_time"]["count"] for point in results["points"]] == [25, 100]
    assert simulated.returncode == 2
    assert "it has no stations to simulate" in simulated.stderr and "sojourn measure FILE" in simulated.stderr


def test_what_was_measured_until_the_agent_went_away_is_kept_and_opens_in_a_report(start, sojourn, answered, tmp_path):
    process = start("agent", "sojourn://127.0.0.1:0")
    address = process.stderr.readline().split()[2].rstrip(";")
    near = start("measure", f"sojourn://{address}", *LONG, "--outage-limit", "2 s", "--out", str(tmp_path / "out"))
    answered(near, 50)
    process.kill()

    _, stderr = near.communicate(timeout=60)

    assert near.returncode == 1
    assert "became unreachable" in stderr
    (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert point["status"].startswith("failed: ")
    assert point["metrics"]["response_time"]["count"] >= 50
    report = sojourn("report", str(tmp_path / "out"))
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "out" / "report.html").read_text()
    assert "became unreachable" in page and "1 outage, " in page


def test_a_killed_measurement_leaves_a_folder_that_report_opens(agent, start, sojourn, until, tmp_path):
    out = tmp_path / "out"
    near = start("measure", f"sojourn://{agent}", *LONG, "--out", str(out))
    requests = out / "requests.csv"
    until(lambda: requests.exists() and len(requests.read_text().splitlines()) > 60)
    near.kill()
    near.wait(timeout=60)
    assert not (out / "results.json").exists()

    report = sojourn("report", str(out))

    assert report.returncode == 0, report.stderr
    (point,) = json.loads((out / "results.json").read_text())["points"]
    assert point["status"].startswith("failed: the measurement did not end")
    assert point["metrics"]["response_time"]["count"] >= 50
    assert {"one_way_delay/forward", "path_time", "loss"} <= point["metrics"].keys()
    assert "did not end" in (out / "report.html").read_text()
    assert sojourn("report", str(out)).returncode == 0, "and once more, from results"


def test_a_measurement_killed_under_load_keeps_goodput_loss_by_direction_and_verdicts(
    agent, start, sojourn, until, tmp_path
):
    out = tmp_path / "out"
    load = ["--load", "tcp:1,down,pace=8 Mbit/s", "--idle", "1 s", "--duration", "600 s"]
    expect = ["--expect", "loss < 10 %", "--expect", "response_time.p50 < 1 us"]
    near = start("measure", f"sojourn://{agent}", *load, *expect, *LONG_TIMEOUT, "--out", str(out))
    seconds = out / "seconds.csv"
    until(lambda: seconds.exists() and len(seconds.read_text().splitlines()) > 6)
    near.kill()
    near.wait(timeout=60)

    report = sojourn("report", str(out))

    assert report.returncode == 0, report.stderr
    found = metrics(out)
    assert found["loaded"]["throughput"]["value"] > 1e6
    assert found["loaded"]["loss/forward"]["value"] == 0
    judged = json.loads((out / "verdicts.json").read_text())
    verdicts = {(row["experiment"], row["text"]): row["verdict"] for row in judged}
    assert verdicts["idle", "loss < 10 %"] == "met"
    assert verdicts["idle", "response_time.p50 < 1 us"] == "missed"
    page = (out / "report.html").read_text()
    assert "which is without the noise floor, goodput of each stream, loss of the load" in page
    assert f"sojourn://{agent}" in page and "--load" in page, "the set-up as it was requested"


def test_every_request_is_written_with_its_wall_clock_sequence_number_and_timestamps(agent, sojourn, tmp_path):
    out = tmp_path / "out"
    began = time.time_ns()

    marks = ["--dscp", "46", "--ecn", "2"]
    done = sojourn("measure", f"sojourn://{agent}", "--duration", "1 s", *marks, "--out", str(out))

    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((out / "requests.csv").open()))
    assert [int(row["sequence"]) for row in rows] == list(range(100))
    assert all(began < int(row["sent_unix_ns"]) < time.time_ns() for row in rows)
    assert all(int(row["sent_ns"]) < int(row["arrived_ns"]) <= int(row["received_ns"]) for row in rows)
    assert all(row["far_received_ns"] and row["duplicates"] == "0" for row in rows)
    assert sum(bool(row["far_sent_ns"]) for row in rows) > 90
    for received in ("sent", "far", "received"):
        assert all(row[f"{received}_dscp"] == "46" and row[f"{received}_ecn"] == "2" for row in rows), received


def test_a_terminal_that_closes_keeps_what_was_measured(agent, start, answered, tmp_path):
    near = start("measure", f"sojourn://{agent}", *LONG, "--out", str(tmp_path / "out"))
    answered(near, 50)
    near.send_signal(signal.SIGHUP)
    near.communicate(timeout=60)

    (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert point["metrics"]["response_time"]["count"] >= 50


def test_ctrl_c_keeps_what_was_measured(agent, start, answered, tmp_path):
    near = start("measure", f"sojourn://{agent}", *LONG, "--out", str(tmp_path / "out"))
    answered(near, 50)

    near.send_signal(signal.SIGINT)
    near.communicate(timeout=60)

    (idle,) = metrics(tmp_path / "out").values()
    assert idle["response_time"]["count"] >= 50


def test_a_missing_agent_is_reported_with_a_remedy(sojourn):
    done = sojourn("measure", "sojourn://127.0.0.1:9", "--duration", "1 s")

    assert done.returncode == 1
    assert "no agent at 127.0.0.1:9" in done.stderr
    assert "sojourn agent" in done.stderr
    assert done.stdout == "", "there is nothing to show"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["site.toml"], "cannot read site.toml"),
        (["sojourn://127.0.0.1", "--peer", "sojourn://127.0.0.1"], "the argument is a URL already"),
        (["sojourn://127.0.0.1", "--load", "tcp:0"], "`streams` is 0, outside its range"),
        (["sojourn://127.0.0.1", "--exchanges", "5"], "`probe.round_trips` has no meaning for sojourn"),
        (["xtp+udp://127.0.0.1:1", "--rate", "5 /s"], "`measure.rate` has no meaning for xtp+udp"),
        (["sojourn://127.0.0.1", "--idle", "1 s"], "there is no [[load]]"),
        (["sojourn://127.0.0.1", "--rate", "5 Hz"], "`Hz` is"),
        (["sojourn://127.0.0.1", "--set", "measure.rte=5 /s"], "did you mean `rate`?"),
        (["sojourn://127.0.0.1", "--transport", "sctp"], "known: udp, tcp"),
        (["sojourn://127.0.0.1", "--transport", "tcp", "--voice", "g711"], "--voice needs datagrams"),
        (["sojourn://127.0.0.1", "--transport", "tcp", "--ecn", "2"], "--ecn marks datagrams"),
        (["tcp-echo://127.0.0.1", "--ecn", "2"], "--ecn marks datagrams"),
        (["sojourn://127.0.0.1", "--expect", "respons_time < 1 s"], "did you mean `response_time`?"),
        (["stamp://127.0.0.1", "--transport", "tcp"], "`measure.transport` has no meaning for stamp"),
    ],
)
def test_an_invalid_option_is_refused_before_anything_is_sent(sojourn, arguments, message):
    done = sojourn("measure", *arguments)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
