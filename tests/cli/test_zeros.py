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
QUEUE = """[network]
kind = "queue"

[[station]]
name = "server"
service = { kind = "exponential", mean = "10 ms" }

[[flow]]
name = "f"
path = ["server"]
arrivals = { kind = "poisson", rate = "50 /s" }
"""
SESSION = """[[flow]]
name = "s"
from = "here"
to = "there"
service = "session"
exchanges = 3
request = "40 B"
response = "200 B"
arrivals = { kind = "periodic", interval = "3 s" }
"""
ADAPTER = """[network]
kind = "fddi-adapter"

[traffic]
direction = "receive"
frame_size = "4 KiB"
load = "20 Mbit/s"
"""
REQUEST = 'service = "request"\nsize = "100 B"\nresponse_size = "10 KiB"\nprobe = true\nthink = "50 ms"\n'
LATER = 'start = "1 h"\n'
POLL = LON.format(service="request").replace('"poisson"', '"poll"') + "probe = true\n"
POLL = POLL.replace('from = "sensor"\nto = "controller"', 'from = "controller"\nto = "sensor"')
LON_LATER = LON.format(service="acknowledged").replace('"200 ms"', '"200 ms", delay = "1 h"') + "probe = true\n"
RADIO_LATER = RADIO.replace('interval = "1 s"', 'interval = "1 s", delay = "1 h"')
RING_LATER = RING.replace('rate = "50 /s"', 'rate = "50 /s", delay = "1 h"')
QUIET = {"drops", "loss", "queue_length"}
# what a listener's buffer counts of a call
BUFFER = {"fifo_overflow", "fifo_underflow", "play_out_loss"}
COLLIDED = {"collision_loss", "collision_rate"}
TCP = {"retransmissions", "transaction_failures"}
LON_COUNTS = {"buffer_overflows", "collisions", "duplicates", "failures", "late_acknowledgements", "missed", "retries"}
LON_COUNTS |= {"transaction_failures"}
RINGS = {"claims", "failures", "tokens_lost"}
# rates and levels of the time observed, and what was counted in it
SILENT = {"packets", "throughput", "utilisation"}
CELLS = HOSTS.format(kind="switched-lan").replace("100 Mbit/s", "155.52 Mbit/s")

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
    "messages on a ring": (RING, RINGS | {"loss"}),
    "messages over XTP": (RING.replace("datagram", "xtp"), RINGS | {"handshakes", "loss", "retries"}),
    "an adapter": (ADAPTER, {"drops", "interference", "loss"}),
    "a queue": (QUEUE, {"failures", "loss"}),
    "requests over TCP": (HOSTS.format(kind="ip") + FLOW + REQUEST, QUIET | TCP),
    "a transfer over ATM": (CELLS + FLOW + BULK, {"drops", "marks"} | TCP),
    "a stream over ATM": (CELLS + FLOW + STREAM, {"drops", "loss", "marks"}),
    "polls of LonTalk": (
        POLL,
        LON_COUNTS | COLLIDED | {"loss"},
    ),
    "frames over AX.25 connections": (
        RADIO + 'service = "connected"\n',
        {"buffer_overflows", "collision_rate", "polls", "retries"},
    ),
    "sessions of users": (
        RADIO.split("[[flow]]", maxsplit=1)[0] + SESSION,
        {"buffer_overflows", "collision_rate", "failures", "loss", "polls", "retries"},
    ),
    # what nothing was sent of has no loss, no delay, no rating, no share of collisions
    "a stream that has not begun": (
        HOSTS.format(kind="ip") + FLOW + STREAM + LATER,
        SILENT | {"queue_length", "drops"},
    ),
    "a call that has not begun": (
        HOSTS.format(kind="ip") + FLOW + CALL + LATER,
        SILENT | {"queue_length", "drops", "fifo_overflow", "fifo_underflow"},
    ),
    "messages of LonTalk that have not begun": (
        LON_LATER,
        SILENT | LON_COUNTS | {"throughput_l3", "throughput_l4", "transaction_rate"},
    ),
    "beacons that have not begun": (RADIO_LATER, SILENT | {"buffer_overflows", "packet_rate", "throughput_l3"}),
    "messages on a ring that have not begun": (RING_LATER, SILENT | RINGS | {"packet_rate"}),
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
