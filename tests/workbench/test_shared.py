"""Answers of the store are computed once for many readers."""

import asyncio

import pytest

from sojourn.workbench import history
from sojourn.workbench.history import Shared


def test_readers_at_the_same_time_wait_for_one_computation() -> None:
    computed: list[int] = []

    async def compute() -> int:
        computed.append(1)
        await asyncio.sleep(0.01)
        return len(computed)

    async def readers() -> list[int]:
        shared = Shared(60)
        return await asyncio.gather(*(shared.get("runs", compute) for _ in range(50)))

    assert asyncio.run(readers()) == [1] * 50


def test_an_old_answer_is_shown_while_the_next_one_is_computed_and_a_very_old_one_is_not(monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr(history.time, "monotonic", lambda: now[0])
    answers = iter(range(10))

    async def compute() -> int:
        return next(answers)

    async def reader() -> list[int]:
        shared, seen = Shared(1), []
        for at in (0.0, 0.5, 2.0, 2.1, 100.0):
            now[0] = at
            seen.append(await shared.get("runs", compute))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return seen

    assert asyncio.run(reader()) == [0, 0, 0, 1, 2]


def test_an_error_is_raised_for_its_readers_and_computed_again() -> None:
    outcomes = iter([OSError("away"), 7])

    async def compute() -> int:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def reader() -> int:
        shared = Shared(60)
        with pytest.raises(OSError, match="away"):
            await shared.get("runs", compute)
        return await shared.get("runs", compute)

    assert asyncio.run(reader()) == 7


def test_the_number_of_answers_that_are_kept_is_bounded() -> None:
    async def compute() -> bytes:
        return b"x"

    async def reader() -> int:
        shared = Shared(60)
        for number in range(5 * history.MOST_KEPT):
            await shared.get(number, compute)
        return len(shared._kept)

    assert asyncio.run(reader()) == history.MOST_KEPT
