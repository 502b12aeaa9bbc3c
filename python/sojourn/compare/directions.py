"""Which way a metric is better."""

from __future__ import annotations

_LOWER = {
    "response_time",
    "transaction_time",
    "failures",
    "transaction_failures",
    "retries",
    "retransmissions",
    "missed",
    "collision_rate",
    "collisions",
    "loss",
    "duplicates",
    "buffer_overflows",
    "late_acknowledgements",
    "ipdv",
    "pdv",
    "jitter_rfc3550",
    "jitter_p95_p50",
    "fifo_overflow",
    "fifo_underflow",
    "play_out_delay",
    "play_out_loss",
    "queue_length",
    "delay_budget",
}
_HIGHER = {
    "throughput",
    "throughput_l3",
    "throughput_l4",
    "transaction_rate",
    "packet_rate",
    "voice_channels",
    "mos",
    "r_factor",
}


def better_when(metric: str) -> str | None:
    """ "lower", "higher", or None for a metric that is neither good nor bad, as `utilisation`."""
    base = metric.split("/", maxsplit=1)[0]
    return "lower" if base in _LOWER else "higher" if base in _HIGHER else None
