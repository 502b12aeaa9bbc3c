"""Outages of a measurement: times without a valid response, across its phases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sojourn.units import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sojourn.point import Point
    from sojourn.results import Results

MOST_LISTED = 5


@dataclass(frozen=True)
class Outage:
    """A time without a valid response, in seconds from the start of the first phase: all were lost, late or errors."""

    replication: int
    begin: float
    end: float | None
    """None where there was no valid response until the end."""
    duration: float
    requests: int
    cause: str | None
    """The last error of the network, if there was one."""


def outages(points: Sequence[Point]) -> list[Outage]:
    """The outages of points in their order; one that lasts over several phases is one."""
    found: list[Outage] = []
    of: tuple[object, int] | None = None
    listed = [(point, Outage(**raw)) for point in points for raw in point.raw.get("outages", [])]
    for point, outage in sorted(listed, key=lambda one: (str(one[0].set), one[1].replication, one[1].begin)):
        same = of == (point.set, outage.replication)
        of = (point.set, outage.replication)
        if same and found[-1].end == outage.begin:
            found.append(_joined(found.pop(), outage))
        else:
            found.append(outage)
    return found


def _joined(outage: Outage, rest: Outage) -> Outage:
    return replace(
        rest,
        begin=outage.begin,
        duration=outage.duration + rest.duration,
        requests=outage.requests + rest.requests,
        cause=rest.cause or outage.cause,
    )


def sentence(results: Results) -> str:
    """All outages in one sentence; empty without any."""
    found = outages(results.points)
    if not found:
        return ""
    several = any(point.raw["replications"] > 1 for point in results.points)
    listed = [_words(outage, several=several) for outage in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        listed.append(f"and {len(found) - MOST_LISTED} more")
    number = f"{len(found)} outages" if len(found) > 1 else "1 outage"
    total = format_value(sum(outage.duration for outage in found), "s")
    return f"{number}, {total} without a valid response: {'; '.join(listed)}."


def _words(outage: Outage, *, several: bool) -> str:
    run = f"replication {outage.replication + 1}, " if several else ""
    end = "the end" if outage.end is None else f"{outage.end:.1f} s"
    cause = f" ({outage.cause})" if outage.cause else ""
    requests = "request" if outage.requests == 1 else "requests"
    return f"{run}from {outage.begin:.1f} s to {end}, {outage.requests} {requests} failed{cause}"
