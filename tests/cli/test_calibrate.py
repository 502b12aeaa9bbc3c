"""`calibrate` on queues with constant service: a customer who never waits takes exactly the sum of his services."""

import json

import pytest

SCENARIO = """
[network]
kind = "queue"
[[station]]
name = "front"
service = { kind = "deterministic", mean = "4 ms" }
[[station]]
name = "back"
service = { kind = "deterministic", mean = "3 ms" }
[[flow]]
name = "customers"
path = ["front", "back"]
arrivals = { kind = "periodic", interval = "50 ms" }
probe = true
[run]
duration = "20 s"
warm_up = "1 s"
replications = 2
"""
HEAD = "experiment,station.back.service.mean,metric,field,value,unit,uncertainty,role"
ROWS = [
    "Q,0.003,response_time,mean,0.0085,s,0,calibration",
    "Q,0.005,response_time,mean,0.0105,s,0,calibration",
    "Q,0.009,response_time,mean,0.0145,s,0,calibration",
]
"""As a front service of 5.5 ms gives them."""


@pytest.fixture
def calibrate(sojourn, scenario, tmp_path):
    scenario(SCENARIO)

    def run(fit: str, *more: str, rows: list[str] = ROWS, head: str = HEAD):
        (tmp_path / "measured.csv").write_text("# our bench\n" + "\n".join([head, *rows]) + "\n")
        return sojourn("calibrate", "scenario.toml", "--fit", fit, "--against", "measured.csv", *more)

    return run


def test_a_known_service_time_is_recovered_from_points_made_with_it(calibrate):
    done = calibrate("station.front.service.mean", "--format", "json")

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["parameters"][0]["value"] == pytest.approx(0.0055, rel=1e-4)
    assert found["parameters"][0]["half_width"] < 1e-8
    assert found["deviation"] < 1e-6
    assert "evaluation 1: station.front.service.mean 4 ms: deviation" in done.stderr


def test_two_services_in_series_cannot_be_distinguished_and_are_named(calibrate):
    head = HEAD.replace("station.back.service.mean", "flow.customers.arrivals.interval")
    rows = [f"Q,{gap},response_time,mean,0.0105,s,0,calibration" for gap in ("0.05", "0.06", "0.07")]
    done = calibrate("station.front.service.mean,station.back.service.mean", rows=rows, head=head)

    assert done.returncode == 0, done.stderr
    warning = next(line for line in done.stderr.splitlines() if line.startswith("warning:"))
    assert "station.front.service.mean and station.back.service.mean cannot be distinguished" in warning
    assert done.stdout.count("not determined") == 2


def test_points_over_two_keys_are_simulated_each_at_its_own_setting(calibrate):
    head = HEAD.replace("metric,", "flow.customers.arrivals.interval,metric,", 1)
    rows = [
        row.replace(",response_time", f",{gap},response_time")
        for row, gap in zip(ROWS, (0.05, 0.06, 0.05), strict=True)
    ]
    done = calibrate("station.front.service.mean", "--format", "csv", rows=rows, head=head)

    assert done.returncode == 0, done.stderr
    columns, values = (line.split(",") for line in done.stdout.splitlines())
    assert float(dict(zip(columns, values, strict=True))["value"]) == pytest.approx(0.0055, rel=1e-4)


def test_predictions_in_the_file_are_not_fitted_to(calibrate):
    rows = [*ROWS, "Q,0.001,response_time,mean,0.1,s,0,prediction"]
    done = calibrate("station.front.service.mean", "--format", "json", rows=rows)

    found = json.loads(done.stdout)
    assert len(found["residuals"]) == 3
    assert found["parameters"][0]["value"] == pytest.approx(0.0055, rel=1e-4)


def test_only_the_metrics_named_are_fitted_to(calibrate):
    rows = [*ROWS, "Q,0.003,packet_rate,value,20,1/s,0,calibration"]
    done = calibrate("station.front.service.mean", "--metric", "response_time", "--format", "json", rows=rows)

    assert done.returncode == 0, done.stderr
    assert {row["metric"] for row in json.loads(done.stdout)["residuals"]} == {"response_time"}


