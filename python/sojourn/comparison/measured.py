"""Simulated points compared with the same points measured on a testbed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sojourn.results import Point, Results
from sojourn.units import percent

MEASURED = "+measured"
"""Suffix of an experiment's id where its points were measured."""
TOLERANCE = 0.2
"""Relative deviation of simulated from measured medians up to which they agree, where queueing dominates."""
DOMINANT = 0.5
"""Queueing dominates where the load adds this share of a median: to the network RTT where there are kernel timestamps,
else to the response time."""
NOTICEABLE = 0.1
"""The network delay added by a load is compared where it is at least this share of the median."""
APART = 0.1
"""Medians closer than this share have no order."""
LOAD, SIZE = "background.streams", "probe.size"
"""The axes of what can be measured."""
BETWEEN_HOSTS = {"queueing", "switching", "transmission", "propagation"}
"""Components of a simulated delay budget between the hosts."""


@dataclass(frozen=True)
class Pair:
    """One point, simulated and measured: the medians of its response time in seconds."""

    experiment: str
    set: dict[str, Any]
    simulated: float
    measured: float
    queueing: bool
    """Whether most of the measured time is queueing."""
    added: tuple[float | None, float | None] = (None, None)
    """Network delay in seconds that the load adds to the median, simulated and measured; None without kernel timestamps
    or without load."""

    @property
    def deviation(self) -> float:
        """Relative deviation of the simulated from the measured median."""
        return self.simulated / self.measured - 1

    @property
    def agrees(self) -> bool:
        """Whether the two are within the tolerance."""
        return abs(self.deviation) <= TOLERANCE

    @property
    def adds_alike(self) -> bool | None:
        """Whether the added network delays agree within the tolerance; None where unknown or too small."""
        simulated, measured = self.added
        if simulated is None or not measured or max(simulated, measured) < NOTICEABLE * self.measured:
            return None
        return abs(simulated / measured - 1) <= TOLERANCE

    @property
    def verdict(self) -> str:
        """`agrees` or `differs` where queueing dominates, else `host-limited`."""
        if not self.queueing:
            return "host-limited"
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
        idle = _without_load(results, measured)
        queueing = idle is not None and _is_mostly_queueing(measured, idle)
        added = (_added(point, _without_load(results, point)), _added(measured, idle))
        found.append(Pair(point.experiment, point.set, simulated_median, measured_median, queueing, added))
    return found


def same_order(found: list[Pair]) -> tuple[int, int]:
    """Of all pairs of points with distinct measured medians, those that the simulation puts in the same order.

    Compared are points that differ in one setting: the experiment or the number of streams.
    """
    alike = apart = 0
    for one, other in combinations(found, 2):
        if not _differ_in_one_setting(one, other):
            continue
        if abs(one.measured - other.measured) <= APART * max(one.measured, other.measured):
            continue
        apart += 1
        alike += (one.measured < other.measured) == (one.simulated < other.simulated)
    return alike, apart


def in_words(found: list[Pair]) -> str:
    """Agreement of simulation and measurement, as sentences."""
    ruled = [pair for pair in found if pair.queueing]
    agreeing = sum(pair.agrees for pair in ruled)
    alike, apart = same_order(found)
    return (
        f"{len(found)} points were simulated and measured. Queueing dominates at {len(ruled)} of them (the load adds "
        f"at least {percent(DOMINANT)} of the median); there {agreeing} simulated medians are within "
        f"{percent(TOLERANCE)} of the measured ones. Of {apart} pairs of points that differ in one setting and by more "
        f"than {percent(APART)}, the simulation puts {alike} in the measured order.{_network_in_words(found)}"
    )


def _network_in_words(found: list[Pair]) -> str:
    known = [pair.adds_alike for pair in found if pair.adds_alike is not None]
    if not known:
        return ""
    return (
        f" The added network delay, by kernel timestamps, is within {percent(TOLERANCE)} at {sum(known)} of the "
        f"{len(known)} points where it is at least {percent(NOTICEABLE)} of the median."
    )


def _differ_in_one_setting(one: Pair, other: Pair) -> bool:
    keys = one.set.keys() | other.set.keys()
    different = [key for key in keys if one.set.get(key) != other.set.get(key)]
    if one.experiment != other.experiment:
        return not different
    return different == [LOAD]


def _counterpart(results: Results, point: Point) -> Point | None:
    same = results.select(point.experiment + MEASURED)
    return next((other for other in same if other.set == point.set), None)


def _without_load(results: Results, point: Point) -> Point | None:
    wanted = point.set | {LOAD: 0}
    return next((idle for idle in results.select(point.experiment) if idle.set == wanted), None)


def _is_mostly_queueing(measured: Point, idle: Point) -> bool:
    whole = _median(measured)
    path, idle_path = (_median(point, "path_time") for point in (measured, idle))
    if path is None or idle_path is None:
        path, idle_path = whole, _median(idle)
    return whole is not None and path is not None and idle_path is not None and path - idle_path >= DOMINANT * whole


def _added(point: Point, idle: Point | None) -> float | None:
    """Network delay that the load adds to the median; pauses of a host do not affect it."""
    if idle is None or point.set == idle.set:
        return None
    loaded, unloaded = (_network_median(one) for one in (point, idle))
    return None if loaded is None or unloaded is None else loaded - unloaded


def _network_median(point: Point) -> float | None:
    """The network RTT by kernel timestamps; simulated, the response time less the mean host time."""
    path, whole = _median(point, "path_time"), _median(point)
    if path is not None or whole is None or not BETWEEN_HOSTS & set(point.components):
        return path
    hosts = [point[f"delay_budget/{name}"].mean for name in point.components if name not in BETWEEN_HOSTS]
    return whole - sum(mean for mean in hosts if mean is not None)


def _median(point: Point, name: str = "response_time") -> float | None:
    metric = point.get(name)
    return metric.field("p50") if metric is not None else None
