"""The largest component of the response time at both ends of a key."""

from __future__ import annotations

from sojourn import phrases
from sojourn.answers.context import Context
from sojourn.results import Point
from sojourn.units import percent


def sentences(context: Context) -> list[str]:
    """One sentence per experiment."""
    found = []
    for experiment in context.experiments:
        points = [point for _, point, _ in context.curve(experiment) if point.components]
        if points:
            first, last = points[0], points[-1]
            start, end = (context.at(point.set.get(context.x or "")) for point in (first, last))
            several = len(context.results.experiments) > 1 or context.titles.get(experiment)
            where = f"In {context.name(experiment)} the" if several else "The"
            found.append(
                f"{where} largest component of the response time at {start} is "
                f"{largest(first, 'share')}; at {end} it is {largest(last, 'share')}, and in the slowest 1 % of "
                f"samples {largest(last, 'slowest_share')}."
            )
    return found


def largest(point: Point, of: str) -> str:
    """The largest component of a budget and its share: "retransmission (71 %)"."""
    shares = {name: point[f"delay_budget/{name}"].field(of) or 0.0 for name in point.components}
    name = max(shares, key=lambda component: shares[component])
    return f"{phrases.component(name)} ({percent(shares[name])})"
