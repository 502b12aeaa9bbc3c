"""The study of voice on FDDI against the tables its host costs were fitted to, and its predictions."""

import json

import pytest

from sojourn.reference import read_published
from sojourn.results import read_results

TICK_S = 81.3e-6


@pytest.fixture(scope="module")
def measured(written_by):
    """Voice alone and multicast without background, with a shorter transfer than the study's."""
    arguments = (
        "study",
        "voice-over-fddi",
        "--experiment",
        "basic",
        "--experiment",
        "multicast",
        "--replications",
        "1",
    )
    return read_results(written_by(*arguments, "--set", "probe.transfer=512 KiB"))


def deviations(results, file, metric, field):
    """Relative deviation from the published numbers."""
    from sojourn.paths import find_reference  # noqa: PLC0415

    rows = [row for row in read_published(find_reference(file)) if (row.metric, row.field) == (metric, field)]
    assert len(rows) == 10
    return [row.found_in(results) / row.value - 1 for row in rows]


@pytest.mark.parametrize(
    ("metric", "field", "limit"), [("response_time", "mean", 0.03), ("response_time", "p999", 0.04)]
)
def test_the_latencies_of_voice_alone_are_those_of_the_table(measured, metric, field, limit):
    assert max(map(abs, deviations(measured, "uva-tr-92-05/basic.csv", metric, field))) < limit


def test_the_periods_of_the_stream_are_those_of_the_table(measured):
    assert max(map(abs, deviations(measured, "uva-tr-92-05/basic.csv", "packet_rate", "value"))) < 0.03


def test_the_channels_are_those_of_the_table_to_one_or_5_percent(measured):
    from sojourn.paths import find_reference  # noqa: PLC0415

    for row in read_published(find_reference("uva-tr-92-05/basic.csv")):
        if row.metric == "voice_channels":
            assert abs(row.found_in(measured) - row.value) <= max(1, 0.05 * row.value), row


def test_the_latencies_to_two_receivers_are_those_published(measured):
    assert max(map(abs, deviations(measured, "uva-tr-92-05/multicast.csv", "response_time", "mean"))) < 0.05


def test_the_99_9th_percentiles_are_whole_clock_ticks(measured):
    for point in measured.select("basic"):
        ticks = point["response_time"].field("p999") / TICK_S
        assert ticks == pytest.approx(round(ticks), abs=1e-6)


def test_eight_samples_are_too_few_for_one_channel_and_32_are_enough(measured):
    underflows = {point.set["voice.samples"]: point["fifo_underflow"].mean for point in measured.select("basic")}
    assert underflows[8] > 0
    assert all(count == 0 for samples, count in underflows.items() if samples >= 32)


def test_the_delay_budget_adds_up_to_the_mean_latency(measured):
    for point in measured:
        parts = sum(point[f"delay_budget/{name}"].field("mean") for name in point.components)
        assert parts == pytest.approx(point["response_time"].mean, rel=1e-9)


def test_the_report_contains_every_figure(voice_study):
    drawn = {file.stem for file in (voice_study / "figures").glob("*.svg")}
    assert {"1", "2", "7", "8", "9", "13", "budget"} <= drawn
    assert all((voice_study / "figures" / f"{name}.svg").stat().st_size > 5000 for name in drawn)
    points = json.loads((voice_study / "results.json").read_text())["points"]
    assert {point["experiment"] for point in points} == {"basic", "sppt", "mppt", "loss", "cpu", "multicast", "router"}
