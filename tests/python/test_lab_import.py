"""Topologies of labs as scenarios; hostile YAML is refused in bounded time."""

import json
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn.errors import UserError
from sojourn.labs.importing import imported
from sojourn.labs.reading import LARGEST, MOST, read

CLAB = """
name: demo
topology:
  defaults: {kind: linux}
  nodes:
    pc: {kind: linux, image: alpine}
    r1: {kind: nokia_srlinux, startup-config: r1.cfg}
    server: {kind: linux}
  links:
    - endpoints: ["pc:eth1", "r1:e1-1"]
      vars: {delay: 5ms, jitter: 2ms, loss: 0.5, rate: 20000}
    - type: veth
      mtu: 9000
      endpoints:
        - {node: r1, interface: e1-2}
        - {node: server, interface: eth1}
    - endpoints: ["r1:e1-3", "mgmt-net:r1"]
"""
NETLAB = """
provider: clab
nodes:
  h1: {device: linux}
  h2: {device: linux}
  r-1: {device: frr, module: [ospf]}
links:
- h1-r-1
- r-1:
    tc.delay: 7
  h2:
  tc.loss: 1
  tc.rate: 4000
  prefix: 10.0.0.0/24
"""


def taken(tmp_path: Path, text: str) -> tuple[dict[str, Any], list[str]]:
    file = tmp_path / "lab.clab.yml"
    file.write_text(text, encoding="utf-8")
    written, left_out = imported(file)
    return tomllib.loads(written), left_out


def media(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one.pop("name"): one for one in document["medium"]}


def test_a_node_with_one_link_is_a_host_and_one_with_more_a_router(tmp_path: Path) -> None:
    document, _ = taken(tmp_path, CLAB)

    assert document["station"] == [
        {"name": "pc", "on": "pc-r1"},
        {"name": "r1", "type": "router", "on": ["pc-r1", "r1-server"]},
        {"name": "server", "on": "r1-server"},
    ]
    assert document["probe"] == {"from": "pc", "to": "server"}


def test_vars_of_links_are_what_netem_does_and_jitter_is_added_to_the_least_delay(tmp_path: Path) -> None:
    document, _ = taken(tmp_path, CLAB)

    # netem delays uniformly by 3 to 7 ms
    first = {"rate": "20000 kbit/s", "delay": "3 ms", "jitter": "4 ms", "loss": "0.5 %"}
    assert media(document) == {"pc-r1": first, "r1-server": {"mtu": "9000 B"}}


def test_what_was_not_understood_is_listed_and_stands_in_comments(tmp_path: Path) -> None:
    _, left_out = taken(tmp_path, CLAB)

    assert left_out == [
        "topology: defaults",
        "nodes: startup-config",
        "link 3, which does not join two nodes",
        "rates: a link without one has 1 Gbit/s here",
    ]
    written, _ = imported(tmp_path / "lab.clab.yml")
    assert [line for line in written.splitlines() if line.startswith("# Not taken over: ")] == [
        f"# Not taken over: {what}" for what in left_out
    ]


def test_links_of_netlab_are_text_or_mappings_with_tc_attributes(tmp_path: Path) -> None:
    document, left_out = taken(tmp_path, NETLAB)

    assert media(document) == {"h1-r-1": {}, "r-1-h2": {"rate": "4000 kbit/s", "loss": "1 %"}}
    assert "link 2: prefix" in left_out
    assert "link 2: attributes of an end: tc" in left_out


def test_a_lan_of_three_nodes_has_a_router_for_its_bridge(tmp_path: Path) -> None:
    document, left_out = taken(tmp_path, "nodes: [a, b, c]\nlinks:\n- {interfaces: [a, b, c], tc: {delay: 2ms}}\n")

    assert media(document) == {f"{node}-lan-1": {"delay": "2 ms"} for node in "abc"}
    assert "link 1 of 3 nodes: the router lan-1 stands for its bridge" in left_out


