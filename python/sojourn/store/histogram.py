"""Log-linear histograms of response times, which merge by adding counts: no sample is lost or counted twice.

Bins are those of `histogram` in a line of `sojourn monitor`: below 128 ns of 1 ns, above 64 to an octave, so that a
quantile is within 0.8 % of its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Bins = dict[int, int]
"""Count by bin."""
NUMBERS = 64 * 60
"""More than the bins of any time that fits into 64 bits of nanoseconds."""


def edges(number: int) -> tuple[int, int]:
    """Lower edge and width of a bin, in nanoseconds."""
    octave = number // 64 - 1 if number >= 128 else 0
    return (number - 64 * octave) << octave, 1 << octave


def merged(several: Iterable[bytes]) -> Bins:
    """The sum of encoded histograms."""
    totals = [0] * NUMBERS
    for octets in several:
        rest = octets[2:]
        values: Sequence[int] = rest if rest.isascii() else _values(rest)
        number = int.from_bytes(octets[:2], "little")
        for distance, count in zip(values[::2], values[1::2], strict=True):
            number += distance
            totals[number] += count
    return {number: count for number, count in enumerate(totals) if count}


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
    """Octets: the first bin in two, then of each bin its distance from the one before and its count.

    These have seven bits to an octet (LEB128). Where each takes one octet, which is usual, they need no decoding.
    """
    numbers = sorted(bins)
    octets = bytearray((numbers[0] if numbers else 0).to_bytes(2, "little"))
    last = numbers[0] if numbers else 0
    for number in numbers:
        for value in (number - last, bins[number]):
            rest = value
            while rest > 127:
                octets.append(rest & 127 | 128)
                rest >>= 7
            octets.append(rest)
        last = number
    return bytes(octets)


def decode(octets: bytes) -> Bins:
    """The histogram of octets that `encode` gave."""
    return merged([octets])


def _values(octets: bytes) -> list[int]:
    values, value, shift = [], 0, 0
    for octet in octets:
        value |= (octet & 127) << shift
        shift += 7
        if octet < 128:
            values.append(value)
            value = shift = 0
    return values
