"""The study of TCP over ATM: the ends wait for each other where a segment is less than half of the receive buffer."""

import pytest

from sojourn.results import read_results

KIB = 1024


@pytest.fixture(scope="module")
def throughput(written_by) -> dict[float, float]:
    """Bits a second by octets of receive buffer."""
    results = read_results(written_by("study", "tcp-over-atm", "--quick"))
    return {point.set["station.receiver.tcp.receive_buffer"]: point["throughput"].mean for point in results}


def test_a_segment_of_half_the_buffer_is_acknowledged_when_it_is_read_and_the_transfer_never_waits(throughput):
    # how fast the hosts are is not stated: 15 Mbit/s were measured; what counts is that no tick of 200 ms is waited for
    assert throughput[16 * KIB] > 100 * throughput[24 * KIB]


def test_with_a_larger_buffer_a_transfer_carries_eight_kib_per_tick_of_200_ms(throughput):
    for buffer in (20, 24, 32, 48):
        assert throughput[buffer * KIB] == pytest.approx(8 * 8 * KIB / 0.2, rel=0.02), buffer
