"""The answer of a measurement in words."""

import pytest

from sojourn import catalogue, phases, phrases
from sojourn.cli import summary
from sojourn.results import Results


@pytest.fixture
def measured(loaded) -> Results:
    """An idle, a loaded and a recovery phase with medians of 20, 83.8 and 20 ms; 4 % lost under load."""
    results = loaded({"D": {100.0: [15, 16]}})
    (first,) = results.raw["points"]
    times = first["metrics"]["response_time"]
    results.raw |= {"world": "live", "network": "sojourn", "axes": {}, "points": []}
    for name, median, lost in (("idle", 0.02, 0.0), ("loaded", 0.0838, 0.04), ("recovery", 0.02, 0.0)):
        found = times | {"p50": median, "p99": 2 * median, "count": round(1000 * (1 - lost)), "sent": 1000}
        rates = {"loss": lost, "loss/forward": 0.75 * lost, "loss/return": 0.25 * lost, "outages": 0.0}
        metrics = {key: {"unit": "1", "value": value, "ci95": None} for key, value in rates.items()}
        metrics |= {"response_time": found, "responsiveness": {"unit": "1/s", "value": 0.95 / median, "ci95": None}}
        results.raw["points"].append(first | {"experiment": name, "set": {}, "metrics": metrics})
    return Results(results.raw)


def test_the_first_three_statements_are_latency_loss_and_outages(measured) -> None:
    assert phases.answer(measured) == [
        (
            "Latency",
            "20 ms idle (99 % within 40 ms); 83.8 ms under load (99 % within 168 ms), 4.19 times the idle median.",
        ),
        (
            "Loss",
            "0.00 % idle; 4.00 % under load (3.00 % on the forward path, 1.00 % on the return path); "
            "0.00 % after the load.",
        ),
        ("Outages", "None."),
        (
            "Bufferbloat",
            "Grade C: load adds 63.8 ms at the median; responsiveness under load 680 RPM (round trips per minute).",
        ),
    ]


def test_the_terminal_begins_with_them(measured) -> None:
    lines = summary.of_phases(measured).splitlines()
    assert [line.split(":")[0] for line in lines if ":" in line[:12]] == ["Latency", "Loss", "Outages", "Bufferbloat"]


def test_an_outage_and_a_phase_without_a_response_are_stated(measured) -> None:
    outage = {"replication": 0, "begin": 7.0, "end": 17.0, "duration": 10.0, "requests": 1000, "cause": None}
    point = measured.raw["points"][1]
    point["outages"] = [outage]
    dead = dict.fromkeys(("mean", "p50", "p99"))
    point["metrics"]["response_time"] |= dead | {"count": 0}
    said = dict(phases.answer(Results(measured.raw)))

    assert said["Latency"].endswith("; no valid response under load.")
    assert said["Outages"].startswith("1 outage, 10 s without a valid response: replication 1, from 7.0 s to 17.0 s")
    assert "Bufferbloat" not in said


def test_without_a_loss_the_number_of_requests_is_stated(measured) -> None:
    for point in measured.raw["points"]:
        point["metrics"]["loss"]["value"] = 0.0
    assert dict(phases.answer(Results(measured.raw)))["Loss"] == "None of 3000 requests."

    for point in measured.raw["points"]:
        point["metrics"]["loss"]["ci95"] = [0.0, 0.000037]
    said = dict(phases.answer(Results(measured.raw)))["Loss"]
    assert said == "None of 3000 requests; at most 0.0037 % of a phase (95 % confidence)."


def test_a_rare_loss_is_not_none(measured) -> None:
    for point in measured.raw["points"]:
        point["metrics"]["loss"]["value"] = 1e-5
    said = dict(phases.answer(Results(measured.raw)))["Loss"]
    assert said.startswith("< 0.01 % idle (0.00 % on the forward path, ")


def test_an_outage_across_phases_is_one_with_the_cause_of_either(measured) -> None:
    idle, loaded, _ = measured.raw["points"]
    outage = {"replication": 0, "requests": 1, "duration": 1.0}
    idle["outages"] = [outage | {"begin": 9.0, "end": 10.0, "cause": "host unreachable"}]
    loaded["outages"] = [outage | {"begin": 10.0, "end": 11.0, "cause": None}]

    said = dict(phases.answer(Results(measured.raw)))["Outages"]
    assert said.startswith("1 outage, 2 s without a valid response: ")
    assert said.endswith("from 9.0 s to 11.0 s, 2 requests failed (host unreachable).")


def test_failures_of_a_service_are_stated_by_kind_with_their_time(measured) -> None:
    idle = measured.raw["points"][0]["metrics"]
    idle["failures/http_503"] = {"unit": "1", "value": 40.0, "ci95": None}
    idle["failures/refused"] = {"unit": "1", "value": 0.0, "ci95": None}
    idle["failure_time/http_503"] = idle["response_time"] | {"p50": 0.005}

    assert dict(phases.answer(measured))["Failures"] == "40 × HTTP status 503 idle, after 5 ms at the median."


def test_a_simulation_has_no_phases(measured) -> None:
    measured.raw["world"] = "simulated"
    assert phases.answer(measured) == []


@pytest.mark.parametrize(("scheme", "label"), [("sojourn", "Request size"), ("kiss+tcp", "Block size")])
def test_the_keys_of_a_measurement_by_url_have_the_labels_of_its_kind_of_network(scheme, label) -> None:
    (axis,) = catalogue.axes(scheme, {"probe.size": "B"}).values()
    assert phrases.setting(axis.key, 64, axis) == f"{label.lower()} 64 bytes"


@pytest.mark.parametrize(
    ("rise_s", "grade"), [(-0.001, "A+"), (0.0049, "A+"), (0.005, "A"), (0.059, "B"), (0.2, "D"), (0.4, "F")]
)
def test_the_grade_follows_the_rise_of_latency(rise_s, grade) -> None:
    assert phases.bufferbloat_grade(rise_s) == grade
