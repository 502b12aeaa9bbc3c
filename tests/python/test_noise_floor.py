"""The noise floor and the test conditions of the measuring host in figures and reports."""

import json
from typing import Any

import pytest

from sojourn.figures import Figure, draw
from sojourn.report import regime
from sojourn.report.validity import validity
from sojourn.results import Results


def drawn(kind: str, of: Results, **more: Any) -> dict[str, Any]:
    figure = Figure.read({"id": kind, "kind": kind, "y": "response_time", "x": "probe.size", **more})
    return draw(figure, of).to_dict()


def layers(specification: dict[str, Any]) -> list[dict[str, Any]]:
    """All layers, those of panels, too."""
    found = list(specification.get("layer", []))
    for side in ("concat", "hconcat", "vconcat"):
        for panel in specification.get(side, []):
            found += layers(panel)
    return found


def bands(specification: dict[str, Any]) -> list[dict[str, Any]]:
    return [layer for layer in layers(specification) if layer["mark"]["type"] == "rect"]


@pytest.mark.parametrize("kind", ["lines", "distribution"])
def test_a_figure_of_response_times_shades_the_noise_floor(measured, kind: str) -> None:
    specification = drawn(kind, measured(60e-6))

    row = bands(specification)[0]["data"]["values"][0]
    label = json.dumps(specification, ensure_ascii=False)
    unit = 1e-6 if "(µs)" in label else 1e-3
    assert row["floor"] * unit == pytest.approx(60e-6)
    assert "below the noise floor, the loopback RTT of the measuring host, 60.0 µs" in " ".join(
        specification["title"]["subtitle"]
    )


@pytest.mark.parametrize("kind", ["lines", "distribution"])
def test_a_simulation_has_no_floor(measured, kind: str) -> None:
    specification = drawn(kind, measured(floor_s=None))

    assert not bands(specification)
    assert "loopback" not in " ".join(specification["title"]["subtitle"])


def test_a_logarithmic_axis_includes_a_near_floor_and_only_notes_a_far_one(measured) -> None:
    near, far = (drawn("distribution", measured(floor_s), scale={"x": "log"}) for floor_s in (60e-6, 6e-6))

    assert bands(near)[0]["data"]["values"][0] == {"floor": 0.06, "least": pytest.approx(0.048)}
    assert not bands(far)
    assert "The noise floor of the measuring host, 6 µs, is left of the axis" in " ".join(far["title"]["subtitle"])


def test_phases_of_a_measurement_are_separate_lines(measured) -> None:
    specification = drawn("distribution", measured(), experiments=["idle", "loaded"])

    domains = [
        layer["encoding"]["color"]["scale"]["domain"] for layer in layers(specification) if "color" in layer["encoding"]
    ]
    assert len(set(domains[0])) == 4, "every phase and size is a line"
    assert all(any(phase in word for phase in ("idle", "loaded")) for word in domains[0])


CIRCUMSTANCES = {
    "calibration": {
        "clock_cost_ns": 19.4,
        "sleep_lateness_s": [58e-6, 190e-6],
        "loopback_s": [31e-6, 60e-6, 400e-6],
        "starved": 0.04,
        "longest_gap_s": 0.004,
        "stamping": {"kernel_transmit": True, "kernel_receive": True},
        "regime": {
            "processors": 2,
            "online": 2,
            "free_processors": 1.93,
            "stolen": 0.0,
            "load": "idle",
            "scheduler": "normal",
            "pinned": False,
            "wake_limit_us": 0,
            "governor": None,
            "kernel": "6.18",
        },
    },
    "pacing": "hybrid",
    "margin_us": 247.0,
    "steps": [],
}


def test_the_report_states_the_noise_floor_and_the_test_conditions(measured) -> None:
    of = measured()
    of.provenance = {"circumstances": CIRCUMSTANCES}

    said = dict(validity(of, None).statements)

    assert "loopback RTT of this host is 60.0 µs (minimum 31.0 µs, p99 400 µs)" in said["Noise floor"]
    assert "kernel timestamps in both directions" in said["Noise floor"]
    assert said["Test conditions"].startswith("The host was idle: 1.9 of 2 CPUs free, normal scheduling, not pinned")
    assert "not pinned, CPU idle states disabled" in said["Test conditions"]
    assert "preempted for 4 % of the time, at most 4 ms at once" in said["Test conditions"]
    assert said["Pacing"] == (
        "Requests were sent after sleeping until 247 µs before the scheduled time, then spinning; "
        "timer wake-ups are 58 µs late (p99 190 µs)."
    )
    assert "Clock set" not in said


def test_a_clock_step_during_the_measurement_is_reported() -> None:
    stepped = CIRCUMSTANCES | {"steps": [{"at_s": 3.21, "by_s": -0.5}], "pacing": "sleep"}

    said = dict(regime.statements({"circumstances": stepped}))

    assert said["Clock set"] == "This host's clock was set by -0.500 s after 3.2 s."
    assert said["Pacing"].startswith("Requests were sent after sleeping alone; timer wake-ups are 58 µs late")


def test_a_simulation_has_no_test_conditions(measured) -> None:
    assert regime.statements(measured(floor_s=None).provenance) == []
