"""`bound` beside a measurement, and the bounds of outputs with classes."""

import json
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "ethernet-voice.toml"
QUICK = ("--set", "run.duration=1 s", "--replications", "2", "--no-store")


def rows_of(done, folder: Path) -> dict[tuple[str, str], dict]:
    assert done.returncode == 0, done.stderr
    rows = json.loads((folder / "results.json").read_text())["bounds"]
    return {(row["flow"], row["hop"]): row for row in rows}


def unwrapped(message: str) -> str:
    return " ".join(message.replace("│", " ").split())


@pytest.fixture
def measured(tmp_path):
    """Results of a measurement with this largest round trip."""

    def write(largest: float, world: str = "live", points: int = 1) -> Path:
        metrics = {"response_time": {"unit": "s", "count": 9, "max": largest}, "loss": {"unit": "1", "value": 0.0}}
        file = tmp_path / "live.json"
        file.write_text(json.dumps({"schema": 1, "world": world, "points": [{"metrics": metrics}] * points}))
        return file

    return write


def test_the_largest_measured_value_stands_beside_bound_and_simulation(sojourn, measured, tmp_path):
    done = sojourn("bound", EXAMPLE, *QUICK, "--measured", measured(0.0151), "--out", "out")

    row = rows_of(done, tmp_path / "out")["voice", "end to end"]
    assert row["measured_max"] == 0.0151
    assert row["simulated_max"] < row["measured_max"] < row["delay"]
    assert " measured" in done.stdout
    assert "15.1 ms" in done.stdout


def test_of_a_measurement_with_load_the_largest_of_all_phases_stands_there(sojourn, measured, tmp_path):
    file = measured(0.0151, points=3)
    results = json.loads(file.read_text())
    for point, phase in zip(results["points"], ["idle", "loaded", "recovery"], strict=True):
        point["experiment"] = phase
    results["points"][1]["metrics"]["response_time"]["max"] = 0.0162
    file.write_text(json.dumps(results))
    done = sojourn("bound", EXAMPLE, *QUICK, "--measured", file, "--out", "out")

    assert rows_of(done, tmp_path / "out")["voice", "end to end"]["measured_max"] == 0.0162


def test_a_measured_value_above_its_bound_says_that_the_scenario_is_not_that_network(sojourn, measured):
    done = sojourn("bound", EXAMPLE, *QUICK, "--measured", measured(0.2))

    assert "response_time: 200 ms was measured, above the bound of 19.2 ms" in unwrapped(done.stderr)


@pytest.mark.parametrize(
    ("world", "points", "why"), [("simulated", 1, "were simulated"), ("live", 2, "2 points were measured")]
)
def test_results_that_are_no_one_measurement_are_refused(sojourn, measured, world, points, why):
    done = sojourn("bound", EXAMPLE, *QUICK, "--measured", measured(0.1, world, points))

    assert done.returncode == 2
    assert why in unwrapped(done.stderr)


@pytest.mark.parametrize(
    ("queue", "theorem", "most"),
    [
        ('{ kind = "priority" }', "what higher classes leave", 0.008),
        ('{ kind = "fq-codel", queues = "exact", quantum = "300 B" }', "flow queuing", 0.019),
        ('{ kind = "htb", rate = "1 Mbit/s", shaping = { rate = "9 Mbit/s" } }', "a class's guaranteed rate", 0.019),
    ],
)
def test_classes_and_flow_queues_bound_voice_below_first_in_first_out(sojourn, tmp_path, queue, theorem, most):
    done = sojourn("bound", EXAMPLE, *QUICK, "--set", f"medium.trunk.queue={queue}", "--out", "out")

    rows = rows_of(done, tmp_path / "out")
    voice = rows["voice", "end to end"]
    assert voice["simulated_max"] < voice["delay"] < most
    assert rows["voice", "s1/s2"]["theorem"].startswith(theorem)


def test_hashed_flow_queues_have_no_bound_and_say_how_likely_a_collision_is(sojourn, tmp_path):
    done = sojourn("bound", EXAMPLE, *QUICK, "--set", "medium.trunk.queue={ kind = 'fq-codel' }", "--out", "out")

    rows = json.loads((tmp_path / "out" / "results.json").read_text())["bounds"]
    (why,) = {row["why"] for row in rows if (row["flow"], row["hop"]) == ("voice", "s1/s2")}
    assert "some share one with probability 0.29 %" in why
    assert 'queues = "exact"' in why
    assert done.returncode == 1, "the example expects a bound"


SHAPED = """[network]
kind = "ip"

[[medium]]
name = "line"
rate = "10 Mbit/s"

[[station]]
name = "near"

[[station]]
name = "far"

[[flow]]
name = "frames"
from = "near"
to = "far"
service = "stream"
size = "4000 B"
arrivals = { kind = "periodic", interval = "50 ms" }
shaping = { rate = "1 Mbit/s", burst = "1600 B" }
probe = true

[[flow]]
name = "call"
from = "near"
to = "far"
service = "voice"
voice = { codec = "g711" }
"""


def test_a_shaper_before_the_network_is_part_of_the_bound(sojourn, tmp_path):
    (tmp_path / "shaped.toml").write_text(SHAPED)
    done = sojourn("bound", "shaped.toml", *QUICK, "--out", "out")

    row = rows_of(done, tmp_path / "out")["frames", "end to end"]
    # 4 kB in three packets at 1 Mbit/s, of which the first finds a full bucket; the bound has two such messages at once
    assert 0.019 < row["simulated_max"] <= row["delay"] < 0.1


def test_marking_before_the_network_has_no_bound(sojourn, tmp_path):
    marking = 'marking = { kind = "single-rate", rate = "1 Mbit/s", burst = "8 kB", excess_burst = "8 kB" }'
    marked = SHAPED.replace("shaping = {", f"dscp = 10\n{marking}\nshaping = {{")
    (tmp_path / "marked.toml").write_text(marked)
    done = sojourn("bound", "marked.toml", *QUICK)

    assert "a meter decides which packets are dropped" in unwrapped(done.stdout + done.stderr)


def test_each_direction_of_a_call_has_its_largest_delay_beside_its_bound(sojourn, tmp_path):
    (tmp_path / "shaped.toml").write_text(SHAPED)
    rows = rows_of(sojourn("bound", "shaped.toml", *QUICK, "--out", "out"), tmp_path / "out")

    for direction in ("call", "call (back)"):
        row = rows[direction, "end to end"]
        assert 0 < row["simulated_max"] <= row["delay"]
