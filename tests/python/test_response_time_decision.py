"""A quantile is met or missed with the error that was claimed, although a busy neighbour slows calls in a row."""

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest

from sojourn.timed.binomial import beta, high_share, low_share
from sojourn.timed.decision import MET, MISSED, UNDECIDED, Decision, Limit
from sojourn.timed.dependence import dependence
from sojourn.timed.outcome import outcome
from sojourn.timed.pauses import is_pause
from sojourn.timed.sampler import Series, sample, sample_async
from sojourn.timed.warm_up import warm_up


@dataclass
class HandClock:
    time: float = 0.0

    def now(self) -> float:
        return self.time

    def sleep_until(self, instant: float) -> None:
        self.time = max(self.time, instant)

    async def wait_until(self, instant: float) -> None:
        self.time = max(self.time, instant)
        await asyncio.sleep(0)


def below(limit_s: float, share: float = 0.99) -> Limit:
    return Limit(f"p{round(share * 100)}", share, limit_s, limit_s, f"{limit_s * 1e3:g} ms")


def series_of(limit: Limit, within_s: float = 10.0, rate: float | None = None) -> Series:
    return Series(Decision([limit]), within_s, HandClock(), rate=rate)


def taking(series: Series, times: Callable[[], float]) -> Callable[[], None]:
    """A function whose calls take these times by the clock of the series."""

    def call() -> None:
        series.clock.time += times()  # type: ignore[attr-defined]

    return call


class BusyNeighbour:
    """A service of 5 ms, which for 40 ms of every 240 ms on average shares its processor: each call then takes some
    4 ms longer."""

    def __init__(self, seed: int, clock: HandClock) -> None:
        self.random, self.clock = random.Random(seed), clock
        self.is_busy, self.until = False, self.random.expovariate(1 / 0.2)

    def __call__(self) -> float:
        while self.clock.time >= self.until:
            self.is_busy = not self.is_busy
            self.until += self.random.expovariate(1 / (0.04 if self.is_busy else 0.2))
        waited = self.random.expovariate(1 / 0.004) if self.is_busy else 0.0
        return 0.005 * math.exp(0.25 * self.random.gauss(0, 1)) + waited


@cache
def p90_beside_a_neighbour() -> float:
    clock = HandClock()
    service = BusyNeighbour(1, clock)
    times = []
    for _ in range(200_000):
        times.append(service())
        clock.time += times[-1]
    return sorted(times)[180_000]


def verdicts(limit_s: float, seeds: range) -> list[str]:
    found = []
    for seed in seeds:
        series = series_of(below(limit_s, 0.9))
        sample(taking(series, BusyNeighbour(seed, series.clock)), series)  # type: ignore[arg-type]
        found.append(series.decision.found[0].verdict)
    return found


@pytest.mark.parametrize(
    ("x", "a", "b", "value"),
    [
        (0.5, 2, 3, 11 / 16),  # at least 2 of 4 tosses are heads
        (0.25, 1, 4, 1 - 0.75**4),
        (0.9, 10, 1, 0.9**10),
        (0.3, 0.5, 0.5, 2 / math.pi * math.asin(math.sqrt(0.3))),  # the arcsine law
    ],
)
def test_the_incomplete_beta_function_has_its_closed_forms(x: float, a: float, b: float, value: float) -> None:
    assert beta(x, a, b) == pytest.approx(value, rel=1e-10)


def test_the_largest_of_59_samples_bounds_the_p95_from_above_and_that_of_58_does_not() -> None:
    # Wilks (1941): 0.95**59 < 0.05 < 0.95**58
    assert high_share(59, 0.95, 0.05) <= 1
    assert high_share(58, 0.95, 0.05) == math.inf


def test_the_median_of_ten_samples_lies_above_the_second_at_a_level_of_one_percent() -> None:
    # 1/1024 none, 11/1024 = 1.07 % at most one of them is below the median
    assert low_share(10, 0.5, 0.0108) * 10 == pytest.approx(1, abs=0.02)


def test_samples_that_come_in_runs_of_ten_count_as_a_tenth() -> None:
    draws = random.Random(2)
    values = [value for _ in range(1000) for value in [draws.random()] * 10]

    found = dependence(values, [0.9])

    assert 6 < found.effect < 16
    assert dependence([draws.random() for _ in range(10_000)], [0.9]).effect < 2


def test_a_start_far_from_the_rest_is_warm_up_and_a_burst_in_the_middle_is_not() -> None:
    draws = random.Random(3)
    times = [draws.random() for _ in range(1000)]

    assert warm_up([time + 20 for time in times[:100]] + times[100:]) == 100
    assert warm_up(times[:300] + [time + 20 for time in times[300:350]] + times[350:]) == 0
    assert warm_up(times[:49]) == 0


def test_a_service_of_a_512th_of_a_second_meets_20_ms_as_soon_as_two_looks_agree() -> None:
    # none beyond the limit: 0.99**n <= 0.025 / 8, the first eighth of the error, for n >= 574; looks are at 2 and 4 s
    series = series_of(below(0.020), within_s=16)
    sample(taking(series, lambda: 1 / 512), series)

    assert outcome(series).verdict == MET
    assert (len(series.calls), series.ended) == (2048, 4.0)