def test_the_profile_runs_in_place_of_the_fitted_values(calibrate, sojourn, tmp_path):
    written = SCENARIO.replace(
        'service = { kind = "deterministic", mean = "4 ms" }', 'service = { kind = "deterministic", mean = "3 ms" }'
    )
    (tmp_path / "scenario.toml").write_text(written)
    head = HEAD.replace("station.back.service.mean", "flow.customers.arrivals.interval")
    rows = [f"Q,{gap},response_time,mean,0.011,s,0,calibration" for gap in ("0.05", "0.06")]
    done = calibrate("station.service.mean", "--out", "bench.toml", rows=rows, head=head)
    assert done.returncode == 0, done.stderr

    profile = (tmp_path / "bench.toml").read_text()
    assert 'value = "5.5 ms"' in profile
    assert 'fitted_to = "' in profile
    assert 'quantity = "response_time, Q, flow.customers.arrivals.interval = 60 ms"' in profile
    bare = written.replace(', mean = "3 ms"', "").replace('kind = "queue"', 'kind = "queue"\nprofile = "./bench.toml"')
    (tmp_path / "bare.toml").write_text(bare)
    run = sojourn("run", "bare.toml", "--format", "json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["points"][0]["metrics"]["response_time"]["mean"] == pytest.approx(0.011, rel=1e-6)


def test_an_existing_profile_is_replaced_only_with_overwrite(calibrate, tmp_path):
    (tmp_path / "bench.toml").write_text("precious")
    more = ("--set", "station.back.service.mean=4 ms", "--out", "bench.toml")

    refused = calibrate("station.service.mean", *more)
    assert refused.returncode == 2
    assert "--overwrite" in refused.stderr
    assert "evaluation" not in refused.stderr
    assert (tmp_path / "bench.toml").read_text() == "precious"

    assert calibrate("station.service.mean", *more, "--overwrite").returncode == 0
    assert "[[value]]" in (tmp_path / "bench.toml").read_text()
    assert sorted(path.name for path in tmp_path.glob("*unfinished*")) == []


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        ("station.front.servce.mean", "did you mean `service`?"),
        ("network.profile", "is not a number"),
        ("station.front.servers", "is an integer"),
        ("station.service.mean", "differs between members"),
        ("station.front.capacity", "is an integer"),
        ("flow.customers.arrivals.rate", "has no initial value"),
        ("station.front.service.mean,station.front.service.mean", "listed twice"),
    ],
)
def test_what_cannot_be_fitted_is_refused_before_anything_runs(calibrate, fit, message):
    done = calibrate(fit)

    assert done.returncode == 2
    assert message in done.stderr
    assert "evaluation" not in done.stderr


@pytest.mark.parametrize(
    ("rows", "head", "message"),
    [
        (ROWS, HEAD.replace("field,", ""), "measured.csv, line 2: column field missing"),
        (
            [ROWS[0].replace("0.0085", "fast"), *ROWS[1:]],
            HEAD,
            "measured.csv, line 3, column value: 'fast' is not a number",
        ),
        ([*ROWS[:2], ROWS[2].replace("calibration", "tuning")], HEAD, "line 5, column role: 'tuning'"),
        ([ROWS[0].removesuffix(",calibration")], HEAD, "line 3: fewer cells than columns"),
        ([row.replace("calibration", "prediction") for row in ROWS], HEAD, "predictions are not fitted to"),
        ([row.replace("response_time", "respnse_time") for row in ROWS], HEAD, "line 3: the scenario does not produce"),
        ([row.replace(",mean,", ",median,") for row in ROWS], HEAD, "response_time has no field 'median'"),
        ([row.replace(",s,", ",ms,") for row in ROWS], HEAD, "line 3, column unit: response_time is in s, not in 'ms'"),
        ([ROWS[0].replace("Q", "P"), *ROWS[1:]], HEAD, "contains P, Q: choose with --experiment"),
        (ROWS[:1], HEAD, "1 points do not determine 1 parameters"),
        ([row.replace("0.00", "-0.00", 1) for row in ROWS], HEAD, "outside its range"),
    ],
)
def test_errors_in_the_measured_points_are_reported_with_file_line_and_column(calibrate, rows, head, message):
    done = calibrate("station.front.service.mean", rows=rows, head=head)

    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
