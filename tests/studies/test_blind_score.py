"""The frozen predictions against what was withheld until then: the scores that docs/concepts/fidelity.md states."""

from pathlib import Path

import pytest

from sojourn.comparison.published import against_published, blind_score
from sojourn.results import Results, read_results
from sojourn.study import load_study

ROOT = Path(__file__).resolve().parents[2]
SIZES = (64, 128, 256, 512, 1024, 2048)
MODERATE = (0.0, 0.1, 0.2)
"""Interference of the bus that leaves an adapter its bandwidth."""


def frozen(study: str) -> Results:
    return read_results(ROOT / "studies" / study / "predictions.json")


def at(results: Results, experiment: str, metric: str, field: str = "mean", **settings: float | str) -> float:
    """A metric of the point with these settings, whose keys have an underscore for their dot."""
    wanted = {key.replace("_", ".", 1): value for key, value in settings.items()}
    (point,) = [p for p in results.select(experiment) if wanted.items() <= p.set.items()]
    return point[metric].field(field)


@pytest.mark.parametrize(
    ("study", "source", "met", "values"),
    [
        ("voice-over-fddi", "uva-tr-92-05/load.csv", 150, 153),
        ("voice-over-fddi", "uva-tr-92-05/cpu-and-multicast.csv", 37, 90),
        ("packet-radio-networks", "kp4djt-rose-x1j/paclen-236.csv", 18, 24),
        ("lontalk-response-time", "lontalk-bulletin-1992/priority-and-services.csv", 9, 13),
        ("atm-lan-response-time", "chen-brandt-1995/efci-queue.csv", 1, 2),
        ("cubic-under-aqm", "heist-2020/pairs.csv", 32, 36),
        ("cubic-under-aqm", "heist-2020/single-flows.csv", 5, 5),
        ("power-line-channel", "echelon-plt22/design-rate.csv", 2, 3),
        ("dire-wolf-transfers", "langner-2019/transfers.csv", 12, 22),
    ],
)
def test_the_page_on_fidelity_states_the_score_of_numbers(study, source, met, values):
    rows = [row for row in load_study(study).published if row.source == source]

    score = blind_score(against_published(frozen(study), rows))

    assert score is not None
    assert (score.met, len(score.matches)) == (met, values)
    deviations = [match.deviation for match in score.missed]
    assert deviations == sorted(deviations, key=abs, reverse=True), "the worst miss comes first"
    page = (ROOT / "docs/concepts/fidelity.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith("|") and Path(source).name in line]
    assert f"{met} of {values}" in line
    assert f"{score.median_deviation:.1%}".replace("%", " %") in line


def test_per_vc_queues_answer_first_and_fifo_degrades_with_each_transfer():
    atm = frozen("atm-lan-response-time")

    def echo(experiment: str, streams: int, size: int) -> float:
        return at(atm, experiment, "response_time", background_streams=streams, probe_size=size)

    for size in SIZES:
        for streams in (1, 2, 3):
            assert echo("E2a", streams, size) < min(echo("E1", streams, size), echo("E3", streams, size))
        assert echo("E1", 1, size) == pytest.approx(echo("E2a", 1, size), rel=0.1), "no congestion"
        assert echo("E3", 1, size) > echo("E1", 1, size)
        assert echo("E1", 1, size) < echo("E1", 2, size) < echo("E1", 3, size)
        assert echo("E2a", 3, size) < echo("E3", 3, size) < echo("E1", 3, size)


def test_the_queue_under_efci_is_far_below_fifo_and_below_the_published_500_cells():
    atm = frozen("atm-lan-response-time")

    for streams, cells in ((2, 324), (3, 383)):
        queues = [at(atm, "E3", "queue_length", background_streams=streams, probe_size=size) for size in SIZES]
        assert sum(queues) / len(queues) == pytest.approx(cells, abs=1)
        fifo = at(atm, "E1", "queue_length", background_streams=streams, probe_size=64)
        assert sum(queues) / len(queues) < fifo / 2


def test_echoes_stay_at_the_initial_cell_rate():
    atm = frozen("atm-lan-response-time")
    initial = 10.6e6 / 424

    for size in SIZES[:-1]:
        rate = at(atm, "E3", "allowed_cell_rate", background_streams=1, probe_size=size)
        assert rate == pytest.approx(initial, rel=0.01)


def test_the_adapter_transmits_at_line_rate_on_its_own_bus_and_degrades_on_that_of_input_and_output():
    adapter = frozen("fddi-adapter")

    def throughput(configuration: str, interference: float) -> float:
        found = [
            point["throughput"].field("value")
            for point in adapter.select("6")
            if point.set["bus.configuration"] == configuration and point.set["bus.interference"] == interference
        ]
        return sum(found) / len(found)

    levels = (0.3, 0.4, 0.5, 0.6)
    assert all(throughput("cpu", level) == pytest.approx(100e6, rel=0.001) for level in MODERATE)
    shared = [throughput("io", level) for level in levels]
    assert shared == sorted(shared, reverse=True)
    assert shared[-1] < 0.8 * throughput("cpu", 0.6)


@pytest.mark.parametrize("frame", [33, 69, 1024])
def test_receive_latency_of_the_adapter_grows_with_interference(frame):
    adapter = frozen("fddi-adapter")

    latencies = [
        at(adapter, "9", "response_time", bus_configuration="cpu", bus_interference=level, traffic_frame_size=frame)
        for level in (0.0, 0.2, 0.4, 0.6)
    ]

    assert latencies == sorted(latencies)
