"""Probes other than requests, in words: streams by their one-way delay, calls by their listening quality."""

from __future__ import annotations

from sojourn import catalogue, phrases
from sojourn.results import Metric, Point
from sojourn.units import format_interval

TIMES = ("response_time", "one_way_delay")
"""What a delivery takes: of requests, else of streams and calls."""
CALLS = ("mos", "play_out_loss", "play_out_delay")
"""Of the poorest listener: opinion, packets not played, mouth-to-ear delay."""
CAUSES = {"lost": "lost in the network", "late": "too late for the jitter buffer", "overflow": "refused by a full one"}
"""Members of `play_out_loss` that are parts of it, not calls."""


def time_of(point: Point) -> Metric | None:
    """The time of what is probed, of requests first, even where nothing was delivered; None where nothing is probed."""
    found = (point.metrics.get(name) for name in TIMES)
    return next((metric for metric in found if metric is not None and (metric.applies or metric.undelivered)), None)


def members_of(point: Point, name: str) -> dict[str, Metric]:
    """The members of a metric; of several calls without the causes of their loss."""
    found = point.members(name)
    if name != "play_out_loss" or not found.keys() - CAUSES.keys():
        return found
    return {member: metric for member, metric in found.items() if member not in CAUSES}


def calls(point: Point, *, rated: bool = True) -> str:
    """What the poorest listener of all calls hears, in one sentence; empty without calls.

    Without `rated` it leaves out the opinion, where that was said before.
    """
    lost = point.get("play_out_loss")
    if lost is None:
        return ""
    opinion, delay = point.get("mos"), point.get("play_out_delay")
    rating = f"has a MOS of {_value(opinion)}" if opinion is not None else "is not rated"
    heard = f"; the mouth-to-ear delay is {_value(delay)}" if delay is not None else ""
    begin = f"The poorest listener {rating}: " if rated else ""
    return f"{begin}{_value(lost)} of the packets are not played{_why(point)}{heard}."


def _why(point: Point) -> str:
    """The largest cause of what is not played."""
    causes = {cause: metric for cause in CAUSES if (metric := point.get(f"play_out_loss/{cause}")) and metric.mean}
    if not causes:
        return ""
    cause = max(causes, key=lambda one: causes[one].mean or 0.0)
    return f", most of them {CAUSES[cause]}" if len(causes) > 1 else f", {CAUSES[cause]}"


def _value(metric: Metric) -> str:
    return format_interval(metric.mean, metric.interval, metric.unit, metric.name)


def label_of(metric: Metric) -> str:
    """The name of a time within a sentence."""
    return phrases.within_a_sentence(catalogue.metric_label(metric.name))
