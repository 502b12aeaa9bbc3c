"""Simulated points against the same points measured among real hosts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sojourn.results import Point, Results

MEASURED = "+measured"
"""What follows an experiment's id where its points were measured."""
TOLERANCE = 0.2
"""The share of a measured median within which the simulated one agrees, where queueing dominates."""
DOMINANT = 2.0
"""Queueing dominates where a median is so many times the median without load."""
APART = 0.1
"""Medians closer than this share have no order."""
LOAD, SIZE = "background.streams", "probe.size"
"""The axes of what can be measured."""


@dataclass(frozen=True)
class Pair:
    """One point, simulated and measured: the medians of its response time in seconds."""

    experiment: str
    set: dict[str, Any]
    simulated: float
    measured: float
    queueing: bool
    """Whether most of the measured time is queueing."""

    @property
    def deviation(self) -> float:
        """How far the simulation is off, as a share of what was measured."""
        return self.simulated / self.measured - 1

    @property
    def agrees(self) -> bool:
        """Whether the two are within the tolerance."""
        return abs(self.deviation) <= TOLERANCE

    @property
    def verdict(self) -> str:
        """In words: only where queueing dominates, the two are held to agree."""
        if not self.queueing:
            return "hosts, not queues"
        return "agrees" if self.agrees else "differs"


def pairs(results: Results) -> list[Pair]:
    """Every point that was simulated and measured."""
    found = []
    for point in results.points:
        measured = _counterpart(results, point)
        if measured is None:
            continue
        simulated_median, measured_median = _median(point), _median(measured)
        if simulated_median is None or not measured_median:
            continue
        idle = _idle_median(results, measured)
        queueing = idle is not None and measured_median >= DOMINANT * idle
        found.append(Pair(point.experiment, point.set, simulated_median, measured_median, queueing))
    return found


def same_order(found: list[Pair]) -> tuple[int, int]:
    """Of all pairs of points whose measured medians are apart, those that the simulation puts in the same order.

    Points are held against each other that differ in one thing alone: the experiment, or the number of streams.
    """
    alike = apart = 0
    for one, other in combinations(found, 2):
        if not _differ_in_one_thing(one, other):
            continue
        if abs(one.measured - other.measured) <= APART * max(one.measured, other.measured):
            continue
        apart += 1
        alike += (one.measured < other.measured) == (one.simulated < other.simulated)
    return alike, apart


def in_words(found: list[Pair]) -> str:
    """How far the simulation and the measurement say the same."""
    ruled = [pair for pair in found if pair.queueing]
    agreeing = sum(pair.agrees for pair in ruled)
    alike, apart = same_order(found)
    return (
        f"{len(found)} points were simulated and measured. Queueing dominates at {len(ruled)} of them (a median of at "
        f"least {DOMINANT:g} times that without load), and there {agreeing} simulated medians are within "
        f"{TOLERANCE:.0%} of the measured ones. Of {apart} pairs of points that differ in one thing and are more than "
        f"{APART:.0%} apart, the simulation puts {alike} in the order that was measured."
    )


def _differ_in_one_thing(one: Pair, other: Pair) -> bool:
    keys = one.set.keys() | other.set.keys()
    different = [key for key in keys if one.set.get(key) != other.set.get(key)]
    if one.experiment != other.experiment:
        return not different
    return different == [LOAD]


def _counterpart(results: Results, point: Point) -> Point | None:
    same = results.select(point.experiment + MEASURED)
    return next((other for other in same if other.set == point.set), None)


def _idle_median(results: Results, measured: Point) -> float | None:
    wanted = measured.set | {LOAD: 0}
    idle = next((point for point in results.select(measured.experiment) if point.set == wanted), None)
    return _median(idle) if idle is not None else None


def _median(point: Point) -> float | None:
    metric = point.get("response_time")
    return metric.field("p50") if metric is not None else None
