"""The band of the next measurement, held against measurements that were simulated with a known truth."""

import math
import random
from pathlib import Path

import pytest

from sojourn.bands import Gaussian, of_scenario, with_band
from sojourn.bands.band import ends
from sojourn.bands.draws import draws
from sojourn.bands.others import of_others
from sojourn.calibrate import calibrate, profile
from sojourn.jobs import run_job
from sojourn.reference import Published
from sojourn.results import Results
from sojourn.scenario import Scenario

SERVER = """
[network]
kind = "queue"

[[station]]
name = "server"
service = {{ kind = "{law}" }}

[[flow]]
name = "customers"
path = ["server"]
arrivals = {{ kind = "poisson", rate = "{rate} /s" }}
probe = true

[run]
duration = "40 s"
warm_up = "2 s"
replications = 6
"""
RATES = (20, 40, 60, 70, 80, 90)
HEAD = "experiment,flow.customers.arrivals.rate,metric,field,value,unit,uncertainty,role\n"


def server(folder: Path, law: str, *changes: str) -> Scenario:
    path = folder / f"{law}.toml"
    path.write_text(SERVER.format(law=law, rate=50), encoding="utf-8")
    return Scenario(path, changes)


def measured(truth: Scenario, rate: float, seed: int) -> float:
    """The mean response time of one measurement of 40 s."""
    changed = truth.set("flow.customers.arrivals.rate", f"{rate} /s")
    outcome = run_job(changed.request("run", seed=seed, replications=1))
    return float(outcome.results["response_time"].mean)


def calibrated(folder: Path, truth: Scenario, seed: int, *changes: str):
    """The exponential server, fitted to one measurement at each rate, and what the fit found."""
    rows = [f"bench,{rate},response_time,mean,{measured(truth, rate, seed + rate)},s,0,calibration\n" for rate in RATES]
    (folder / "measured.csv").write_text(HEAD + "".join(rows), encoding="utf-8")
    guess = server(folder, "exponential", "station.service.mean=6 ms", *changes)
    found = calibrate(guess, ["station.service.mean"], folder / "measured.csv", options={"seed": seed})
    (folder / "server.toml").write_text(profile(found, "server", "simulated"), encoding="utf-8")
    return server(folder, "exponential", f"network.profile={folder / 'server.toml'}"), found


def is_held(folder: Path, number: int) -> bool:
    """Whether the next measurement of a server of unknown speed lies in the band that its calibration gives."""
    drawn = random.Random(number)
    truth = server(folder, "exponential", f"station.service.mean={drawn.uniform(5.0, 8.0)} ms")
    fitted, _ = calibrated(folder, truth, 1000 * number)
    rate = drawn.uniform(20.0, 90.0)
    asked = fitted.set("flow.customers.arrivals.rate", f"{rate} /s").request("run", seed=1000 * number + 300)
    outcome = with_band(run_job(asked), asked, of_scenario(fitted))
    low, high = outcome.results["response_time"].raw["band95"]
    return low <= measured(truth, rate, 1000 * number + 900) <= high


def test_the_next_measurement_is_in_the_band_of_seven_in_eight_calibrations_or_more(tmp_path):
    # with a probability of 95 % each, 8 have 7 or more with one of 94 %
    assert sum(is_held(tmp_path, number) for number in range(8)) >= 7


@pytest.mark.nightly
def test_of_200_calibrations_93_to_98_in_100_hold_the_next_measurement(tmp_path, capsys):
    # 195 do; the discrepancy of a right model is estimated above zero, which makes its bands a little wide
    inside = 0
    for number in range(200):
        inside += is_held(tmp_path, number)
        if (number + 1) % 10 == 0:
            with capsys.disabled():
                print(f"{inside} of {number + 1} next measurements lie in their band", flush=True)
    assert 186 <= inside <= 196


def test_a_server_of_another_service_distribution_shows_in_the_discrepancy(tmp_path):
    # by Pollaczek and Khinchine a constant service waits half as long: no mean of an exponential one fits all rates
    long = "run.duration=400 s"
    truths = (server(tmp_path, law, "station.service.mean=8 ms", long) for law in ("deterministic", "exponential"))
    (_, wrong), (_, right) = (calibrated(tmp_path, truth, 7, long) for truth in truths)

    assert wrong.doubt.is_systematic and wrong.doubt.discrepancy > 0.03
    assert not right.doubt.is_systematic and right.doubt.discrepancy < 0.03


