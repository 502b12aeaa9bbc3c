"""The study of shaped Linux queues: properties of any FIFO, and of HTB classes."""

import pytest

from sojourn.results import read_results

PACKET = 1514 * 8 / 100e6
"""Transmission time in seconds of a full packet at the token rate."""


@pytest.fixture(scope="module")
def measured(written_by):
    """All points with an MTU of 1500 octets, with the duration of a quick run and a shorter warm-up."""
    queues = [f"{queue}-{tcp}" for queue in ("fifo", "borrow", "assured") for tcp in ("reno", "cubic")]
    chosen = [part for name in queues for part in ("--experiment", name)]
    brief = ("--quick", "--set", "run.warm_up=500 ms")
    return read_results(written_by("study", "linux-lan-response-time", *brief, *chosen))


def response(measured, experiment, streams, size=64):
    """The distribution of response times at a point."""
    (point,) = measured.select(experiment, background__streams=streams, probe__size=size)
    return point["response_time"]


@pytest.mark.parametrize("tcp", ["reno", "cubic"])
def test_in_a_fifo_an_echo_waits_for_all_bytes_in_flight(measured, tcp):
    times = [response(measured, f"fifo-{tcp}", streams).field("p50") for streams in range(4)]
    assert times[0] == pytest.approx(80e-6, abs=1e-6)
    assert times[1] > 20 * PACKET
    if tcp == "reno":
        # a window of 64 KiB of each, less what is in the two hosts
        assert times == sorted(times)
        assert times[3] < 3 * 65536 / 1448 * PACKET + 1e-3
    else:
        assert max(times) < 1001 * PACKET + 1e-3


@pytest.mark.parametrize("tcp", ["reno", "cubic"])
def test_with_a_class_of_its_own_an_echo_waits_for_at_most_a_packet_of_each_transfer(measured, tcp):
    for streams in (1, 2, 3):
        assert response(measured, f"borrow-{tcp}", streams).field("p50") < (streams + 1) * PACKET + 80e-6
        assert response(measured, f"assured-{tcp}", streams).field("p50") < PACKET


def test_the_transfers_fill_the_token_bucket_whatever_the_queue(measured):
    for experiment in ("fifo-reno", "borrow-reno", "assured-reno"):
        for point in measured.select(experiment, background__streams=3, probe__size=64):
            assert point["throughput"].mean == pytest.approx(100e6 * 1448 / 1514, rel=0.02)
