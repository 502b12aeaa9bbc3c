"""The smallest value of a key from which a condition holds, for every setting of the other keys."""

from __future__ import annotations

from typing import Any

from sojourn import catalogue, phrases
from sojourn.answers.context import Context

FULL = 0.995
"""Share of the largest rate that counts as full rate."""
Curve = list[tuple[Any, float]]
"""(setting of `x`, mean) in rising order."""


def sentences(context: Context) -> list[str]:
    """ "Voice buffer underruns: 0 from samples per packet = 32 in basic; from 64 in sppt with ..." """
    found: dict[Any, list[str]] = {}
    for experiment in context.experiments:
        limits = _limits(context, experiment)
        if len(set(limits.values())) == 1:
            limits = {"": next(iter(limits.values()))}
        for others, limit in limits.items():
            found.setdefault(limit, []).append(f"{experiment} with {others}" if others else experiment)
    holds = "0" if context.reach == "zero" else "full rate"
    rising = sorted(limit for limit in found if limit is not None)
    parts = [f"{holds} from {context.at(limit)} in {phrases.list_of(found[limit])}" for limit in rising]
    if None in found:
        parts.append(f"not {holds} at the largest value in {phrases.list_of(found[None])}")
    return [f"{catalogue.metric_label(context.y)}: {'; '.join(parts)}."] if parts else []


def _limits(context: Context, experiment: str) -> dict[str, Any]:
    """The threshold for each setting of the other keys; None where the condition fails at the largest value."""
    curves: dict[str, Curve] = {}
    for x, point, metric in context.curve(experiment):
        curves.setdefault(context.others(point), []).append((x, metric.mean or 0.0))
    if context.reach == "zero":
        return {others: smallest(curve, at_most=0.0) for others, curve in curves.items()}
    largest = max((value for curve in curves.values() for _, value in curve), default=0.0)
    return {others: smallest(curve, at_least=FULL * largest) for others, curve in curves.items()}


def smallest(curve: Curve, *, at_least: float = 0.0, at_most: float = float("inf")) -> Any:
    """The smallest setting from which on the value stays within bounds; None where the last is outside."""
    limit = None
    for x, value in sorted(curve, reverse=True):
        if not at_least <= value <= at_most:
            break
        limit = x
    return limit