def test_the_discrepancy_widens_the_band_and_leaves_the_confidence_interval(tmp_path):
    fitted, _ = calibrated(tmp_path, server(tmp_path, "exponential", "station.service.mean=6 ms"), 11)
    request = fitted.request("run", seed=5)
    plain, known = run_job(request), of_scenario(fitted)
    found = [with_band(plain, request, Gaussian(**vars(known) | {"discrepancy": off})) for off in (0.0, 0.3)]
    widths = []
    for outcome in found:
        time = outcome.results["response_time"]
        assert time.raw["ci95"] == plain.results["response_time"].raw["ci95"]
        widths.append(time.raw["band95"][1] - time.raw["band95"][0])

    assert widths[1] > 3 * widths[0] > 0


def gaussian(**changed: object) -> Gaussian:
    """Two parameters with a correlation of one half."""
    fields = {
        "profile": "p",
        "network": "queue",
        "values": {},
        "keys": ["a", "b"],
        "suffixes": ["s", ""],
        "mean": [1.0, 2.0],
    }
    fields |= {"covariance": [[0.04, 0.02], [0.02, 0.04]], "freedom": 1000, "discrepancy": 0.1}
    return Gaussian(**fields | {"ranges": [(-math.inf, math.inf)] * 2} | changed)


def moments(values: list[float], others: list[float]) -> tuple[float, float, float]:
    mean, other = sum(values) / len(values), sum(others) / len(others)
    product = sum((a - mean) * (b - other) for a, b in zip(values, others, strict=True)) / len(values)
    return mean, sum((a - mean) ** 2 for a in values) / len(values), product


def test_draws_have_the_mean_and_the_covariance_of_the_fit():
    drawn = draws(gaussian(), 1, 4000)
    first, second = ([draw.parameters[place] for draw in drawn] for place in (0, 1))
    mean, variance, covariance = moments(first, second)

    assert mean == pytest.approx(1.0, abs=0.01) and variance == pytest.approx(0.04, rel=0.08)
    assert covariance == pytest.approx(0.02, rel=0.15)
    assert moments([draw.factor(0.1) for draw in drawn], first)[1] == pytest.approx(0.01, rel=0.08)


def test_what_was_predicted_has_the_discrepancy_of_the_other_experiments_by_their_root_mean_square():
    def published(experiment: str, value: float, role: str = "prediction", uncertainty: float = 0.0) -> Published:
        return Published(experiment, {}, "response_time", "mean", value, "s", uncertainty, role, "lab/rows.csv")

    metrics = {"response_time": {"unit": "s", "mean": 1.0}}
    points = [{"experiment": name, "set": {}, "metrics": metrics} for name in ("a", "b", "c", "d")]
    results = Results({"points": points, "axes": {}})
    # a is 30 % off, b 40 % and 0 %, c 20 % of which 10 % cannot be read; d was fitted to
    rows = [published("a", 1.3), published("b", 0.6), published("b", 1.0), published("c", 1.2, uncertainty=0.1)]
    found = of_others([*rows, published("d", 5.0, "calibration")], results)

    mean_squares = {"a": 0.3**2, "b": 0.4**2 / 2, "c": 0.1**2}
    expected = {name: math.sqrt((sum(mean_squares.values()) - own) / 2) for name, own in mean_squares.items()}
    assert found == pytest.approx(expected)
    assert of_others(rows[:1], results) == {}


def test_the_same_seed_gives_the_same_draws_and_another_one_others():
    assert draws(gaussian(), 1, 5) == draws(gaussian(), 1, 9)[:5]
    assert draws(gaussian(), 1, 1) != draws(gaussian(), 2, 1)


def test_a_variance_of_few_degrees_of_freedom_spreads_as_student_has_it():
    # the variance of Student's t with 6 degrees of freedom is 6/4
    first = [draw.parameters[0] for draw in draws(gaussian(freedom=6), 1, 4000)]
    assert moments(first, first)[1] == pytest.approx(1.5 * 0.04, rel=0.15)


def test_draws_stay_within_the_ranges_of_their_keys():
    drawn = draws(gaussian(ranges=[(0.9, 1.1), (2.0, math.inf)]), 1, 200)
    assert all(0.9 <= draw.parameters[0] <= 1.1 and draw.parameters[1] >= 2.0 for draw in drawn)


def test_one_of_forty_lies_beyond_each_end_of_the_band():
    # the next of 80 exchangeable values is below the second smallest of the other 79 with a probability of 2/80
    assert ends([float(value) for value in range(79, 0, -1)]) == (2.0, 78.0)
    assert ends([float(value) for value in range(39)]) == (0.0, 38.0)
