"""Streams and calls are probes like requests: loss, warm-up, recovery, comparison and bounds of them."""

import json

import pytest

PATH = """
[network]
kind = "{kind}"

[[medium]]
name = "line"
{medium}

[[station]]
name = "a"

[[station]]
name = "b"

[[flow]]
name = "sensor"
from = "a"
to = "b"
{service}
probe = true

[run]
duration = "20 s"
{warm_up}
replications = 4
"""
STREAM = 'service = "stream"\nsize = "100 B"\narrivals = { kind = "periodic", interval = "20 ms" }'
CALL = 'service = "voice"\nvoice = { codec = "g711" }'
CUT = '\n[[event]]\nname = "cut"\naction = "down"\nmedia = ["line"]\nat = "8 s"\nduration = "2 s"\n'


@pytest.fixture
def path(tmp_path):
    """A file of one flow between two hosts."""

    def write(service=STREAM, medium='delay = "20 ms"', more="", warm_up='warm_up = "2 s"', name="path.toml"):
        file = tmp_path / name
        file.write_text(PATH.format(kind="ip", medium=medium, service=service, warm_up=warm_up) + more)
        return file

    return write


def metrics(sojourn, file, *more):
    done = sojourn("run", file, "--format", "json", *more)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["points"][0]["metrics"]


@pytest.mark.parametrize("service", [STREAM, CALL])
def test_the_loss_of_a_stream_and_of_a_call_is_the_loss(sojourn, path, service):
    found = metrics(sojourn, path(service, 'delay = "20 ms"\nloss = "10 %"'))

    assert found["loss"]["value"] == pytest.approx(0.1, abs=0.02)
    assert found["loss/sensor"]["value"] == found["loss"]["value"]


def test_an_expected_loss_is_judged_by_it(sojourn, path):
    done = sojourn("run", path(medium='delay = "20 ms"\nloss = "10 %"', more='\n[expect]\nloss = "< 1 %"\n'))

    assert "loss < 1 %: missed" in " ".join(done.stderr.split())
    assert done.returncode == 1


@pytest.mark.parametrize("service", [STREAM, CALL])
def test_the_warm_up_is_found_by_the_delay_of_what_is_probed(sojourn, path, service):
    done = sojourn("run", path(service, warm_up=""), "--format", "json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"][0]["warm_up"] < 20


def test_where_nothing_is_sampled_check_says_so_before_a_run(sojourn, path):
    file = path(warm_up="")
    file.write_text(file.read_text().replace("probe = true\n", ""))

    done = sojourn("check", file)

    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "nothing is sampled by which the length of the warm-up could be found" in said
    assert "give run.warm_up" in said and "probe = true" in said


@pytest.mark.parametrize("service", [STREAM, CALL])
def test_a_stream_and_a_call_recover_when_packets_arrive_again(sojourn, path, service):
    found = metrics(sojourn, path(service, more=CUT))

    assert found["unrecovered/cut"]["value"] == 0
    assert found["recovery_time/cut"]["mean"] == pytest.approx(2.0, abs=0.1)
    assert found["one_way_delay/timeline"]["sent"], "and over time"
    # 2 s of 20 s are cut
    assert found["loss"]["value"] == pytest.approx(0.1, abs=0.01)


def test_two_results_of_streams_are_compared_by_delay_and_loss(sojourn, path, tmp_path):
    for name, loss in (("few", "1 %"), ("many", "10 %")):
        file = path(medium=f'delay = "20 ms"\nloss = "{loss}"', name=f"{name}.toml")
        assert sojourn("run", file, "--out", tmp_path / name).returncode == 0

    done = sojourn("compare", tmp_path / "few", tmp_path / "many")

    assert done.returncode == 1, "they differ"
    assert "loss" in done.stdout and "0 of 0" not in done.stdout


@pytest.mark.parametrize("service", [STREAM, CALL])
def test_the_largest_simulated_delay_stands_beside_the_bound(sojourn, path, service):
    done = sojourn("bound", path(service, medium='rate = "10 Mbit/s"\ndelay = "20 ms"'), "--format", "json")

    rows = [row for row in json.loads(done.stdout)["bounds"] if row["metric"] == "one_way_delay/sensor"]
    assert rows
    for row in rows:
        assert 0.02 < row["simulated_max"] <= row["delay"]


def test_what_does_not_apply_is_null_and_a_dash(sojourn, path):
    file = path()

    found = metrics(sojourn, file)

    for name in ("response_time", "retransmissions", "transaction_failures", "marks"):
        metric = found[name]
        assert metric["applies"] is False, name
        assert metric.get("value") is None and metric.get("mean") is None
    done = sojourn("run", file)
    assert "retransmissions" not in done.stdout


def test_polls_that_cannot_keep_their_cycle_say_so(sojourn, tmp_path):
    text = """
[network]
kind = "lontalk"

[channel]
channel = "TP/FT-10"

[[station]]
name = "device"
count = 60

[[station]]
name = "supervisor"

[[flow]]
name = "poll"
from = "supervisor"
to = "device"
service = "request"
probe = true
arrivals = { kind = "poll", cycle = "CYCLE" }

[run]
duration = "30 s"
replications = 2
"""
    notes = {}
    for cycle in ("500 ms", "5 s"):
        (tmp_path / "polls.toml").write_text(text.replace("CYCLE", cycle))
        notes[cycle] = sojourn("run", "polls.toml", "--no-store").stderr

    said = "a round over 60 receivers takes longer on average than the 500 ms that were asked for"
    assert said in " ".join(notes["500 ms"].split())
    assert "takes longer on average" not in notes["5 s"]


@pytest.mark.parametrize(
    ("service", "metric", "instead"),
    [
        (STREAM, "response_time.p99 < 1 s", "write `one_way_delay`"),
        (STREAM, "mos > 4", "write `one_way_delay` or `loss`"),
        (CALL, "response_time.mean < 1 s", "write `one_way_delay`"),
    ],
)
def test_a_condition_on_what_another_service_samples_is_refused(sojourn, tmp_path, service, metric, instead):
    text = PATH.format(kind="ip", medium='rate = "1 Mbit/s"', service=service, warm_up="").replace("probe = true\n", "")
    (tmp_path / "path.toml").write_text(text if service == CALL else text.replace(service, f"{service}\nprobe = true"))
    found = sojourn("find", "path.toml", "--vary", "medium.line.rate=1:9 Mbit/s", "--until", metric, "--no-store")

    assert found.returncode == 2, found.stdout
    assert instead in found.stderr
