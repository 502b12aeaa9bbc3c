"""Small results made by hand, so that every number a test expects can be worked out on paper."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from sojourn.results import Results

Build = Callable[..., Results]
COMPONENTS = {"sender-application": 0.25, "retransmission": 0.5, "receiver-network": 0.25}


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of unknown width, whatever that of the tests is."""
    monkeypatch.delenv("COLUMNS", raising=False)


def interval(values: list[float]) -> list[float] | None:
    """A 95 % interval of two or three values (Student's quantiles 12.706 and 4.303)."""
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = {2: 12.706, 3: 4.303}[len(values)] * deviation / math.sqrt(len(values))
    return [mean - half, mean + half]


def distribution(means: list[float]) -> dict[str, Any]:
    """A response time with these means by replication; its quantiles are fixed multiples of the mean."""
    mean = sum(means) / len(means)
    factors = {
        "min": 0.5,
        "min_mean": 0.6,
        "max": 4.0,
        "max_mean": 3.0,
        "p50": 0.9,
        "p90": 1.5,
        "p95": 1.8,
        "p99": 2.0,
        "p999": 3.0,
    }
    fields = {name: factor * mean for name, factor in factors.items()}
    counts = {"unit": "s", "count": 100 * len(means), "sd": mean / 4, "weak": ["p999"]}
    ends = {"ci95": interval(means), "p50_ci95": None, "p99_ci95": None}
    return counts | fields | ends | {"mean": mean, "by_replication": {"mean": means}}


def scalar(values: list[float], unit: str) -> dict[str, Any]:
    return {
        "unit": unit,
        "value": sum(values) / len(values),
        "ci95": interval(values),
        "by_replication": {"value": values},
    }


def budget(mean: float) -> dict[str, Any]:
    return {
        f"delay_budget/{name}": {
            "unit": "s",
            "mean": share * mean,
            "share": share,
            "slowest_mean": share * mean * 4,
            "slowest_share": share,
        }
        for name, share in COMPONENTS.items()
    }


def point(experiment: str, settings: dict[str, Any], metrics: dict[str, Any], replications: int = 2) -> dict[str, Any]:
    head = {"experiment": experiment, "set": settings, "status": "ok", "replications": replications}
    return head | {"duration": 600.0, "warm_up": 5.0, "metrics": metrics}


def results(
    points: list[dict[str, Any]], axes: dict[str, str | None], seed: int = 1, network: str = "lontalk"
) -> Results:
    head = {"schema": 1, "sojourn": "0.1.0", "commit": "abc1234", "study": "small", "network": network}
    tail = {"world": "simulated", "seed": seed, "scenario_hash": "00", "method": "replications, Student t"}
    return Results(head | tail | {"axes": {key: {"unit": unit} for key, unit in axes.items()}, "points": points})


@pytest.fixture
def loaded() -> Build:
    """Experiments over an offered load: response time in ms by load and replication, throughput as offered."""

    def build(times_ms: dict[str, dict[float, list[float]]], seed: int = 1) -> Results:
        points = []
        for experiment, by_load in times_ms.items():
            for load, times in by_load.items():
                seconds = [time / 1000 for time in times]
                carried = [min(load, 360.0) - index for index in range(len(times))]
                metrics = {
                    "response_time": distribution(seconds),
                    "throughput_l3": scalar(carried, "1/s"),
                    "throughput_l4": scalar([rate * 0.9 for rate in carried], "1/s"),
                    "collision_rate": scalar([load / 5000 for _ in times], "1"),
                    **budget(sum(seconds) / len(seconds)),
                }
                points.append(point(experiment, {"background.rate": load}, metrics, len(times)))
        return results(points, {"background.rate": "1/s"}, seed)

    return build


@pytest.fixture
def idle() -> Results:
    """Two services and two data sizes on an idle channel."""
    rates = {
        ("unacknowledged", 1): 326.0,
        ("unacknowledged", 31): 280.0,
        ("acknowledged", 1): 69.0,
        ("acknowledged", 31): 60.0,
    }
    points = []
    for (service, size), rate in rates.items():
        metrics = {
            "transaction_rate": scalar([rate - 1, rate + 1], "1/s"),
            "throughput": scalar([8 * size * rate, 8 * size * rate], "bit/s"),
            "response_time": distribution([1 / rate, 1 / rate]),
        }
        points.append(point("A", {"probe.service": service, "probe.data": size}, metrics))
    return results(points, {"probe.data": "B", "probe.service": None})


@pytest.fixture
def voice() -> Build:
    """Underflows and channels by packet size and background, in one experiment."""

    def build(counts: dict[tuple[int, float], tuple[int, int]]) -> Results:
        points = [
            point(
                "sppt",
                {"voice.samples": samples, "background.rate": rate},
                {"fifo_underflow": scalar([missed], "1"), "voice_channels": scalar([channels], "1")},
                1,
            )
            for (samples, rate), (missed, channels) in counts.items()
        ]
        return results(points, {"voice.samples": "1", "background.rate": "bit/s"}, network="fddi")

    return build


@pytest.fixture
def measured() -> Build:
    """A real network, idle and loaded, with requests of two sizes; the host's noise floor in seconds."""

    def build(floor_s: float | None = 60e-6) -> Results:
        means = {("idle", 64): 2e-4, ("idle", 1024): 2.5e-4, ("loaded", 64): 9e-3, ("loaded", 1024): 10e-3}
        floor = {} if floor_s is None else {"noise_floor": scalar([floor_s], "s")}
        points = [
            point(phase, {"probe.size": size}, {"response_time": distribution([mean]), **floor}, 1)
            for (phase, size), mean in means.items()
        ]
        return results(points, {"probe.size": "B"}, network="ip")

    return build
