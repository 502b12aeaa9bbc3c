"""Extreme quantiles, the time that a small share of all requests exceeds, in words."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sojourn import catalogue, phrases
from sojourn.units import format_ends, format_value


def sentence(tail: Mapping[str, Any]) -> str:
    """What `run --tail` found: "p99.9999 of response time: 27.6 (27.1 to 28.4) s; 41 independent samples beyond it"."""
    label = phrases.within_a_sentence(catalogue.metric_label(str(tail["metric"])))
    of = f"p{percentile(tail['probability'])} of {label}"
    unit, interval = str(tail["unit"]), tail["ci95"]
    if tail["quantile"] is not None:
        low, high = interval
        value = format_ends(tail["quantile"], (low, high), unit)
        beyond = f"{tail['effective_beyond']:.0f} independent samples of {tail['samples']} beyond it"
        return f"{of}: {value}; {beyond} ({tail['method']})"
    least = "" if interval is None else f" (at least {format_value(interval[0], unit)})"
    more = tail["needed_replications"]
    would = "" if more is None else f"; about {more} replications would do"
    return f"{of}: not known{least}: {tail['why']}{would}"


def percentile(probability: float) -> str:
    """The percentile that a share of samples lies beyond: "99.9999" of 1e-6."""
    return f"{(100 * (1 - Decimal(repr(probability)))).normalize():f}"