def test_routers_alone_get_hosts_to_measure_between(tmp_path: Path) -> None:
    document, left_out = taken(tmp_path, "nodes: [a, b, c]\nlinks: [a-b, b-c, c-a]\n")

    assert document["probe"] == {"from": "host-probe-1", "to": "host-probe-2"}
    assert any("were added to measure between" in what for what in left_out)


def test_names_that_scenarios_do_not_take_are_changed_and_stay_different(tmp_path: Path) -> None:
    document, _ = taken(tmp_path, 'nodes: [a.b, "a|b"]\nlinks:\n- {interfaces: [a.b, "a|b"]}\n')

    assert [station["name"] for station in document["station"]] == ["a-b", "a-b-2"]


@pytest.mark.parametrize("text", ["", "[1, 2]", "name: x\ntopology: 3", "nodes: [a]\nlinks: []", "nodes: 5\nlinks: 7"])
def test_a_file_without_a_topology_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=r"is not a topology|has no link"):
        taken(tmp_path, text)


def bombs() -> dict[str, str]:
    aliases = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))
    merges = "\n".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12))
    return {
        "aliases": f"a0: &a0 [1, 2]\n{aliases}\n",
        "merges": f"a0: &a0 {{x: 1}}\n{merges}\n",
        "depth": "[" * 100_000,
        "depth of blocks": "\n".join(" " * depth + "a:" for depth in range(600)),
        "values": "[" + "1," * (MOST + 1) + "]",
        "size": "# " + "x" * LARGEST,
        "a date that is none": "nodes: 2020-99-99",
        "an object": "!!python/object/apply:os.system [id]",
        "an unknown alias": "nodes: *nothing",
        "a tab": "nodes:\n\t- a",
        "an alias of itself": "topology: &t {nodes: *t, links: [*t]}",
    }


@pytest.mark.parametrize("kind", list(bombs()))
def test_hostile_yaml_is_refused_within_seconds(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "lab.yml"
    file.write_text(bombs()[kind], encoding="utf-8")
    began = time.process_time()

    with pytest.raises(UserError, match=r"lab\.yml"):
        imported(file)

    # a bomb that goes off takes minutes or all memory
    assert time.process_time() - began < 20


def test_a_mistake_of_yaml_is_named_by_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "lab.yml"
    file.write_text("nodes: [a, b]\nlinks:\n  a: [b\n  c: d\n", encoding="utf-8")

    with pytest.raises(UserError, match=r"lab\.yml:4:4: "):
        read(file)


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sojourn.extras.find_spec", lambda package: None)

    with pytest.raises(UserError, match=r"sojourn\[labs\]"):
        read(tmp_path / "lab.yml")


NAMES = st.sampled_from(["a", "b", "c-d", "e.f", "nodes", "links", "tc", "vars"])
LEAVES = st.one_of(
    NAMES, st.integers(-5, 10**12), st.floats(), st.none(), st.booleans(), st.sampled_from(["5ms", "a-b", "a:1"])
)
KEYS = st.one_of(
    NAMES, st.sampled_from(["endpoints", "interfaces", "members", "delay", "loss", "rate", "mtu", "tc.delay"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(nodes=VALUES, links=st.lists(VALUES, max_size=4), clab=st.booleans())
def test_any_structure_is_a_scenario_or_a_mistake(
    tmp_path_factory: pytest.TempPathFactory, nodes: Any, links: list[Any], clab: bool
) -> None:
    content = {"nodes": nodes, "links": links}
    file = tmp_path_factory.mktemp("lab") / "lab.yml"
    file.write_text(yaml.safe_dump({"topology": content} if clab else content), encoding="utf-8")
    try:
        written, _ = imported(file)
    except UserError:
        return
    document = tomllib.loads(written)
    assert json.dumps(document["probe"])
    assert len({one["name"] for one in document["station"]}) == len(document["station"])
