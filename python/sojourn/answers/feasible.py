"""From which value of a key on a count stays 0, for every setting of the other keys: the smallest packet that works."""

from __future__ import annotations

from typing import Any

from sojourn import labels
from sojourn.answers.asked import Asked


def say(asked: Asked) -> list[str]:
    """ "Times the receiver ran out of samples: none from 32 samples on in basic; none from 64 on in sppt with ..." """
    found: dict[Any, list[str]] = {}
    for experiment in asked.experiments:
        curves: dict[str, list[tuple[Any, float]]] = {}
        for value, point, metric in asked.curve(experiment):
            curves.setdefault(asked.others(point), []).append((value, metric.mean or 0.0))
        limits = {others: smallest(curve) for others, curve in curves.items()}
        if len(set(limits.values())) == 1:
            limits = {"": next(iter(limits.values()))}
        for others, limit in limits.items():
            found.setdefault(limit, []).append(f"{experiment} with {others}" if others else experiment)
    said = [f"none from {asked.at(limit)} on in {labels.list_of(where)}" for limit, where in _sorted(found)]
    if None in found:
        said.append(f"some at the largest value, too, in {labels.list_of(found[None])}")
    return [f"{labels.metric_label(asked.y)}: {'; '.join(said)}."] if said else []


def smallest(curve: list[tuple[Any, float]]) -> Any:
    """The smallest value from which on the count is 0; None where it is not 0 at the largest."""
    limit = None
    for value, count in sorted(curve, reverse=True):
        if count > 0:
            break
        limit = value
    return limit


def _sorted(found: dict[Any, list[str]]) -> list[tuple[Any, list[str]]]:
    return sorted(((limit, where) for limit, where in found.items() if limit is not None), key=lambda row: row[0])
