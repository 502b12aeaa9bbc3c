"""A scenario as a topology of netlab: hosts, routers with OSPF, links with `tc` attributes (its `docs/links.md`)."""

from __future__ import annotations

import re

from sojourn.labs import containerlab, netem, yaml_text
from sojourn.labs.network import Network

NODE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,15}")
"""Names of nodes (its `must_be_id`), 16 letters at most."""


def files(network: Network, name: str, scenario: str) -> dict[str, str]:
    """All files of the lab by their names."""
    server = network.ends[1] if network.ends else None
    return {
        "topology.yml": topology(network, name),
        f"{name}.toml": scenario,
        "queues.sh": containerlab.queues(network, name),
        "measure.sh": containerlab.measuring(network, name, "netlab up, then ./queues.sh", server),
    }


def topology(network: Network, name: str) -> str:
    """The topology file; what its attributes cannot say is a comment."""
    containerlab.refuse_names(network, NODE)
    hosts = {
        host: {"device": "linux", "image": containerlab.IMAGE, "clab.cmd": containerlab.AGENT} for host in network.hosts
    }
    routers = {router: {"device": "frr", "module": ["ospf"]} for router in network.routers}
    impairments = netem.impairments(network)
    links = [
        _link(impairments[number], impairments[number + 1]) for number in range(0, len(impairments), 2)
    ]  # fmt: skip
    comments = [
        "Written by sojourn export --netlab. netlab up starts it; ./queues.sh then sets queues as well.",
        f"The image {containerlab.IMAGE!r} has the command sojourn. tc.rate is in kbit/s, as netlab documents it.",
        *netem.general_notes(network),
        *_notes(impairments),
    ]
    content = {"name": name, "provider": "clab", "nodes": hosts | routers, "links": links}
    return yaml_text.document(content, comments)


def _link(there: netem.Impairment, back: netem.Impairment) -> dict[str, object]:
    """Both ends with what they do to what they send."""
    direction = there.direction
    said = [_tc(one) for one in (there, back)]
    ends: dict[str, object] = {direction.from_: {}, direction.to: {}}
    if said[0] != said[1]:
        ends = {direction.from_: {"tc": said[0]}, direction.to: {"tc": said[1]}}
    shared = {"tc": said[0]} if said[0] == said[1] and said[0] else {}
    return ends | shared | {"mtu": direction.mtu}


def _tc(one: netem.Impairment) -> dict[str, object]:
    """Delay and jitter in milliseconds, loss in percent, rate in whole kbit/s."""
    direction = one.direction
    found: dict[str, object] = {}
    found |= {"delay": _ms(one.delay_s)} if one.delay_s > 0 else {}
    found |= {"jitter": _ms(one.jitter_s)} if one.jitter_s > 0 else {}
    found |= {"loss": float(netem.percent(direction.loss).rstrip("%"))} if direction.loss > 0 else {}
    return found | ({"rate": max(1, round(direction.rate / 1000))} if direction.rate is not None else {})


def _notes(impairments: list[netem.Impairment]) -> list[str]:
    found = []
    for one in impairments:
        notes = [*one.notes]
        if one.distribution is not None:
            notes.append(f"the {one.distribution} distribution of the jitter: uniform stands for it")
        found += [f"{one.direction.title}, not in here: {note}" for note in notes]
    return [*found, "Of no link: the queue, for which netem has 1000 packets, and framing; queues.sh sets both."]


def _ms(seconds: float) -> float:
    return round(1e3 * seconds, 6)
