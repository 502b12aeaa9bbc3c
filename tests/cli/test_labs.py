"""Scenarios as emulators and lab tools read them: valid by published schemas, with the numbers of the scenario."""

import json
import subprocess
import tomllib
from ipaddress import ip_interface
from pathlib import Path

import jsonschema
import pytest
import yaml

EXAMPLES = Path(__file__).parents[2] / "examples"
SCHEMA = Path(__file__).parent / "containerlab" / "clab.schema.json"
SCENARIOS = ["ip-home-link", "outage", "assured-forwarding"]
PATH = """
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "100 Mbit/s"
length = "0 m"
[[medium]]
name = "far"
length = "0 m"
delay = "20 ms"
{far}
[[station]]
name = "phone"
on = "near"
[[station]]
name = "router"
type = "router"
on = ["near", "far"]
[[station]]
name = "server"
on = "far"
[probe]
from = "phone"
to = "server"
[run]
duration = "4 s"
warm_up = "0 s"
replications = 1
"""


def path_with(folder: Path, far: str) -> None:
    (folder / "path.toml").write_text(PATH.replace("{far}", far), encoding="utf-8")


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_topology_of_containerlab_is_valid_by_its_published_schema(sojourn, tmp_path, name):
    done = sojourn("export", EXAMPLES / f"{name}.toml", "--containerlab", "--out", "lab")
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "lab").glob("*.clab.yml")

    topology = yaml.safe_load(file.read_text(encoding="utf-8"))

    # not `validate`, which would compile a pattern of ECMAScript that Python has not
    validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [error.message for error in validator.iter_errors(topology)] == []
    nodes = topology["topology"]["nodes"]
    # each end of a link is a node, and no interface has two links
    ends = [end for link in topology["topology"]["links"] for end in link["endpoints"]]
    assert len(set(ends)) == len(ends)
    assert {end.partition(":")[0] for end in ends} == set(nodes)


@pytest.mark.parametrize("name", SCENARIOS)
def test_both_ends_of_a_link_have_addresses_of_its_network_and_routes_lead_to_neighbours(sojourn, name):
    topology = yaml.safe_load(sojourn("export", EXAMPLES / f"{name}.toml", "--containerlab").stdout)["topology"]

    addresses = {}
    for node, settings in topology["nodes"].items():
        for words in (command.split() for command in settings["exec"]):
            if words[:3] == ["ip", "address", "add"]:
                addresses[f"{node}:{words[-1]}"] = ip_interface(words[3])
    for link in topology["links"]:
        first, second = (addresses[end] for end in link["endpoints"])
        assert first.network == second.network
        assert first.ip != second.ip
    hops = {
        (node, command.split()[-1])
        for node, one in topology["nodes"].items()
        for command in one["exec"]
        if "route" in command
    }
    for node, hop in hops:
        networks = [address.network for end, address in addresses.items() if end.startswith(f"{node}:")]
        assert any(ip_interface(hop).ip in network for network in networks)


