"""The links of a scenario as they are exported: the directions, with addresses and routes for hosts of a lab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from sojourn.bindings import call_json
from sojourn.scenario import Scenario

ADDRESSES = IPv4Network("10.64.0.0/10")
"""Addresses of a lab, four for each link."""


@dataclass(frozen=True)
class Jitter:
    """A random delay of each packet, seconds."""

    distribution: str
    mean_s: float
    deviation_s: float | None
    most_s: float | None


@dataclass(frozen=True)
class Queue:
    """What waits before a link."""

    kind: str
    parameters: dict[str, Any]
    packets: int | None
    octets: int | None
    shaping: dict[str, int] | None
    early: bool


@dataclass(frozen=True)
class Trace:
    """A rate over time: instants of opportunities, or rates from instants on with the period of both."""

    opportunities_ms: Sequence[int] | None = None
    rates: Sequence[tuple[float, int]] | None = None
    period_s: float | None = None


@dataclass(frozen=True)
class Direction:
    """One direction of a link; times in seconds, sizes in octets, rates in bit/s."""

    medium: str
    from_: str
    to: str
    rate: int | None
    delay_s: float
    jitter: Jitter | None
    reorders: bool
    loss: float
    recorded_losses: bool
    mtu: int
    overhead: int
    counted: int
    queue: Queue
    trace: Trace | None

    @property
    def title(self) -> str:
        """As comments name it."""
        return f"{self.medium}: {self.from_} to {self.to}"

    @property
    def frame(self) -> int:
        """Octets of the longest packet on the link, framing included."""
        return self.mtu + self.overhead


@dataclass(frozen=True)
class Network:
    """Stations, links and the watched path of a scenario."""

    forwarding_s: dict[str, float | None]
    """Of each station the forwarding delay; none of a host."""
    directions: Sequence[Direction]
    """That at 2 n + 1 is the other direction of the link of that at 2 n."""
    watched: tuple[list[int], list[int]] | None
    """The directions that requests of the probe take, and those of responses."""
    events: Sequence[str]
    run_s: float

    @property
    def hosts(self) -> list[str]:
        """Stations that do not forward."""
        return [name for name, delay in self.forwarding_s.items() if delay is None]

    @property
    def routers(self) -> list[str]:
        """Stations that forward."""
        return [name for name, delay in self.forwarding_s.items() if delay is not None]

    @property
    def links(self) -> list[tuple[Direction, Direction]]:
        """Both directions of each link."""
        return list(zip(self.directions[::2], self.directions[1::2], strict=True))

    @property
    def ends(self) -> tuple[str, str] | None:
        """The hosts of the watched path: who asks and who answers."""
        if self.watched is None or not self.watched[0]:
            return None
        route = self.watched[0]
        return self.directions[route[0]].from_, self.directions[route[-1]].to

    @cached_property
    def interfaces(self) -> dict[tuple[str, int], str]:
        """The interface of each station on each link, by the link's number: `eth1`, `eth2`, ..."""
        found: dict[tuple[str, int], str] = {}
        count = dict.fromkeys(self.forwarding_s, 0)
        for number, (there, _) in enumerate(self.links):
            for station in (there.from_, there.to):
                count[station] += 1
                found[station, number] = f"eth{count[station]}"
        return found

    def address(self, station: str, link: int) -> IPv4Address:
        """The address of a station on a link."""
        return ADDRESSES.network_address + 4 * link + (1 if self.links[link][0].from_ == station else 2)

    def links_of(self, station: str) -> list[int]:
        """The numbers of a station's links."""
        return [number for number, (there, _) in enumerate(self.links) if station in (there.from_, there.to)]

    def neighbour(self, station: str, link: int) -> str:
        """The other end of a link."""
        there, _ = self.links[link]
        return there.to if there.from_ == station else there.from_

    def routes(self, station: str) -> list[tuple[IPv4Network, IPv4Address]]:
        """The networks beyond a station's links, with the next hop: the shortest route, of equals the first."""
        own = self.links_of(station)
        if station in self.hosts:
            via = [(link, self.neighbour(station, link)) for link in own]
            return [(ADDRESSES, self.address(router, link)) for link, router in via if router in self.routers][:1]
        hops = self._next_hops(station)
        found = []
        for link, (there, _) in enumerate(self.links):
            by = next((hops[end] for end in (there.from_, there.to) if end in hops), None)
            if link not in own and by is not None:
                subnet = IPv4Network((ADDRESSES.network_address + 4 * link, 30))
                found.append((subnet, self.address(self.neighbour(station, by), by)))
        return found

    def _next_hops(self, station: str) -> dict[str, int]:
        """By router the first link of the shortest route to it."""
        found: dict[str, int] = {}
        ahead: list[tuple[str, int | None]] = [(station, None)]
        while ahead:
            here, by = ahead.pop(0)
            for link in self.links_of(here):
                there = self.neighbour(here, link)
                if there in self.routers and there != station and there not in found:
                    found[there] = link if by is None else by
                    ahead.append((there, found[there]))
        return found


def network_of(scenario: Scenario) -> Network:
    """The links of a scenario of kind `ip`; `ScenarioError` for another, or one with mistakes."""
    said = call_json("links", str(scenario.path), list(scenario.changes))
    names = [station["name"] for station in said["stations"]]
    return Network(
        forwarding_s={station["name"]: station["forwarding_s"] for station in said["stations"]},
        directions=[_direction(one, names) for one in said["directions"]],
        watched=said["watched"],
        events=said["events"],
        run_s=said["run_s"],
    )


def _direction(said: dict[str, Any], names: Sequence[str]) -> Direction:
    rest = {key: value for key, value in said.items() if key not in ("from", "to", "jitter", "queue", "trace")}
    return Direction(
        from_=names[said["from"]],
        to=names[said["to"]],
        jitter=None if said["jitter"] is None else Jitter(**said["jitter"]),
        queue=Queue(**said["queue"]),
        trace=None if said["trace"] is None else Trace(**said["trace"]),
        **rest,
    )