def test_a_service_of_15_6_ms_misses_10_ms_in_one_sentence() -> None:
    series = series_of(below(0.010), within_s=80)
    sample(taking(series, lambda: 1 / 64), series)

    assert outcome(series).line == (
        "99 % of responses take at most 15.6 ms: the requirement of 10 ms is missed. (1280 calls in 20 s, closed loop)"
    )


def test_what_is_undecided_says_how_many_more_calls_would_decide_it() -> None:
    # the level of the last look is 0.025 / 4: 505 calls, with a tenth to spare 556, are 455.5 more than 100
    series = series_of(below(0.020), within_s=1)
    sample(taking(series, lambda: 0.01), series)

    found = outcome(series)

    assert found.verdict == UNDECIDED
    assert "about 460 more calls (4.6 s) would decide it" in found.line


def test_at_the_limit_beside_a_busy_neighbour_hardly_a_test_is_missed() -> None:
    found = verdicts(p90_beside_a_neighbour(), range(80))

    assert found.count(MISSED) <= 2  # at 1 % more than two of 80 have a probability of 0.05
    assert found.count(MET) <= 6  # at 2.5 % more than six of 0.005


def test_a_service_that_is_20_percent_too_slow_beside_a_busy_neighbour_is_missed() -> None:
    found = verdicts(p90_beside_a_neighbour() / 1.2, range(50))

    assert found.count(MISSED) >= 45


def test_in_an_open_loop_a_call_that_waits_for_another_is_timed_from_when_it_was_due() -> None:
    series = series_of(below(0.020, 0.5), within_s=2, rate=10)
    times = iter([0.35, *[0.01] * 100])
    sample(taking(series, lambda: next(times)), series)

    waited = [round(taken, 3) for *_, taken in series.calls[:5]]

    # due at 0, 0.1, 0.2, 0.3, 0.4; the first one ends at 0.35
    assert waited == [0.35, 0.26, 0.17, 0.08, 0.01]


def test_in_a_closed_loop_no_call_waits() -> None:
    series = series_of(below(0.020, 0.5), within_s=2)
    times = iter([0.35, *[0.01] * 1000])
    sample(taking(series, lambda: next(times)), series)

    assert [round(taken, 3) for *_, taken in series.calls[:3]] == [0.35, 0.01, 0.01]


def test_a_rate_beyond_what_the_service_can_do_is_missed_because_calls_wait_longer_and_longer() -> None:
    series = series_of(below(0.030, 0.5), within_s=2, rate=60)
    sample(taking(series, lambda: 0.020), series)

    found = outcome(series)

    assert found.verdict == MISSED
    assert "calls are due faster than they end" in found.line


def test_a_coroutine_is_called_on_its_schedule_although_others_have_not_ended() -> None:
    from sojourn.timed.clock import HostClock  # noqa: PLC0415

    running, most = 0, 0

    async def call() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.1)
        running -= 1

    series = Series(Decision([below(0.5, 0.5)]), 1.0, HostClock(), rate=100)
    asyncio.run(sample_async(call, series))

    assert most >= 5, "100 per second, each of which takes a tenth of one"


def test_coroutines_that_never_end_are_not_forgotten_beside_those_that_are_quick() -> None:
    from itertools import count  # noqa: PLC0415

    from sojourn.timed.clock import HostClock  # noqa: PLC0415

    numbers = count()

    async def call() -> None:
        if next(numbers) % 2:
            await asyncio.Event().wait()

    series = Series(Decision([below(0.1, 0.9)]), 2.0, HostClock(), rate=200)
    asyncio.run(sample_async(call, series))

    assert outcome(series).verdict == MISSED


def test_what_a_coroutine_raises_ends_the_test() -> None:
    async def call() -> None:
        raise KeyError("session")

    series = series_of(below(0.5), rate=100)

    with pytest.raises(KeyError, match="session"):
        asyncio.run(sample_async(call, series))


def test_a_thread_that_woke_late_was_paused_unless_its_own_process_was_at_work() -> None:
    assert is_pause(late=0.05, processor=0.001)
    assert not is_pause(late=0.05, processor=0.048)
    assert not is_pause(late=0.012, processor=0.0)


def test_calls_within_a_pause_of_the_host_are_left_out_and_many_such_leave_the_test_undecided() -> None:
    from sojourn.timed.pauses import Watch  # noqa: PLC0415

    def measured(pauses: list[tuple[float, float]]):
        series = series_of(below(0.020), within_s=8)
        series.watch = Watch()
        series.watch.begins, series.watch.ends = [begin for begin, _ in pauses], [end for _, end in pauses]
        sample(taking(series, lambda: 0.005), series)
        return outcome(series)

    few = measured([(0.5001, 0.5012), (0.8001, 0.8076)])
    many = measured([(at * 0.02 + 0.001, at * 0.02 + 0.004) for at in range(400)])

    assert few.verdict == MET
    assert "3 left out for pauses of this host (9 ms in all)" in few.line
    assert many.verdict == UNDECIDED
    assert "this host paused within 25 % of the calls" in many.line
