"""The band of the next measurement, added to results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sojourn.bands.draws import draws
from sojourn.bands.fitted import Gaussian
from sojourn.bands.others import of_others
from sojourn.bands.simulated import Place, measurements
from sojourn.catalogue import is_share
from sojourn.jobs import Outcome
from sojourn.point import QUANTILES, Metric, Point
from sojourn.reference import Published
from sojourn.requirements import Condition
from sojourn.results import Results

DRAWS = 79
"""Measurements that are simulated: the next one is between the second and the second to last of them with a probability
of 76/80, 95 %."""
SHARE = 0.95
NORMAL_95 = 1.959964


def with_band(
    outcome: Outcome,
    request: Mapping[str, object],
    gaussian: Gaussian,
    done: Callable[[int], None] = lambda _: None,
    published: Sequence[Published] = (),
) -> Outcome:
    """The outcome, whose results and verdicts say where the next measurement lies.

    An experiment that was predicted has the discrepancy of the others, where that is larger than the fit's.
    """
    if outcome.results is None:
        return outcome
    seed = int(outcome.results.raw["seed"])
    drawn = draws(gaussian, seed, DRAWS)
    found = measurements(request, gaussian, drawn, seed, done)
    own = gaussian.discrepancy or 0.0
    raw = json.loads(outcome.results_text)
    others = {name: value for name, value in of_others(published, outcome.results).items() if value > own}
    raw["band"] = {
        "of": "the next measurement, as long as one replication",
        "confidence": SHARE,
        "draws": DRAWS,
        "profile": gaussian.profile,
        "discrepancy": gaussian.discrepancy,
        **({"discrepancy_of_other_experiments": others} if others else {}),
    }
    places = [point.key for point in outcome.results.points]
    for place, point in zip(places, raw["points"], strict=True):
        each = [points[place] for points in found if place in points]
        factors = [draw.factor(others.get(place[0].partition("+")[0], own)) for draw in drawn]
        for name, metric in point["metrics"].items() if each else ():
            metric.update(_bands(Metric(name, metric), each, factors))
    factors = [draw.factor(own) for draw in drawn]
    verdicts = [row | _next(row, places, found, factors) for row in outcome.verdicts]
    text = _text(raw)
    results = Results.parse(text, outcome.results.sampled, outcome.results.provenance)
    results.verdicts = verdicts
    return replace(outcome, results=results, verdicts=verdicts, results_text=text)


def band_key(field: str) -> str:
    """The name of the band of a field: "band95" of a mean or a value, "p99_band95"."""
    return "band95" if field in ("mean", "value") else f"{field}_band95"


def _bands(metric: Metric, each: Sequence[Point], factors: Sequence[float]) -> dict[str, list[float | None]]:
    """The bands of a metric's fields; none of a field that some measurement does not have."""
    if not metric.applies:
        return {}
    fields = ["mean" if "mean" in metric.raw else "value", *(field for field in QUANTILES if field in metric.raw)]
    found = {}
    for field in fields:
        values = [_value(point.get(metric.name), field, factor) for point, factor in zip(each, factors, strict=True)]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            low, high = ends(known)
            if math.isfinite(low):
                found[band_key(field)] = [low, high if math.isfinite(high) else None]
    return found


def ends(values: Sequence[float]) -> tuple[float, float]:
    """The ends of the band: as many of the simulated measurements lie beyond each as leave 95 % between them."""
    ordered = sorted(values)
    beyond = max(1, math.floor((len(ordered) + 1) * (1 - SHARE) / 2 + 1e-9))
    return ordered[beyond - 1], ordered[-beyond]


def _value(metric: Metric | None, field: str, factor: float) -> float | None:
    """What a simulated measurement shows, changed by what the model misses; infinite for what is not reached."""
    if metric is None:
        return None
    if field in metric.not_reached:
        return math.inf
    value = metric.mean if field in ("mean", "value") else metric.field(field)
    if value is None or metric.is_count:
        return value
    return min(1.0, value * factor) if is_share(metric.name) else value * factor


def _next(
    row: Mapping[str, Any], places: Sequence[Place], found: Sequence[Mapping[Place, Point]], factors: Sequence[float]
) -> dict[str, Any]:
    """How likely the next measurement meets a condition, with its 95 % interval (Wilson, 1927)."""
    condition = Condition.parse(str(row["text"]))
    if condition is None:
        return {}
    place = places[int(row.get("point") or 0)]
    if any(place not in points for points in found):
        return {}
    metrics = [points[place].get(condition.metric) for points in found]
    values = [_value(metric, condition.field, factor) for metric, factor in zip(metrics, factors, strict=True)]
    if any(value is None for value in values):
        return {}
    count = len(values)
    share = sum(_holds(value or 0.0, condition) for value in values) / count
    middle = (share + NORMAL_95**2 / 2 / count) / (1 + NORMAL_95**2 / count)
    half = (
        NORMAL_95 / (1 + NORMAL_95**2 / count) * math.sqrt(share * (1 - share) / count + (NORMAL_95 / 2 / count) ** 2)
    )
    return {"next_measurement": {"probability": share, "ci95": [max(0.0, middle - half), min(1.0, middle + half)]}}


def _holds(value: float, condition: Condition) -> bool:
    match condition.relation:
        case "<":
            return value < condition.limit
        case "<=":
            return value <= condition.limit
        case ">":
            return value > condition.limit
        case ">=":
            return value >= condition.limit
    return value == condition.limit


def _text(raw: Mapping[str, Any]) -> str:
    """The text of results, with a point on each line."""
    head = {key: value for key, value in raw.items() if key != "points"}
    packed = (",", ":")
    points = ",\n".join(json.dumps(point, separators=packed, ensure_ascii=False) for point in raw["points"])
    return f'{json.dumps(head, separators=packed, ensure_ascii=False)[:-1]},"points":[\n{points}\n]}}\n'
