"""From which value of a key on a rate is within half a percent of its largest, for every setting of the other keys."""

from __future__ import annotations

from typing import Any

from sojourn import labels
from sojourn.answers.asked import Asked
from sojourn.results import Metric

FULL = 0.995
"""The share of the largest rate that counts as full."""


def say(asked: Asked) -> list[str]:
    """ "Full throughput: 13 (an unlimited stream) from 69 bytes on; 7 from 51 bytes on with nothing, ..." """
    said = [text for experiment in asked.experiments if (text := _of(asked, experiment))]
    return [f"Full {labels.metric_label(asked.y).lower()}: {'; '.join(said)}."] if said else []


def _of(asked: Asked, experiment: str) -> str:
    curves: dict[str, list[tuple[Any, Metric]]] = {}
    for x, point, metric in asked.curve(experiment):
        curves.setdefault(asked.others(point), []).append((x, metric))
    largest = max((metric.mean or 0.0 for curve in curves.values() for _, metric in curve), default=0.0)
    parts = [_from(asked, curve, largest) + (f" with {others}" if others else "") for others, curve in curves.items()]
    return f"{asked.name(experiment)} {labels.list_of(parts)}" if parts else ""


def _from(asked: Asked, curve: list[tuple[Any, Metric]], largest: float) -> str:
    """The least setting from which on the rate stays full."""
    full = None
    for x, metric in reversed(curve):
        if (metric.mean or 0.0) < FULL * largest:
            break
        full = x
    return "nowhere" if full is None else f"from {asked.at(full)} on"
