"""The emulated path of tests loses in an outage what the simulated one loses."""

import argparse
import importlib
import os
from pathlib import Path

import pytest

DELAY_S, OUTAGE_S = 0.05, (1.0, 2.0)


@pytest.fixture
def direction(monkeypatch):
    """A direction that takes 10 ms to send a packet of one octet, and where its packets arrive."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    lossy_path = importlib.import_module("lossy_path")
    rate = 8 * (1 + lossy_path.FRAMING_BYTES) / 0.01
    arguments = argparse.Namespace(rate=rate, delay=DELAY_S, loss=0, limit=100, outage=OUTAGE_S)
    read, write = os.pipe()
    os.set_blocking(read, False)
    yield lossy_path.Direction(write, arguments, seed=1), read
    os.close(read)
    os.close(write)


def arrived(read: int) -> bytes:
    """The packets, each of one octet, that have arrived since the last call."""
    try:
        return os.read(read, 100)
    except BlockingIOError:
        return b""


def test_an_outage_loses_what_is_queued_and_being_sent_and_not_what_is_on_the_wire(direction):
    path, read = direction
    # sent until 0.995 s, 1.005 s and 1.015 s: on the wire, being sent and queued when the link goes down at 1 s
    for packet in (b"w", b"s", b"q"):
        path.take(packet, path.began + 0.985)
    path.deliver(path.began + 1.5)

    assert arrived(read) == b"w"
    assert path.counts == {"forwarded": 1, "dropped": 0, "lost": 2}


def test_after_an_outage_the_queue_is_empty_and_packets_pass_again(direction):
    path, read = direction
    for _ in range(101):
        path.take(b"b", path.began + 0.999)
    path.take(b"d", path.began + 1.999)
    path.take(b"a", path.began + 2.0)
    path.deliver(path.began + 2.059)
    assert arrived(read) == b"", "neither what was queued before nor what came during the outage"

    path.deliver(path.began + 2.061)

    assert arrived(read) == b"a", "after its own 10 ms and the delay"
    assert path.counts == {"forwarded": 1, "dropped": 0, "lost": 102}
