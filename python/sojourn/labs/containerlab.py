"""A scenario as a lab of containerlab: nodes with addresses and agents, links, and scripts that impair and measure.

The topology file has no impairments (its published schema, `schemas/clab.schema.json`): `containerlab tools netem set`
sets delay, jitter, loss and rate of an interface, and nothing of its queue; `tc` in the node's namespace sets the rest.
"""

from __future__ import annotations

import re
from pathlib import Path

from sojourn.errors import UserError
from sojourn.labs import netem, yaml_text
from sojourn.labs.network import Network

IMAGE = "sojourn"
"""The image of nodes: `ip` of iproute2 and the `sojourn` command."""
AGENT = "sojourn agent sojourn://0.0.0.0 --open"
"""What a host runs. The lab's own links lead nowhere else."""
NODE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._|-]*")


def files(network: Network, name: str, scenario: str) -> dict[str, str]:
    """All files of the lab by their names; `scenario` is the text of the scenario."""
    return {
        f"{name}.clab.yml": topology(network, name),
        f"{name}.toml": scenario,
        "impair.sh": impairing(network, name),
        "queues.sh": queues(network, name),
        "measure.sh": measuring(network, name, f"containerlab deploy -t {name}.clab.yml, then ./queues.sh"),
    }


def topology(network: Network, name: str) -> str:
    """The topology file, with what it cannot say as comments."""
    refuse_names(network, NODE)
    nodes = {station: _node(network, station) for station in network.forwarding_s}
    links = [
        {
            "endpoints": [f"{end}:{network.interfaces[end, number]}" for end in (there.from_, there.to)],
            "mtu": there.mtu,
            "vars": _vars(network, number),
        }
        for number, (there, _) in enumerate(network.links)
    ]
    comments = [
        "Written by sojourn export --containerlab. Deploy it, and then impair its links: ./impair.sh, or ./queues.sh,",
        "which sets queues as well.",
        f"The image {IMAGE!r} has ip of iproute2 and the command sojourn. What links do to packets is in their vars,",
        "which containerlab ignores and sojourn new --from reads.",
        *netem.general_notes(network),
    ]
    return yaml_text.document({"name": name, "topology": {"nodes": nodes, "links": links}}, comments)


def impairing(network: Network, name: str) -> str:
    """`containerlab tools netem set` for each direction."""
    lines = [
        "#!/bin/sh",
        f"# Link impairments of the lab {name}, as root. containerlab sets no queue: see queues.sh.",
        *[f"# {line}" for line in netem.general_notes(network)],
        "set -eu",
    ]
    for number, one in enumerate(netem.impairments(network)):
        direction = one.direction
        interface = network.interfaces[direction.from_, number // 2]
        values = ["--delay", netem.milliseconds(one.delay_s)]
        values += ["--jitter", netem.milliseconds(one.jitter_s)] if one.jitter_s > 0 else []
        values += ["--loss", netem.percent(direction.loss).rstrip("%")] if direction.loss > 0 else []
        shaping = direction.queue.shaping
        rates = [rate for rate in (direction.rate, shaping and shaping["rate"]) if rate]
        values += ["--rate", str(max(1, round(min(rates) / 1000)))] if rates else []
        notes = [*one.notes]
        if one.distribution is not None:
            notes.append(f"the {one.distribution} distribution of the jitter: uniform stands for it")
        if rates:
            notes.append("the queue, for which netem has 10000 packets, and framing beyond the Ethernet header")
        lines += ["", f"# {direction.title}", *[f"#   not in here: {note}" for note in notes]]
        lines.append(f"containerlab tools netem set -n clab-{name}-{direction.from_} -i {interface} {' '.join(values)}")
    return "\n".join([*lines, ""])


def queues(network: Network, name: str) -> str:
    """The same by tc in the namespaces of the nodes, with queues."""
    lines = [
        "#!/bin/sh",
        f"# Link impairments and queues of the lab {name}, by tc of iproute2, as root: in place of impair.sh.",
        *[f"# {line}" for line in netem.general_notes(network)],
        "set -eu",
        "on() {",
        f"    node=clab-{name}-$1",
        "    shift",
        "    process=$(docker inspect -f '{{.State.Pid}}' \"$node\")",
        '    nsenter -t "$process" -n tc qdisc replace dev "$@"',
        "}",
    ]
    for number, one in enumerate(netem.impairments(network)):
        interface = network.interfaces[one.direction.from_, number // 2]
        lines += ["", *netem.comments(one)]
        lines += [f"on {one.direction.from_} {interface} {' '.join(each)}" for each in one.disciplines]
    return "\n".join([*lines, ""])


def measuring(network: Network, name: str, before: str, address: str | None = None) -> str:
    """Measures between the hosts of the probe, simulates the scenario, and compares both."""
    if network.ends is None:
        raise UserError("a lab measures between the hosts of a probe or a flow, and the scenario has neither")
    client, server = network.ends
    address = address or str(network.address(server, network.links_of(server)[0]))
    node = f"clab-{name}-{client}"
    return "\n".join(
        [
            "#!/bin/sh",
            f"# Measures from {client} to {server} and compares with the simulation. Before: {before}.",
            "set -eu",
            'cd "$(dirname "$0")"',
            f"docker cp . {node}:/tmp/lab",
            f"docker exec {node} sojourn measure /tmp/lab/{name}.toml --peer sojourn://{address} \\",
            "    --out /tmp/measured --overwrite",
            f"docker cp {node}:/tmp/measured .",
            f"sojourn run {name}.toml --out simulated --overwrite",
            "sojourn compare simulated measured",
            "",
        ]
    )


def lab_name(path: Path) -> str:
    """The lab's name after a scenario's file: letters and digits, since dashes separate names from nodes."""
    found = re.sub(r"[^a-zA-Z0-9]", "", path.stem)
    return found or "lab"


def refuse_names(network: Network, pattern: re.Pattern[str]) -> None:
    """Refuses names of stations that a lab cannot have."""
    for name in network.forwarding_s:
        if not pattern.fullmatch(name):
            raise UserError(f"names of nodes are {pattern.pattern}, and the station {name!r} has another")


def _node(network: Network, station: str) -> dict[str, object]:
    links = network.links_of(station)
    interfaces = [(number, network.interfaces[station, number]) for number in links]
    commands = [f"ip address add {network.address(station, number)}/30 dev {device}" for number, device in interfaces]
    commands += [f"ip route add {where} via {hop}" for where, hop in network.routes(station)]
    node: dict[str, object] = {"kind": "linux", "image": IMAGE}
    if station in network.hosts:
        node |= {"cmd": AGENT}
    else:
        node |= {"cmd": "sleep infinity", "sysctls": {"net.ipv4.ip_forward": 1}}
    return node | {"exec": commands}


def _vars(network: Network, number: int) -> dict[str, object]:
    """What a link does to packets, in the words of netem; where its directions differ, of both."""
    there, back = [netem.impairment(one) for one in network.links[number]]
    said = [_said(one) for one in (there, back)]
    if said[0] == said[1]:
        return said[0]
    return {"forward": said[0], "reverse": said[1]}


def _said(one: netem.Impairment) -> dict[str, object]:
    direction = one.direction
    found: dict[str, object] = {"delay": netem.milliseconds(one.delay_s)}
    found |= {"jitter": netem.milliseconds(one.jitter_s)} if one.jitter_s > 0 else {}
    found |= {"loss": float(netem.percent(direction.loss).rstrip("%"))} if direction.loss > 0 else {}
    return found | ({"rate": round(direction.rate / 1000, 3)} if direction.rate is not None else {})
