"""The study of an FDDI adapter: the published values its control stage was fitted to, and its predictions."""

import tomllib
from pathlib import Path

import pytest

from sojourn.reference import read_published
from sojourn.results import read_results

ROOT = Path(__file__).resolve().parents[2]
PROFILE = tomllib.loads((ROOT / "profiles/fddi-adapter/demfa.toml").read_text())


@pytest.fixture(scope="module")
def measured(written_by):
    """The experiments with published numbers, as the study runs them."""
    return read_results(written_by("study", "fddi-adapter", "--experiment", "13", "--experiment", "7"))


@pytest.mark.parametrize("file", ["receive.csv", "transmit.csv"])
def test_every_published_rate_is_met_within_a_tenth(measured, file):
    rows = read_published(ROOT / "reference/kalkunte-1991" / file)
    assert len(rows) == 3
    for row in rows:
        assert row.found_in(measured) == pytest.approx(row.value, rel=0.1), row


def test_the_profile_has_the_residuals_of_a_run(measured):
    residuals = {row["quantity"]: row["model"] for row in PROFILE["residual"]}
    for quantity, experiment in (("dataless frames received", "13"), ("dataless frames sent", "7")):
        point = next(p for p in measured.select(experiment) if p.set["traffic.frame_size"] == 20)
        assert residuals[quantity] == f"{point['throughput'].mean / 1e6:.1f} Mbit/s"


def test_small_frames_are_bounded_by_the_control_stage_and_long_ones_by_the_ring(measured):
    for point in measured.select("13"):
        stages = {name: point[f"utilisation/{name}"].mean for name in ("control", "ring", "data-writes")}
        busiest = max(stages, key=stages.get)
        assert (busiest == "control") == (point.set["traffic.frame_size"] < 69) or stages[busiest] > 0.99


def test_the_report_contains_every_figure(adapter_study):
    drawn = {file.stem for file in (adapter_study / "figures").glob("*.svg")}
    assert {"3", "4", "5", "6", "7-8", "9", "10-11", "13", "14", "stages-receive", "budget-receive"} <= drawn
    assert all((adapter_study / "figures" / f"{name}.svg").stat().st_size > 5000 for name in drawn)
