"""What a scenario says of a link is what the relay does: the simulation beside a measurement through it."""

import json
import signal

import pytest

PATH = """
[network]
kind = "ip"
[[medium]]
name = "link"
length = "0 m"
{link}
[[station]]
name = "near"
on = "link"
[[station]]
name = "far"
on = "link"
[probe]
from = "near"
to = "far"
size = "1000 B"
think = "5 ms"
think_spread = "5 ms"
[run]
duration = "6 s"
warm_up = "0 s"
replications = 1
"""
LINKS = {
    "delay": 'rate = "1 Gbit/s"\ndelay = "25 ms"\nqueue = { kind = "fifo" }',
    "rate": 'rate = "500 kbit/s"\ndelay = "10 ms"\nqueue = { kind = "fifo" }',
    # 10 ms at 1 Mbit/s, then 10 ms at 200 kbit/s: a request takes 8.5 ms or up to five times that
    "rates over time": 'rate_trace = "steps.csv"\ndelay = "10 ms"\nqueue = { kind = "fifo" }',
    # an opportunity every 40 ms: half of that for each request and each response, on average
    "opportunities": 'rate_trace = "cell"\ndelay = "10 ms"\nqueue = { kind = "fifo" }',
}


def median(folder):
    (point,) = json.loads((folder / "results.json").read_text())["points"]
    return point["metrics"]["response_time"]["p50"]


@pytest.mark.parametrize("link", list(LINKS))
def test_the_median_through_the_relay_is_that_of_the_simulation(begun, sojourn, tmp_path, link):
    (tmp_path / "path.toml").write_text(PATH.replace("{link}", LINKS[link]))
    (tmp_path / "steps.csv").write_text("time,rate\n0,1e6\n0.01,2e5\n0.02,\n")
    (tmp_path / "cell").write_text("40\n")
    _, agent = begun("agent", "sojourn://127.0.0.1:0")
    relay, address = begun(
        "relay", "--to", agent, "--scenario", str(tmp_path / "path.toml"), "--set", "run.duration=5 min"
    )

    measured = sojourn("measure", "path.toml", "--peer", f"sojourn://{address}", "--out", "measured")
    relay.send_signal(signal.SIGINT)
    relay.communicate(timeout=60)
    simulated = sojourn("run", "path.toml", "--out", "simulated", "--no-store")

    assert measured.returncode == 0, measured.stderr
    assert simulated.returncode == 0, simulated.stderr
    # the relay and both ends add some tenths of a millisecond, more on a busy host
    assert median(tmp_path / "measured") == pytest.approx(median(tmp_path / "simulated"), rel=0.15)
