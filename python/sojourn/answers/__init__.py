"""The answer in words: sentences computed from results, one function per kind of statement."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sojourn.answers.asked import Asked
from sojourn.errors import UnknownName
from sojourn.results import Results

__all__ = ["KINDS", "Asked", "answer", "answers"]

KINDS = {
    "best": "the largest rate or the shortest time for each value of a key",
    "knee": "how a time grows over a key: flat, then beyond twice its first value, then at the end",
    "peak": "where throughput saturates over a key and what is left at the end",
    "effect": "one experiment against another, paired, over a key",
    "ranking": "which variants of an experiment move a metric most, at some values of a key",
    "across": "a metric at some values of a key, for every setting of the other keys",
    "feasible": "from which value of a key on a count stays 0, for every setting of the other keys",
    "bottleneck": "which member of a metric is the largest at some values of a key: the busiest stage",
    "full_rate": "from which value of a key on a rate is within half a percent of its largest",
    "budget": "which component takes most of the response time at the ends of a key",
}


def answer(raw: dict[str, Any], results: Results, titles: dict[str, str] | None = None) -> list[str]:
    """The sentences of one `[[answer]]`; none where the results do not hold its experiments."""
    if raw["kind"] not in KINDS:
        raise UnknownName(f"no answer kind {raw['kind']!r}; there are {', '.join(KINDS)}")
    asked = Asked.read(raw, results, titles or {})
    function: Callable[[Asked], list[str]] = import_module(f"sojourn.answers.{raw['kind']}").say
    return function(asked) if asked.experiments else []


def answers(
    raws: list[dict[str, Any]], results: Results, titles: dict[str, str] | None = None
) -> list[tuple[str, str]]:
    """(title, text) of every answer that the results hold."""
    found = [(str(raw.get("title") or ""), " ".join(answer(raw, results, titles))) for raw in raws]
    return [(title, text) for title, text in found if text]