@pytest.mark.parametrize("tool", ["containerlab", "netlab", "netem"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_scripts_are_taken_by_a_shell(sojourn, tmp_path, tool, name):
    sojourn("export", EXAMPLES / f"{name}.toml", f"--{tool}", "--out", "lab")

    scripts = list((tmp_path / "lab").glob("*.sh"))

    assert scripts
    for script in scripts:
        subprocess.run(["sh", "-n", script], check=True)
        assert script.stat().st_mode & 0o100


def test_a_lab_measures_the_scenario_at_the_address_of_the_server_and_compares(sojourn, tmp_path):
    path_with(tmp_path, 'rate = "10 Mbit/s"')
    sojourn("export", "path.toml", "--containerlab", "--out", "lab")

    script = (tmp_path / "lab" / "measure.sh").read_text(encoding="utf-8")
    impairments = (tmp_path / "lab" / "impair.sh").read_text(encoding="utf-8")

    # the second link has 10.64.0.4/30, the server is its second end
    assert "--peer sojourn://10.64.0.6" in script
    assert "docker exec clab-path-phone sojourn measure /tmp/lab/path.toml" in script
    assert script.splitlines()[-1] == "sojourn compare simulated measured"
    assert "netem set -n clab-path-server -i eth1 --delay 20ms --rate 10000" in impairments
    assert "not in here: the queue" in impairments


def test_the_files_that_a_scenario_names_go_along_to_the_lab(sojourn, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "cell.up").write_text("4\n8\n9\n")
    path_with(tmp_path / "here", 'rate_trace = "cell.up"')
    sojourn("export", "here/path.toml", "--containerlab", "--out", "lab")
    (tmp_path / "here" / "cell.up").unlink()

    checked = sojourn("check", "lab/path.toml")

    assert checked.returncode == 0, checked.stderr


def test_the_topology_of_netlab_has_only_attributes_that_it_documents(sojourn):
    said = yaml.safe_load(sojourn("export", EXAMPLES / "ip-home-link.toml", "--netlab").stdout)

    assert set(said) == {"name", "provider", "nodes", "links"}
    for node in said["nodes"].values():
        assert set(node) <= {"device", "image", "module", "clab.cmd"}
    for link in said["links"]:
        ends = set(link) & set(said["nodes"])
        assert len(ends) == 2
        assert set(link) - ends <= {"tc", "mtu"}
        assert set(link["tc"]) <= {"delay", "jitter", "loss", "rate"}
        assert isinstance(link["tc"]["rate"], int)
    (uplink,) = [link for link in said["links"] if {"router", "provider"} <= set(link)]
    assert uplink["tc"] == {"delay": 5.00005, "rate": 20000}


def test_what_is_exported_to_a_lab_is_imported_as_the_same_links(sojourn, tmp_path):
    path_with(tmp_path, 'rate = "10 Mbit/s"\njitter = "4 ms"\nloss = "1 %"')
    for tool, file in (("containerlab", "path.clab.yml"), ("netlab", "topology.yml")):
        sojourn("export", "path.toml", f"--{tool}", "--out", tool)
        done = sojourn("new", "--from", f"{tool}/{file}", "-o", f"{tool}.toml")
        assert done.returncode == 0, done.stderr

        (far,) = [
            one for one in json.loads(links_of(sojourn, tmp_path / f"{tool}.toml")) if one.endswith("router-server")
        ]
        assert far == "20ms 4ms 1% 10000000 router-server"


def links_of(sojourn, file: Path) -> str:
    """Delay, jitter, loss and rate of each medium of a scenario, by its full form."""
    checked = sojourn("check", file, "--expand")
    assert checked.returncode == 0, checked.stderr
    media = tomllib.loads(checked.stdout)["medium"]

    def words(one: dict[str, str]) -> str:
        amounts = [one[key].replace(" ", "") for key in ("delay", "jitter", "loss")]
        number, unit = one["rate"].split()
        bits = float(number) * {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}[unit]
        return " ".join([*amounts, f"{bits:.0f}", one["name"]])

    return json.dumps([words(one) for one in media])


def test_an_imported_lab_runs(sojourn, tmp_path):
    (tmp_path / "topology.yml").write_text("nodes: [a, b]\nlinks:\n- {a: , b: , tc: {delay: 20, rate: 1000}}\n")
    done = sojourn("new", "--from", "topology.yml", "-o", "lab.toml")
    assert done.returncode == 0, done.stderr
    assert "wrote lab.toml; next: sojourn run lab.toml" in done.stderr

    ran = sojourn("run", "lab.toml", "--no-store", "--set", "run.duration=2 s", "--replications", "1")

    assert ran.returncode == 0, ran.stderr


class TestTraces:
    def test_a_trace_decides_when_a_packet_leaves(self, sojourn, tmp_path):
        (tmp_path / "steady.csv").write_text("time,rate\n0,1e6\n")
        path_with(tmp_path, 'rate_trace = "steady.csv"')
        results = {}
        for name, sets in (("traced", ()), ("constant", ("--set", "medium.far.rate=1 Mbit/s"))):
            file = "path.toml"
            if sets:
                path_with(tmp_path, 'rate = "1 Mbit/s"')
            done = sojourn("run", file, "--no-store", "--format", "json")
            assert done.returncode == 0, done.stderr
            results[name] = json.loads(done.stdout)["points"][0]["metrics"]["response_time"]["mean"]

        assert results["traced"] == results["constant"]

    def test_a_mistake_in_a_trace_is_shown_with_its_line(self, sojourn, tmp_path):
        (tmp_path / "cell.down").write_text("3\n5\n4\n")
        path_with(tmp_path, 'rate_trace = "cell.down"')

        done = sojourn("check", "path.toml")

        assert done.returncode != 0
        assert "4 is before the 5 of the line above" in done.stderr
        assert "cell.down:3:1" in done.stderr

    @pytest.mark.parametrize(
        ("far", "words"),
        [
            ('rate = "1 Mbit/s"\nrate_trace = "cell.down"', "`rate` is beside a `rate_trace`"),
            ('rate_trace_back = "cell.down"', "without a `rate_trace`"),
            ('rate_trace = "cell.up"', "cell.up"),
        ],
    )
    def test_a_trace_that_says_nothing_is_refused(self, sojourn, tmp_path, far, words):
        (tmp_path / "cell.down").write_text("3\n5\n")
        path_with(tmp_path, far)

        assert words in sojourn("check", "path.toml").stderr

    def test_traces_are_exported_to_mahimahi_as_they_are_in_both_directions(self, sojourn, tmp_path):
        (tmp_path / "cell.down").write_text("3\n5\n")
        (tmp_path / "cell.up").write_text("4\n8\n9\n")
        # the router is declared before the server: its own direction comes first
        path_with(tmp_path, 'rate_trace = "cell.up"\nrate_trace_back = "cell.down"')

        done = sojourn("export", "path.toml", "--mahimahi", "--out", "mm")

        assert done.returncode == 0, done.stderr
        assert (tmp_path / "mm" / "uplink.trace").read_text() == "4\n8\n9\n"
        assert (tmp_path / "mm" / "downlink.trace").read_text() == "3\n5\n"
        assert "exec mm-delay 20 mm-link uplink.trace downlink.trace" in (tmp_path / "mm" / "run.sh").read_text()

    def test_an_event_does_not_change_a_rate_that_a_trace_says(self, sojourn, tmp_path):
        (tmp_path / "cell").write_text("3\n5\n")
        event = '[[event]]\nname = "slow"\nat = "1 s"\naction = "set"\nset = { "medium.far.rate" = "1 Mbit/s" }'
        path_with(tmp_path, 'rate_trace = "cell"')
        with (tmp_path / "path.toml").open("a") as file:
            file.write(event)

        assert "the rate of `far` over time is that of its trace" in " ".join(
            sojourn("check", "path.toml").stderr.split()
        )

    def test_a_link_whose_rate_is_a_trace_has_no_worst_case(self, sojourn, tmp_path):
        (tmp_path / "cell").write_text("3\n5\n")
        path_with(tmp_path, 'rate_trace = "cell"')

        done = sojourn("bound", "path.toml")

        assert "is that of a trace" in " ".join((done.stdout + done.stderr).split())


class TestMistakes:
    def test_links_are_those_of_ip(self, sojourn):
        done = sojourn("export", EXAMPLES / "queue-mm1.toml", "--netem")

        assert done.returncode != 0
        assert 'of kind "ip"' in done.stderr

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ((), "say what to write"),
            (("--netem", "--netlab"), "is written alone"),
            (("--mahimahi",), "--out path"),
            (("--grafana", "x.json", "--out", "lab"), "--out is for"),
        ],
    )
    def test_options_that_do_not_go_together_are_named(self, sojourn, options, words):
        done = sojourn("export", EXAMPLES / "ip-home-link.toml", *options)

        assert done.returncode != 0
        assert words in " ".join(done.stderr.split())

    def test_files_that_exist_are_kept(self, sojourn, tmp_path):
        (tmp_path / "netem.sh").write_text("mine")

        done = sojourn("export", EXAMPLES / "ip-home-link.toml", "--netem", "--out", ".")

        assert done.returncode != 0
        assert (tmp_path / "netem.sh").read_text() == "mine"
