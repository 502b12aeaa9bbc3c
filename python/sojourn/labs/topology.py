"""The topology of a lab as a scenario of kind `ip`: nodes with one link are hosts, those with more are routers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s|)")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1e-3}
"""Units of times; a number alone is in milliseconds, as netlab has it."""
LARGEST_MTU = 65535
MOST_SHOWN, LONGEST = 50, 200
"""Phrases that are shown, and letters of each."""


@dataclass
class Link:
    """A link between two nodes; None for what the lab does not say."""

    ends: tuple[str, str]
    rate_kbit: float | None = None
    delay_s: float = 0.0
    jitter_s: float = 0.0
    loss_percent: float = 0.0
    mtu: int | None = None


@dataclass
class Topology:
    """What was understood of a lab."""

    name: str
    nodes: dict[str, None] = field(default_factory=dict)
    """In their order."""
    links: list[Link] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)
    """What was not understood, a phrase each."""

    def leave_out(self, what: str) -> None:
        """Lists something that was not understood, once."""
        self.left_out[what] = None

    def leave_out_keys(self, where: str, keys: Iterable[object]) -> None:
        """Lists keys that were not understood."""
        for key in keys:
            self.leave_out(f"{where}: {key}")


def impair(link: Link, said: Mapping[str, Any], topology: Topology, where: str) -> None:
    """Takes `delay`, `jitter`, `loss` and `rate` in the words of netem; what has no such value is listed."""
    for key, value in said.items():
        number = _seconds(value) if key in ("delay", "jitter") else _number(value)
        if key not in ("delay", "jitter", "loss", "rate") or number is None:
            topology.leave_out(f"{where}: {key} {value!r}")
        elif key == "delay":
            link.delay_s = number
        elif key == "jitter":
            link.jitter_s = number
        elif key == "loss" and number <= 100:
            link.loss_percent = number
        elif key == "rate" and number >= 1:
            link.rate_kbit = number
        else:
            topology.leave_out(f"{where}: {key} {value!r}")


def take_mtu(link: Link, value: Any, topology: Topology, where: str) -> None:
    """Takes an MTU that an IP link can have."""
    if isinstance(value, int) and not isinstance(value, bool) and 68 <= value <= LARGEST_MTU:
        link.mtu = value
    else:
        topology.leave_out(f"{where}: mtu {value!r}")


def scenario(topology: Topology, source: str) -> str:
    """The scenario as TOML, with what was not understood as comments at its top."""
    names = _station_names(topology)
    for link in topology.links:
        if link.jitter_s > link.delay_s:
            topology.leave_out(f"{' to '.join(link.ends)}: the part of the jitter that would be before the packet")
    degree = dict.fromkeys(topology.nodes, 0) | Counter(end for link in topology.links for end in link.ends)
    for node in [node for node, count in degree.items() if count == 0]:
        topology.leave_out(f"the node {node}, which has no link")
    media = _media(topology, names)
    on: dict[str, list[str]] = {node: [] for node in topology.nodes if degree[node] > 0}
    for link, (name, _) in zip(topology.links, media, strict=True):
        for end in link.ends:
            on[end].append(name)
    tables = [_medium(name, link) for link, (name, _) in zip(topology.links, media, strict=True)]
    hosts = [names[node] for node in on if len(on[node]) == 1]
    stations = [_station(names[node], where, is_host=len(where) == 1) for node, where in on.items()]
    hosts, added = _with_probed_hosts(hosts, [names[node] for node in on if len(on[node]) > 1], stations)
    tables += [_medium(name, None) for name in added]
    if added:
        topology.leave_out("hosts: fewer than two nodes have one link, and `probe-...` were added to measure between")
    if any(link.rate_kbit is None for link in topology.links):
        topology.leave_out("rates: a link without one has 1 Gbit/s here")
    lines = [
        f"# The topology of {source}. A node with one link is a host, one with more a router.",
        *[f"# Not taken over: {what}" for what in shown(topology)],
        f"title = {_quoted(f'Lab {topology.name}')}",
        '\n[network]\nkind = "ip"',
        *tables,
        *stations,
        f"\n[probe]\nfrom = {_quoted(hosts[0])}\nto = {_quoted(hosts[-1])}",
        '\n[run]\nduration = "20 s"\nwarm_up = "1 s"\nreplications = 5',
    ]
    return "\n".join([*lines, ""])


def shown(topology: Topology) -> list[str]:
    """What was not understood, in short."""
    phrases = [" ".join(what.split()) for what in topology.left_out]
    cut = [phrase if len(phrase) <= LONGEST else f"{phrase[:LONGEST]}..." for phrase in phrases[:MOST_SHOWN]]
    return cut + ([f"and {len(phrases) - MOST_SHOWN} more"] if len(phrases) > MOST_SHOWN else [])


def _with_probed_hosts(hosts: list[str], routers: list[str], stations: list[str]) -> tuple[list[str], list[str]]:
    """The hosts to measure between, and the media of those that are added because there were too few."""
    added: list[str] = []
    for number, router in enumerate([routers[0], routers[-1]][len(hosts) :] if routers else []):
        name = f"probe-{number + 1}"
        added.append(name)
        at = next(place for place, text in enumerate(stations) if f"name = {_quoted(router)}\n" in text)
        stations[at] = stations[at].replace("on = [", f"on = [{_quoted(name)}, ", 1)
        stations.append(_station(f"host-{name}", [name], is_host=True))
        hosts = [*hosts, f"host-{name}"]
    return hosts, added


def _station_names(topology: Topology) -> dict[str, str]:
    """The name of each node as scenarios write names: letters, digits, - and _."""
    found: dict[str, str] = {}
    names = _Names()
    for node in topology.nodes:
        name = names.free(re.sub(r"[^A-Za-z0-9_-]", "-", node).strip("-") or "node")
        if name != node:
            topology.leave_out(f"the name {node!r}, which is {name!r} here")
        found[node] = name
    return found


def _media(topology: Topology, names: Mapping[str, str]) -> list[tuple[str, Link]]:
    taken = _Names()
    return [(taken.free("-".join(names[end] for end in link.ends)), link) for link in topology.links]


class _Names:
    """Names that differ."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def free(self, name: str) -> str:
        """The name, or with a number where it is taken."""
        found = name
        while found in self._taken:
            self._taken[name] += 1
            found = f"{name}-{self._taken[name]}"
        self._taken[found] = 1
        return found


