"""A zero was counted: in every network, what nothing could have counted is null and not 0.

Each scenario names the metrics that are 0 in it, with what was counted to find none. A metric that is 0 and not named
here claims something that nothing recorded.
"""

import json
from collections.abc import Callable

import pytest

RUN = '\n[run]\nduration = "10 s"\nwarm_up = "1 s"\nreplications = 2\n'
HOSTS = """[network]
kind = "{kind}"

[[medium]]
name = "line"
rate = "100 Mbit/s"

[[station]]
name = "a"

[[station]]
name = "b"

"""
FLOW = '[[flow]]\nname = "f"\nfrom = "a"\nto = "b"\n'
STREAM = 'service = "stream"\nsize = "100 B"\nprobe = true\narrivals = { kind = "periodic", interval = "20 ms" }\n'
CALL = 'service = "voice"\nvoice = { codec = "g711" }\n'
PACKETS = '[lan]\nframing = "packets"\n\n'
BULK = 'service = "bulk"\n'
ECHO = 'service = "echo"\nsize = "64 B"\nthink = "20 ms"\nprobe = true\n'
LON = """[network]
kind = "lontalk"

[channel]
channel = "TP/FT-10"

[[station]]
name = "sensor"
count = 3

[[station]]
name = "controller"

[[flow]]
name = "reading"
from = "sensor"
to = "controller"
service = "{service}"
arrivals = {{ kind = "poisson", interval = "200 ms" }}
"""
RADIO = """[network]
kind = "packet-radio"

[[medium]]
name = "radio"
type = "radio"
bit_rate = "9600 bit/s"

[[station]]
name = "here"
callsign = "HERE-1"

[[station]]
name = "there"
callsign = "THERE-1"

[[flow]]
name = "beacons"
from = "here"
to = "there"
data = "64 B"
arrivals = { kind = "poisson", interval = "1 s" }
"""
RING = """[network]
kind = "fddi"

[ring]
length = "1 km"

[[station]]
name = "a"

[[station]]
name = "b"

[[flow]]
name = "f"
from = "a"
to = "b"
traffic = "messages"
transport = "datagram"
probe = true
arrivals = { kind = "poisson", rate = "50 /s" }
"""
# packets were sent: none waited, none was dropped or lost
QUIET = {"drops", "loss", "queue_length"}
# what a listener's buffer counts of a call
BUFFER = {"fifo_overflow", "fifo_underflow", "play_out_loss"}
COLLIDED = {"collision_loss", "collision_rate"}
TCP = {"retransmissions", "transaction_failures"}

SCENARIOS: dict[str, tuple[str, set[str]]] = {
    "a stream over IP": (HOSTS.format(kind="ip") + FLOW + STREAM, QUIET),
    "a call over IP": (HOSTS.format(kind="ip") + FLOW + CALL, QUIET | BUFFER),
    "a transfer over IP": (HOSTS.format(kind="ip") + FLOW + BULK, {"drops"} | TCP),
    "an echo over IP": (HOSTS.format(kind="ip") + FLOW + ECHO, QUIET),
    "a stream over Ethernet": (HOSTS.format(kind="switched-lan") + PACKETS + FLOW + STREAM, QUIET),
    "unprobed messages of LonTalk": (
        LON.format(service="acknowledged"),
        {"buffer_overflows", "duplicates", "late_acknowledgements"},
    ),
    "messages of LonTalk that are not acknowledged": (
        LON.format(service="unacknowledged") + "probe = true\n",
        {"buffer_overflows", "collisions", "duplicates", "failures", "loss", "missed"} | COLLIDED,
    ),
    "beacons on a radio channel": (RADIO, {"buffer_overflows", "collision_rate", "loss"}),
    "messages on a ring": (RING, {"claims", "failures", "loss", "tokens_lost"}),
}


@pytest.fixture
def zeros(sojourn, tmp_path) -> Callable[[str], set[str]]:
    """The metrics of the whole network that are 0: a member, as the idle direction of a link, may be."""

    def run(text: str) -> set[str]:
        (tmp_path / "network.toml").write_text(text + RUN)
        done = sojourn("run", tmp_path / "network.toml", "--format", "json")
        assert done.returncode == 0, done.stderr
        metrics = json.loads(done.stdout)["points"][0]["metrics"]
        whole = {name: metric for name, metric in metrics.items() if "/" not in name}
        return {name for name, metric in whole.items() if metric.get("value", metric.get("mean")) == 0}

    return run


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_zero_was_counted(zeros, name):
    text, counted = SCENARIOS[name]

    assert zeros(text) == counted
