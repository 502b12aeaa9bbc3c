"""Log-linear histograms of response times, which merge by adding counts: no sample is lost or counted twice.

Bins are those of `histogram` in a line of `sojourn monitor`: below 128 ns of 1 ns, above 64 to an octave, so that a
quantile is within 0.8 % of its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Bins = dict[int, int]
"""Count by bin."""


def edges(number: int) -> tuple[int, int]:
    """Lower edge and width of a bin, in nanoseconds."""
    octave = number // 64 - 1 if number >= 128 else 0
    return (number - 64 * octave) << octave, 1 << octave


def merged(histograms: Iterable[Bins]) -> Bins:
    """The sum of histograms."""
    total: Counter[int] = Counter()
    for bins in histograms:
        for number, count in bins.items():
            total[number] += count
    return dict(sorted(total.items()))


def quantile(bins: Bins, share: float, sent: int) -> float | None:
    """The value that a share of all requests sent does not exceed, in seconds: the middle of its bin.

    Requests without an answer took longer than any other; None for a quantile among them.
    """
    rank, seen = max(1, -(-share * sent // 1)), 0
    for number, count in sorted(bins.items()):
        seen += count
        if seen >= rank:
            low, width = edges(number)
            return (low + width / 2) * 1e-9
    return None


def encode(bins: Bins) -> bytes:
    """Octets: for each bin its distance from the last one and its count, seven bits to an octet (LEB128)."""
    octets, last = bytearray(), 0
    for number, count in sorted(bins.items()):
        for value in (number - last, count):
            rest = value
            while rest > 127:
                octets.append(rest & 127 | 128)
                rest >>= 7
            octets.append(rest)
        last = number
    return bytes(octets)


def decode(octets: bytes) -> Bins:
    """The histogram of octets that `encode` gave."""
    values, value, shift = [], 0, 0
    for octet in octets:
        value |= (octet & 127) << shift
        shift += 7
        if octet < 128:
            values.append(value)
            value = shift = 0
    bins, number = {}, 0
    for distance, count in zip(values[::2], values[1::2], strict=True):
        number += distance
        bins[number] = count
    return bins