def _medium(name: str, link: Link | None) -> str:
    lines = [f"\n[[medium]]\nname = {_quoted(name)}"]
    if link is None:
        return lines[0]
    if link.rate_kbit is not None:
        lines.append(f'rate = "{link.rate_kbit:.12g} kbit/s"')
    # netem spreads jitter uniformly to both sides of the delay, a scenario adds it
    least = max(0.0, link.delay_s - link.jitter_s)
    if least > 0:
        lines.append(f'delay = "{1e3 * least:.9g} ms"')
    if link.jitter_s > 0:
        lines.append(f'jitter = "{1e3 * (link.delay_s + link.jitter_s - least):.9g} ms"')
    if link.loss_percent > 0:
        lines.append(f'loss = "{link.loss_percent:.9g} %"')
    if link.mtu is not None:
        lines.append(f'mtu = "{link.mtu} B"')
    return "\n".join(lines)


def _station(name: str, media: list[str], *, is_host: bool) -> str:
    lines = [f"\n[[station]]\nname = {_quoted(name)}"]
    lines += [] if is_host else ['type = "router"']
    where = _quoted(media[0]) if is_host else "[" + ", ".join(_quoted(one) for one in media) + "]"
    return "\n".join([*lines, f"on = {where}"])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _seconds(value: object) -> float | None:
    found = TIME.fullmatch(str(value).strip()) if isinstance(value, str | int | float) else None
    seconds = float(found[1]) * SECONDS[found[2]] if found else None
    return seconds if seconds is not None and seconds <= 60 else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1e9 else None
