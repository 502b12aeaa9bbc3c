"""Which component takes most of the response time at the ends of a key."""

from __future__ import annotations

from sojourn.answers.asked import Asked
from sojourn.results import Point
from sojourn.units import percent


def say(asked: Asked) -> list[str]:
    """One sentence per experiment."""
    sentences = []
    for experiment in asked.experiments:
        points = [point for _, point, _ in asked.curve(experiment) if point.components]
        if points:
            first, last = points[0], points[-1]
            start, end = (asked.at(point.set.get(asked.x or "")) for point in (first, last))
            sentences.append(
                f"In {asked.name(experiment)} most of the response time at {start} is {largest(first, 'share')}; "
                f"at {end} it is {largest(last, 'share')}, and of the slowest 1 % of the samples "
                f"{largest(last, 'slowest_share')}."
            )
    return sentences


def largest(point: Point, of: str) -> str:
    """The largest component of a budget and its share: "retransmission (71 %)"."""
    shares = {name: point[f"delay_budget/{name}"].field(of) or 0.0 for name in point.components}
    name = max(shares, key=lambda component: shares[component])
    return f"{name.replace('-', ' ').replace('_', ' ')} ({percent(shares[name])})"
