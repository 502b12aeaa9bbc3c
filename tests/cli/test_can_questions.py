"""What users ask of a CAN bus: `find` for bit rate, data and nodes, `bound` for an order of identifiers, offsets.

Frames have the most stuff bits and nothing takes CPU time: a frame of s bytes takes 55 + 10 s bits, of which the
last 3, the intermission, are after its end.
"""

import json

import pytest

BUS = """[network]
kind = "can"

[bus]
bit_rate = "500 kbit/s"
stuffing = "worst"

[[station]]
name = "node"
count = {count}
costs = {{ send = "0 s", receive = "0 s" }}

[[station]]
name = "listener"
costs = {{ send = "0 s", receive = "0 s" }}

{flows}
[run]
duration = "1 s"
warm_up = "0 s"
replications = 2
"""

FLOW = """[[flow]]
name = "{name}"
from = "{sender}"
to = "listener"
id = {id}
probe = true
arrivals = {{ kind = "periodic", interval = "{interval}", start = "at-once" }}
{more}
"""


def flow(name, sender, identifier, interval="10 ms", more=""):
    return FLOW.format(name=name, sender=sender, id=identifier, interval=interval, more=more)


@pytest.fixture
def write(tmp_path):
    """Writes a bus of nodes with flows."""

    def scenario(*flows: str, count: int = 3) -> str:
        (tmp_path / "bus.toml").write_text(BUS.format(count=count, flows="\n".join(flows)))
        return "bus.toml"

    return scenario


def limit_of(done) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["limit"]


def find(sojourn, file: str, vary: str, until: str) -> dict:
    return limit_of(sojourn("find", file, "--vary", vary, "--until", until, "--format", "json", "--no-store"))


def test_the_bit_rate_that_a_response_time_needs_is_found(sojourn, write):
    file = write(flow("state", "node-1", 0x100))
    limit = find(sojourn, file, "bus.bit_rate=125:1000 kbit/s", "response_time.mean < 300 us")

    # 132 bits in 300 us
    assert limit["interval"] == [pytest.approx(440_000, abs=2000)] * 2


def test_the_data_that_a_frame_may_carry_is_found_in_whole_bytes(sojourn, write):
    file = write(flow("state", "node-1", 0x100))
    limit = find(sojourn, file, "flow.state.data=0:8 B", "response_time.mean < 200 us")

    # 52 + 10 s bits of 2 us: 92 with 4 bytes, 102 with 5
    assert (limit["value"], limit["interval"]) == (4, [4, 4])


def test_the_nodes_that_a_bus_takes_are_found(sojourn, write):
    file = write(flow("state", "node", 0x100))
    limit = find(sojourn, file, "station.node.count=2:36", "response_time.mean < 2 ms")

    # all send at once, and each of n frames of 270 us ends 6 us before the next begins: on average 135 (n + 1) - 6 us
    assert limit["value"] == 13


def test_deadlines_are_a_condition_of_a_search_as_well(sojourn, write):
    file = write(flow("state", "node", 0x100, more='deadline = "5 ms"'))
    limit = find(sojourn, file, "station.node.count=2:36", "deadline_misses.value = 0")

    # the last of 18 frames takes 4854 us, of 19 5124 us
    assert limit["value"] == 18


INVERTED = (
    flow("slow", "node-1", 0x100, "10 ms"),
    flow("slower", "node-2", 0x200, "20 ms"),
    flow("urgent", "node-3", 0x300, "10 ms", 'deadline = "700 us"'),
)


def test_an_order_of_identifiers_that_meets_every_deadline_is_printed(sojourn, write):
    done = sojourn("bound", write(*INVERTED), "--no-store")

    said = " ".join(done.stdout.split())
    assert "not every message meets its deadline (else its period): urgent takes up to" in said
    assert "another order of identifiers meets every deadline" in said
    rows = [line.split() for line in done.stdout.split("highest priority first:\n")[1].splitlines()[2:5]]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("100h", "urgent", "300h"),
        ("200h", "slow", "100h"),
        ("300h", "slower", "200h"),
    ]


def test_results_have_all_of_an_order_and_the_table_its_begin(sojourn, write):
    many = [flow(f"m{number}", f"node-{number + 1}", 0x100 + number, "100 ms") for number in range(15)]
    urgent = flow("urgent", "node-16", 0x400, "100 ms", 'deadline = "700 us"')
    file = write(*many, urgent, count=16)
    shown = sojourn("bound", file, "--no-store").stdout
    order = json.loads(sojourn("bound", file, "--no-store", "--format", "json").stdout)["bound_priorities"]

    assert "4 more with --format json" in shown
    assert len(order) == 16
    assert (order[0]["flow"], order[0]["identifier"], order[0]["assigned"]) == ("urgent", "400h", "100h")
    assert order[0]["delay"] == pytest.approx(540e-6)


def test_offsets_keep_the_messages_of_a_node_apart(sojourn, write):
    flows = [flow(f"m{number}", "node-1", number) for number in range(1, 5)]
    file = write(*(one.replace(', start = "at-once"', "") for one in flows))
    done = sojourn("sweep", file, "--over", "station.node.offsets=none,spread", "--format", "json", "--no-store")

    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["points"]
    longest = [point["metrics"]["response_time"]["max"] for point in points]
    # the last of four frames, and one alone
    assert longest == [pytest.approx(1074e-6), pytest.approx(264e-6)]
