"""The serving resources of a point: the overloaded ones, the bottleneck, and the next bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sojourn import phrases
from sojourn.point import Point
from sojourn.units import apart, format_value, percent

ASKED_BEYOND = 1.02
"""From this load on a resource drops what it is asked for beyond what it can do."""
IDLE = 0.05
"""Below this load of the busiest resource nothing is a bottleneck."""
SHARE_OF_TIME = "1"
"""The unit of a resource whose work is counted by its time alone."""


@dataclass(frozen=True)
class Resource:
    """A link, a queue, a processor, a channel or a stage, as results have it."""

    raw: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name in the scenario."""
        return str(self.raw["resource"])

    @property
    def utilisation(self) -> float:
        """The share of its time that it was busy; 0 where that cannot be seen, as of the peer of a measurement."""
        return float(self.raw["utilisation"] or 0.0)

    @property
    def load(self) -> float:
        """What it was asked for as a share of what it can do, above 1 where more arrives than it serves.

        What a full queue drops was asked for as well, unless its senders wait for answers and send again.
        """
        demand, carried = self.raw.get("demand"), float(self.raw["carried"])
        if demand is None:
            return self.utilisation
        if self.is_overloaded:
            return float(demand)
        return max(float(demand), self.utilisation * float(self.raw["offered"]) / carried if carried else 0.0)

    @property
    def is_overloaded(self) -> bool:
        """Whether more arrives than it can serve: there is no steady state."""
        return self.raw.get("stable") is False

    @property
    def drops(self) -> bool:
        """Whether more arrives at its queue than it serves, and the queue drops the rest."""
        return self.raw.get("demand") is not None and not self.is_overloaded and self.load > ASKED_BEYOND

    @property
    def overload(self) -> str:
        """ "more arrives at server (1 customers/s) than it serves (0.667 customers/s)"."""
        if self.raw["unit"] == SHARE_OF_TIME:
            return f"more arrives at {self.name} ({percent(self.load)} of its time) than it serves"
        capacity = self.raw["carried"] / min(self.utilisation, 1.0) if self.utilisation else self.raw["carried"]
        counted = str(self.raw["unit"]).removesuffix("/s")
        offered, served = (f"{value} {counted}/s" for value in apart(capacity * self.load, capacity))
        return f"more arrives at {self.name} ({offered}) than it serves ({served})"


def of_point(point: Point) -> list[Resource]:
    """The resources, the one that is asked for most first."""
    found = [Resource(raw) for raw in point.raw.get("stability") or []]
    return sorted(found, key=lambda resource: -resource.load)


def overload(point: Point) -> str:
    """That more arrives than is served, and what follows; empty where nothing is known to be overloaded.

    A queue with a limit has a steady state: it drops the rest.
    """
    most = of_point(point)
    if unbounded := next((resource for resource in most if resource.is_overloaded), None):
        return f"{unbounded.overload}: no steady state; the figures below depend on how long the run is"
    if full := next((resource for resource in most if resource.drops), None):
        return f"{full.overload}: its queue drops the rest"
    return ""


def bottleneck(point: Point, *, budget: bool = True) -> str:
    """Which of several resources saturates first, which would be the next, and where most of the time is spent."""
    resources = of_point(point)
    if len(resources) < 2 or resources[0].load < IDLE:
        return ""
    following = [f"next: {_loaded(resources[1])}"] if resources[1].load >= IDLE else []
    return "; ".join([f"bottleneck: {_loaded(resources[0])}", *following, *(_largest_share(point) if budget else [])])


def _loaded(resource: Resource) -> str:
    if resource.is_overloaded or resource.load > ASKED_BEYOND:
        return f"{resource.name}, asked for {percent(resource.load)} of what it can do"
    return f"{resource.name}, utilisation {percent(resource.utilisation)}"


def _largest_share(point: Point) -> list[str]:
    """ "62 % of the response time is waiting": the largest component of the delay budget."""
    shares = {name: share for name in point.components if (share := point[f"delay_budget/{name}"].field("share"))}
    if not shares:
        return []
    largest = max(shares, key=lambda name: shares[name])
    time = point.get("response_time")
    of = f" ({format_value(time.mean, time.unit)})" if time is not None else ""
    return [f"{percent(shares[largest])} of the response time{of} is {phrases.component(largest)}"]
