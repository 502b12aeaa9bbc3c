"""More arrives than is served: `run`, `[expect]` and `find` say so, and no limit lies above what can be served."""

import json
import re

import pytest

SERVER = """
[network]
kind = "queue"

[[station]]
name = "server"
service = {{ kind = "{service}", mean = "10 ms" }}

[[flow]]
name = "customers"
path = ["server"]
arrivals = {{ kind = "{arrivals}", {rate} }}
probe = true

[run]
duration = "{duration}"
warm_up = {warm_up}
replications = 5

[expect]
"response_time.mean" = "< 3 s"
"""

LINK = """
[network]
kind = "ip"

[[medium]]
name = "uplink"
rate = "10 Mbit/s"
queue = { kind = "fifo", limit = 100000 }

[[station]]
name = "a"

[[station]]
name = "b"

[[flow]]
name = "telemetry"
from = "a"
to = "b"
service = "stream"
size = "1222 B"
arrivals = { kind = "poisson", rate = "1100 /s" }
probe = true

[run]
duration = "5 s"
warm_up = "1 s"
replications = 5

[expect]
"one_way_delay.p99" = "< 1 min"
"""


BRIEFLY = ("--budget", "5000000")
"""A tenth of what a search may simulate: its limit has a wider interval, and lies where it lies."""

DEFAULTS = {
    "service": "exponential",
    "arrivals": "poisson",
    "rate": 'rate = "80 /s"',
    "duration": "60 s",
    "warm_up": '"10 s"',
}


def server(tmp_path, **keys):
    file = tmp_path / "server.toml"
    file.write_text(SERVER.format(**(DEFAULTS | keys)))
    return file


def test_a_run_whose_load_is_above_what_is_served_begins_with_that(sojourn, tmp_path):
    file = server(tmp_path, service="deterministic", arrivals="periodic", rate='interval = "8 ms"')

    done = sojourn("run", file)

    first = " ".join(done.stdout.splitlines()[:2])
    assert first.startswith(
        "More arrives at server (125 customers/s) than it serves (100 customers/s): no steady state"
    )
    assert "run.duration" not in done.stdout + done.stderr, "no run is long enough"
    assert "missed" in done.stderr, "a time that grows for ever meets no limit"


def test_results_have_what_each_resource_was_offered_and_carried(sojourn, tmp_path):
    file = server(tmp_path, rate='rate = "150 /s"')

    point = json.loads(sojourn("run", file, "--format", "json").stdout)["points"][0]

    (row,) = point["stability"]
    assert (row["resource"], row["unit"], row["stable"]) == ("server", "customers/s", False)
    assert (row["offered"], row["carried"]) == (pytest.approx(150), pytest.approx(100))


@pytest.mark.parametrize("warm_up", ['"10 s"', '"auto"'])
@pytest.mark.parametrize("duration", ["60 s", "5 min"])
def test_a_limit_lies_below_what_is_served_whatever_the_length_of_the_runs(sojourn, tmp_path, duration, warm_up):
    file = server(tmp_path, duration=duration, warm_up=warm_up)

    done = sojourn("find", file, "--vary", "flow.customers.arrivals.rate=50:150 /s", *BRIEFLY, "--format", "json")

    limit = json.loads(done.stdout)["limit"]
    low, high = limit["interval"]
    # M/M/1: 1 / (100 - rate) < 3 s up to 99.67 /s
    assert low <= 99.67 <= high <= 100.2
    assert limit["value"] is None or limit["value"] <= 100
    assert "beyond 100 /s more arrives at server than it serves (100 customers/s)" in " ".join(done.stderr.split())


def test_a_link_is_overloaded_by_a_stream_that_is_faster(sojourn, tmp_path):
    (tmp_path / "link.toml").write_text(LINK)

    done = sojourn("run", tmp_path / "link.toml")

    said = " ".join(done.stdout.split())
    # 10 Mbit/s for packets of 1250 octets and 38 that frame them: 970.5 a second
    overload = r"More arrives at a/b \(1100 packets/s\) than it serves \(97[01] packets/s\): no steady state"
    assert re.match(overload, said)
    assert "missed" in done.stderr


def test_a_measured_limit_of_a_link_is_what_it_carries(sojourn, tmp_path):
    (tmp_path / "link.toml").write_text(LINK)

    vary = ("--vary", "flow.telemetry.arrivals.rate=800:1200 /s", "--until", "one_way_delay.p99 < 1 s")
    done = sojourn("find", tmp_path / "link.toml", *vary, *BRIEFLY, "--format", "json")

    limit = json.loads(done.stdout)["limit"]
    assert limit["interval"][1] <= 971
    assert limit["interval"][0] > 800


def test_below_that_a_run_has_no_such_sentence(sojourn, tmp_path):
    done = sojourn("run", server(tmp_path))

    assert "steady state" not in done.stdout + done.stderr


def test_the_bottleneck_is_the_processor_where_that_saturates_first(sojourn, tmp_path):
    text = LINK.replace('"ip"', '"switched-lan"').replace('queue = { kind = "fifo", limit = 100000 }', 'length = "0 m"')
    text = text.replace("[[station]]", '[[station]]\ncosts = { packet = "3 ms" }').replace("1100 /s", "600 /s")
    (tmp_path / "lan.toml").write_text(text.replace("[[medium]]", '[lan]\nframing = "packets"\n\n[[medium]]'))

    done = sojourn("run", tmp_path / "lan.toml")

    said = " ".join(done.stdout.split())
    # 60.7 % of 3 ms to receive: 549 a second
    assert "bottleneck: processor of b" in said, said
    assert said.startswith("More arrives at processor of b")


def test_a_full_queue_is_named_before_the_numbers(sojourn, tmp_path):
    file = tmp_path / "link.toml"
    file.write_text(LINK.replace("limit = 100000", "limit = 50"))
    said = " ".join(sojourn("run", file, "--no-store").stdout.split())
    assert re.match(
        r"More arrives at a/b \(\d{4} packets/s\) than it serves \(97\d packets/s\): its queue drops the rest\. ", said
    )
    assert "no steady state" not in said
