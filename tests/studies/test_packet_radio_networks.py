"""The study of packet-radio networks against the published table, and its predictions."""

import json

import pytest

from sojourn.paths import find_reference
from sojourn.reference import read_published
from sojourn.results import read_results

STUDY = "packet-radio-networks"


@pytest.fixture(scope="module")
def measured(written_by):
    """All three networks at half of the study's replications."""
    return read_results(written_by("study", STUDY, "--replications", "25"))


def off(results, experiment):
    """Relative deviation from the published numbers, by block size."""
    rows = read_published(find_reference("kp4djt-rose-x1j/paclen-256.csv"))
    return {
        row.set["probe.size"]: row.found_in(results) / row.value - 1 for row in rows if row.experiment == experiment
    }


def times(results, experiment, paclen=256):
    """Mean RTT by block size."""
    points = results.select(experiment, **{"station__paclen": paclen})
    return {point.set["probe.size"]: point["response_time"].mean for point in points}


@pytest.mark.parametrize("experiment", ["tnc", "rose"])
def test_the_round_trips_are_within_10_percent_on_average_and_each_within_its_uncertainty(measured, experiment):
    shares = off(measured, experiment)
    assert sum(map(abs, shares.values())) / len(shares) < 0.10
    for row in read_published(find_reference("kp4djt-rose-x1j/paclen-256.csv")):
        if row.experiment == experiment:
            assert abs(row.found_in(measured) - row.value) <= row.uncertainty, row


def test_x1j_has_its_knee_above_512_bytes(measured):
    through, alone = times(measured, "x1j"), times(measured, "tnc")
    transit = {size: through[size] - alone[size] for size in through}
    # up to one window of a circuit the nodes add a constant, beyond it a wait for each window
    assert transit[522] - transit[512] > 1.0
    assert transit[512] < 3.0
    assert transit[4096] > 2 * transit[2048] * 0.8


def test_few_blocks_are_lost(measured):
    """A link failure after ten retries sometimes loses a block; it is counted."""
    lost = sum(point["failures"].mean for point in measured)
    assert lost < 0.001 * sum(point["response_time"].field("count") for point in measured)


def test_a_lost_frame_costs_a_tnc_more_through_rose_than_alone(written_by):
    chosen = ("--experiment", "tnc+loss", "--experiment", "rose+loss", "--experiment", "rose+loss-short-timer")
    results = read_results(written_by("study", STUDY, *chosen, "--replications", "10"))

    def cost(experiment):
        time = {
            point.set["medium.radio.bit_error_rate"]: point["response_time"].mean
            for point in results.select(experiment)
            if point.set["probe.size"] == 4096
        }
        return time[5e-5] - time[0]

    # T1 of 5 s for two digipeaters named, against 1 s
    assert cost("rose+loss") > 1.3 * cost("tnc+loss")
    assert cost("rose+loss-short-timer") < 0.9 * cost("rose+loss")


READINGS = ("persistent", "ack-first", "same-burst", "late-carrier", "persistent-late-carrier", "pactime")


@pytest.fixture(scope="module")
def readings(written_by):
    """What a second packet of 20 bytes may do, in `tnc` and `rose`, at half of the study's replications."""
    chosen = [f"{experiment}+{reading}" for experiment in ("tnc", "rose") for reading in READINGS]
    words = [word for name in chosen for word in ("--experiment", name)]
    return read_results(written_by("study", STUDY, *words, "--replications", "25"))


@pytest.mark.nightly
def test_no_reading_gives_256_bytes_in_packets_of_236_over_tncs_and_over_rose(readings):
    rows = read_published(find_reference("kp4djt-rose-x1j/paclen-236.csv"))
    published = {row.experiment: row.value for row in rows if row.set["probe.size"] == 256}

    def agree(experiment):
        means = {reading: times(readings, f"{experiment}+{reading}", 236)[256] for reading in READINGS}
        return {reading for reading, mean in means.items() if abs(mean / published[experiment] - 1) <= 0.15}

    assert (agree("tnc"), agree("rose")) == ({"persistent", "persistent-late-carrier"}, {"late-carrier"})


@pytest.mark.nightly
@pytest.mark.parametrize("reading", READINGS)
def test_each_reading_is_fitted_to_packets_of_256_bytes(readings, reading):
    rows = read_published(find_reference("kp4djt-rose-x1j/paclen-256.csv"))
    shares = [
        times(readings, f"{row.experiment}+{reading}")[row.set["probe.size"]] / row.value - 1
        for row in rows
        if row.experiment in ("tnc", "rose")
    ]
    assert len(shares) == 17
    assert sum(share**2 for share in shares) < 17 * 0.095**2


def test_the_delay_budget_adds_up_to_the_mean_round_trip(measured):
    for point in measured:
        parts = sum(point[f"delay_budget/{name}"].field("mean") for name in point.components)
        assert parts == pytest.approx(point["response_time"].mean, rel=1e-9)


def test_the_report_draws_the_rtt_and_the_cost_of_each_network(packet_radio_study):
    drawn = {file.stem for file in (packet_radio_study / "figures").glob("*.svg")}
    assert {"round-trip", "round-trip-236", "transit", "budget"} <= drawn
    assert all((packet_radio_study / "figures" / f"{name}.svg").stat().st_size > 5000 for name in drawn)
    points = json.loads((packet_radio_study / "results.json").read_text())["points"]
    assert len(points) == 54
