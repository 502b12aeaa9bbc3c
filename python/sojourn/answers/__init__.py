"""Answers: sentences computed from results, a module per kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from sojourn.answers.context import Context
from sojourn.catalogue import answer_kinds
from sojourn.errors import UnknownName
from sojourn.reference import Published
from sojourn.results import Results

__all__ = ["Context", "answer", "answers"]


def answer(
    raw: dict[str, Any],
    results: Results,
    titles: dict[str, str] | None = None,
    published: Sequence[Published] = (),
) -> list[str]:
    """The sentences of one `[[answer]]`; none where the results do not hold its experiments.

    A sentence that published numbers contradict says so.
    """
    if raw["kind"] not in answer_kinds():
        raise UnknownName(f"no answer kind {raw['kind']!r}; there are {', '.join(answer_kinds())}")
    context = Context.read(raw, results, titles or {}, published)
    function: Callable[[Context], list[str]] = import_module(f"sojourn.answers.{raw['kind']}").sentences
    return function(context) if context.experiments else []


def answers(
    raws: list[dict[str, Any]],
    results: Results,
    titles: dict[str, str] | None = None,
    published: Sequence[Published] = (),
) -> list[tuple[str, str]]:
    """(title, text) of every answer that the results hold."""
    found = [(str(raw.get("title") or ""), " ".join(answer(raw, results, titles, published))) for raw in raws]
    return [(title, text) for title, text in found if text]
