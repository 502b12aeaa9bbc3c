"""The study of response time over ATM LANs: its results against closed forms and bounds from the set-up."""

import json
import math
from pathlib import Path

import pytest

from sojourn.results import read_results

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "studies/atm-lan-response-time"
SIZES = (64, 128, 256, 512, 1024, 2048)
CELL = 424 / 149.76e6
SWITCH, PROPAGATION, RECEIVE = 12e-6, 50e-9, 10e-6
EXPERIMENTS = ["E0", "E1", "E2a", "E2b", "E3", "E4"]


def unloaded(size: int, packet: float, octet: float) -> float:
    """The RTT through two idle switches: processing, cells, latency and propagation in both directions."""
    cells = math.ceil((size + 28 + 8 + 8) / 48)
    network = (cells + 2) * CELL + 2 * SWITCH + 3 * PROPAGATION
    return 2 * (packet + octet * size + RECEIVE + network)


@pytest.fixture(scope="module")
def study(written_by):
    return read_results(written_by("study", "atm-lan-response-time", "--quick"))


def test_every_experiment_of_the_study_has_its_points(study):
    assert study.experiments == EXPERIMENTS
    assert [len(study.select(experiment)) for experiment in EXPERIMENTS] == [6, 18, 18, 18, 18, 18]


def test_an_echo_alone_takes_the_sum_of_its_parts(study):
    for point in study.select("E0"):
        expected = unloaded(int(point.set["probe.size"]), 280e-6, 90e-9)
        assert point["response_time"].mean == pytest.approx(expected, rel=1e-6)
        assert point["response_time"].field("min") == pytest.approx(point["response_time"].field("max"), rel=1e-6)


def test_nothing_is_lost(study):
    assert [point["loss"].mean for point in study] == [0.0] * len(study)


def test_no_echo_is_faster_with_transfers_than_alone(study):
    alone = {point.set["probe.size"]: point["response_time"].mean for point in study.select("E0")}
    for experiment in EXPERIMENTS[1:]:
        for point in study.select(experiment):
            assert point["response_time"].field("min") > alone[point.set["probe.size"]] * (1 - 1e-6), point.key


def test_goodput_is_bounded_by_the_overhead_of_cells_and_segments(study):
    """134.6 Mbit/s in segments of 9148 octets; 31 of 32 cells of that, the rest being resource management cells."""
    for experiment, most in (("E1", 134.64e6), ("E2a", 134.64e6), ("E3", 130.43e6), ("E4", 130.43e6)):
        # the transfers' counts end at whole segments, one at either end of the 300 ms counted
        slack = 3 * 2 * 9148 * 8 / 0.3
        assert max(point["throughput"].mean for point in study.select(experiment)) <= most + slack


def test_the_queue_of_ubr_is_the_bytes_in_flight_not_on_the_trunk(study):
    """Seven segments of 192 cells in flight for each transfer, less those in adapters, switches and hosts."""
    for experiment in ("E1", "E2a", "E2b"):
        for point in study.select(experiment, **{"background.streams": 3}):
            assert 2000 < point["queue_length"].field("max") < 3 * 7 * 192 + 2 * 44, point.key


def test_abr_keeps_the_queue_near_its_threshold(study):
    for experiment in ("E3", "E4"):
        for point in study.select(experiment, **{"background.streams": 3}):
            assert 100 < point["queue_length"].mean < 600, point.key


def test_the_allowed_cell_rate_is_between_mcr_and_pcr(study):
    for experiment in ("E3", "E4"):
        for point in study.select(experiment):
            rate = point["allowed_cell_rate"]
            assert rate.mean >= 0.5e6 / 424, point.key
            assert rate.mean <= rate.field("max") * (1 + 1e-9) <= 155e6 / 424 * (1 + 2e-9), point.key


def test_calibration_recovers_known_host_costs(sojourn, tmp_path):
    packet, octet = 233e-6, 71e-9
    rows = [f"E0,{size},response_time,mean,{unloaded(size, packet, octet):.12f},s,0,calibration" for size in SIZES]
    (tmp_path / "measured.csv").write_text(
        "experiment,probe.size,metric,field,value,unit,uncertainty,role\n" + "\n".join(rows)
    )
    done = sojourn(
        "calibrate",
        str(STUDY / "lan.toml"),
        "--fit=station.costs.packet,station.costs.per_byte",
        f"--against={tmp_path / 'measured.csv'}",
        "--set=background.streams=0",
        "--set=run.duration=20 ms",
        "--replications=1",
        "--format=json",
    )
    assert done.returncode == 0, done.stderr
    found = {row["key"]: row["value"] for row in json.loads(done.stdout)["parameters"]}
    assert found["station.costs.packet"] == pytest.approx(packet, rel=0.01)
    assert found["station.costs.per_byte"] == pytest.approx(octet, rel=0.01)
