"""What other tools and trades call a metric, and which names it may have here, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable

TIMES = ("response_time", "one_way_delay", "transaction_time")
VARIATION = ("ipdv", "pdv", "jitter_rfc3550", "jitter_p95_p50")
RATES = ("throughput", "throughput_l4", "throughput_l3")

SYNONYMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("latency", "delay", "rtt", "ping", "lag", "duration"), TIMES),
    **dict.fromkeys(("jitter", "delay_variation", "pdv", "ipdv"), VARIATION),
    **dict.fromkeys(("bandwidth", "goodput", "bitrate", "speed"), RATES),
    **dict.fromkeys(("packet_loss", "loss_rate"), ("loss",)),
    **dict.fromkeys(("utilization", "usage", "load"), ("utilisation",)),
}
"""By the word in lower case."""


def meant(word: str, known: Iterable[str]) -> str | None:
    """The name among those known that a word of another tool stands for; None where there is none."""
    there = set(known)
    return next((name for name in SYNONYMS.get(word.lower().replace("-", "_"), ()) if name in there), None)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name that a word stands for, else the one that is spelt most like it; None where none is near."""
    import difflib  # noqa: PLC0415

    names = list(known)
    return meant(word, names) or next(iter(difflib.get_close_matches(word, names, n=1)), None)
