"""Test conditions in reports."""

from sojourn.report import regime, setup, validity
from sojourn.results import Results


def conditions(load: str, free: float, floor_s: float) -> dict:
    return {
        "calibration": {
            "loopback_s": [floor_s / 2, floor_s, floor_s * 2],
            "regime": {"load": load, "free_processors": free, "online": 2},
        }
    }


def test_a_study_states_the_load_of_the_host_while_it_was_measured() -> None:
    measured = [conditions("saturated", 0.1, 6e-5), conditions("saturated", 0.3, 7e-5), conditions("idle", 1.9, 5e-5)]
    ((title, text),) = regime.statements({"measured_under": measured})

    assert title == "Test conditions"
    assert "saturated in 2 of 3, idle in 1 of 3 measurements: 0.1 to 1.9 of 2 CPUs free" in text
    assert "noise floor 50.0 µs to 70 µs" in text
    assert "Other processes ran on it" in text


def test_an_idle_host_has_no_warning() -> None:
    ((_, text),) = regime.statements({"measured_under": [conditions("idle", 1.9, 5e-5)]})
    assert "Other processes" not in text


def test_the_measured_half_of_a_study_is_not_a_variant(loaded) -> None:
    results = loaded({"D": {100.0: [15, 16]}, "D+measured": {100.0: [25, 26]}, "D+slow": {100.0: [35, 36]}})
    table = validity.sensitivity(results, None)
    assert table is not None and {row[0] for row in table.rows} == {"D+slow"}


def test_the_set_up_of_a_measurement_lists_peer_options_and_phases(loaded, tmp_path) -> None:
    raw = loaded({"idle": {100.0: [15, 16]}}).raw | {"world": "live", "network": "sojourn"}
    request = {"command": "measure", "peer": "sojourn://host", "load": ["tcp:4"], "set": [], "over": [], "expect": []}
    options = [{"key": "run.duration", "value": "3 s", "argument": "--duration 3 s"}]
    provenance = {"request": request | {"options": options}, "host": "near", "platform": "x86_64 linux", "began": "now"}

    section = setup.setup(Results(raw, provenance=provenance), tmp_path, None)

    assert section.measurement is not None
    rows = dict(section.measurement.rows)
    assert rows["Peer"] == "sojourn://host"
    assert rows["Options"] == "--duration 3 s; --load 'tcp:4'"
    assert rows["Measured"].startswith("idle, 2 × ")
