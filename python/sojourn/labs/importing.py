"""Topology files of containerlab and netlab, read as topologies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sojourn.errors import UserError
from sojourn.labs.reading import read
from sojourn.labs.topology import Link, Topology, impair, scenario, shown, take_mtu

OF_NETEM = ("delay", "jitter", "loss", "rate")


def imported(path: Path) -> tuple[str, list[str]]:
    """The scenario of a topology file, and what was not taken over of it."""
    document = read(path)
    if isinstance(document, Mapping) and isinstance(document.get("topology"), Mapping):
        topology = of_containerlab(document, path.name.partition(".")[0])
    elif isinstance(document, Mapping) and ("links" in document or "nodes" in document):
        topology = of_netlab(document, path.stem)
    else:
        raise UserError(
            f"{path} is not a topology: containerlab has `topology` with `nodes` and `links`, netlab both at the top"
        )
    if not topology.links:
        raise UserError(f"{path} has no link between two nodes")
    text = scenario(topology, path.name)
    return text, shown(topology)


def of_containerlab(document: Mapping[str, Any], name: str) -> Topology:
    """That of containerlab: what links do to packets is in their `vars`, as `sojourn export` writes them."""
    content = document["topology"]
    topology = Topology(str(document.get("name") or name))
    nodes = content.get("nodes")
    topology.nodes = dict.fromkeys(str(node) for node in nodes) if isinstance(nodes, Mapping) else {}
    topology.leave_out_keys("the file", [key for key in document if key not in ("name", "topology")])
    topology.leave_out_keys("topology", [key for key in content if key not in ("nodes", "links")])
    _leave_out_of_nodes(topology, nodes, ("kind", "image"))
    for number, link in enumerate(_list(content.get("links")), 1):
        where = f"link {number}"
        ends = _ends_of_containerlab(link) if isinstance(link, Mapping) else []
        if len(ends) != 2 or any(end not in topology.nodes for end in ends) or ends[0] == ends[1]:
            topology.leave_out(f"{where}, which does not join two nodes")
            continue
        made = Link((ends[0], ends[1]))
        topology.leave_out_keys(where, [key for key in link if key not in ("type", "endpoints", "mtu", "vars")])
        if "mtu" in link:
            take_mtu(made, link["mtu"], topology, where)
        if isinstance(said := link.get("vars"), Mapping):
            _impair_both_directions(made, said, topology, where)
        topology.links.append(made)
    return topology


def of_netlab(document: Mapping[str, Any], name: str) -> Topology:
    """That of netlab: links as text, lists, or mappings with `tc` attributes."""
    topology = Topology(str(document.get("name") or name))
    nodes = document.get("nodes")
    members = [
        str(member)
        for group in _values(document.get("groups"))
        if isinstance(group, Mapping)
        for member in _list(group.get("members"))
    ]
    if isinstance(nodes, list):
        nodes = {str(one.get("name") if isinstance(one, Mapping) else one): one for one in nodes}
    listed = [str(node) for node in nodes] if isinstance(nodes, Mapping) else []
    topology.nodes = dict.fromkeys([*listed, *members])
    known = ("name", "nodes", "links", "provider", "defaults", "groups", "message", "version")
    topology.leave_out_keys("the file", [key for key in document if str(key).partition(".")[0] not in known])
    _leave_out_of_nodes(topology, nodes, ("name", "device", "image", "role", "clab.cmd", "provider", "id"))
    for number, link in enumerate(_links_of_netlab(document.get("links")), 1):
        _netlab_link(topology, link, number)
    return topology


def _netlab_link(topology: Topology, link: Any, number: int) -> None:
    where = f"link {number}"
    ends, said = _ends_of_netlab(link, topology.nodes)
    if len(ends) < 2 or len(set(ends)) < len(ends):
        topology.leave_out(f"{where}, which does not join two nodes")
        return
    bandwidth = said.pop("bandwidth", None)
    mtu = said.pop("mtu", None)
    tc = said.pop("tc", {})
    tc = dict(tc) if isinstance(tc, Mapping) else {}
    tc |= {key.removeprefix("tc."): said.pop(key) for key in list(said) if str(key).startswith("tc.")}
    topology.leave_out_keys(where, said)
    if bandwidth is not None:
        is_rate = "rate" not in tc
        tc.setdefault("rate", bandwidth)
        said_of_it = "is the rate in kbit/s here, as devices take it" if is_rate else "beside tc.rate"
        topology.leave_out(f"{where}: bandwidth {said_of_it}")
    if len(ends) > 2:
        bridge = f"lan-{number}"
        topology.nodes[bridge] = None
        topology.leave_out(f"{where} of {len(ends)} nodes: the router {bridge} stands for its bridge")
        pairs = [(end, bridge) for end in ends]
    else:
        pairs = [(ends[0], ends[1])]
    for pair in pairs:
        made = Link(pair)
        impair(made, tc, topology, where)
        if mtu is not None:
            take_mtu(made, mtu, topology, where)
        topology.links.append(made)


def _impair_both_directions(link: Link, said: Mapping[str, Any], topology: Topology, where: str) -> None:
    """A medium is alike in both directions: of two that differ the first counts."""
    if isinstance(said.get("forward"), Mapping):
        impair(link, said["forward"], topology, where)
        topology.leave_out(f"{where}: the direction back, which differs")
    else:
        topology.leave_out_keys(f"{where}: vars", [key for key in said if key not in OF_NETEM])
        impair(link, {key: value for key, value in said.items() if key in OF_NETEM}, topology, where)


def _ends_of_containerlab(link: Mapping[str, Any]) -> list[str]:
    """The nodes of `node:interface`, or of mappings with `node`."""
    found = []
    for end in _list(link.get("endpoints")):
        if isinstance(end, str) and ":" in end:
            found.append(end.partition(":")[0])
        elif isinstance(end, Mapping) and isinstance(end.get("node"), str):
            found.append(end["node"])
    return found


def _links_of_netlab(links: Any) -> Iterator[Any]:
    """The links of a list, or of lists under names; those of groups of links are their members."""
    for link in (
        _list(links) if not isinstance(links, Mapping) else [one for part in links.values() for one in _list(part)]
    ):
        if isinstance(link, Mapping) and isinstance(link.get("members"), list):
            yield from link["members"]
        else:
            yield link


def _ends_of_netlab(link: Any, nodes: Collection[str]) -> tuple[list[str], dict[str, Any]]:
    """The nodes of a link and its other attributes."""
    if isinstance(link, str):
        return _split(link, nodes), {}
    if isinstance(link, list):
        return [str(end) for end in link if str(end) in nodes], {}
    if not isinstance(link, Mapping):
        return [], {}
    if "interfaces" in link:
        said = {str(key): value for key, value in link.items() if key != "interfaces"}
        named = [one.get("node") if isinstance(one, Mapping) else one for one in _list(link["interfaces"])]
        return [str(end) for end in named if str(end) in nodes], said
    said = {str(key): value for key, value in link.items() if str(key) not in nodes}
    ends = [str(key) for key in link if str(key) in nodes]
    for end in ends:
        inner = link.get(end)
        if isinstance(inner, Mapping):
            said |= _of_end(inner, said)
    return ends, said


def _of_end(inner: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """What an end says: `tc` is the link's where the link has none; the rest is listed."""
    found = {f"attributes of an end: {key}": True for key in inner if not str(key).startswith("tc")}
    of_tc = {str(key): value for key, value in inner.items() if str(key).startswith("tc")}
    is_said = any(str(key).startswith("tc") for key in said)
    return found | ({"attributes of an end: tc": True} if is_said and of_tc else of_tc)


def _split(text: str, nodes: Collection[str]) -> list[str]:
    """The nodes of `a-b`, whose names may have dashes."""
    for at in [place for place, letter in enumerate(text) if letter == "-"]:
        if text[:at] in nodes and text[at + 1 :] in nodes:
            return [text[:at], text[at + 1 :]]
    return []


def _leave_out_of_nodes(topology: Topology, nodes: Any, known: Sequence[str]) -> None:
    for settings in _values(nodes):
        if isinstance(settings, Mapping):
            topology.leave_out_keys("nodes", [key for key in settings if key not in known])


def _values(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, Mapping) else []


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
