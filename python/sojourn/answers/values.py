"""A metric at some values of a key, for the settings of the other keys; of several along one key its ends."""

from __future__ import annotations

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.point import format_quantile
from sojourn.results import Metric, Point
from sojourn.units import format_value

ALIKE = 0.03
"""Values that differ by no more than this share are given as one range, which holds their intervals."""
NOTHING = "nothing delivered"


def sentences(context: Context) -> list[str]:
    """ "Response time at samples per packet = 256: basic 3.06 ms; sppt 3.06 ms with background load 0 bit/s, ..." """
    found = []
    values = context.values or tuple(dict.fromkeys(x for one in context.experiments for x, _, _ in context.curve(one)))
    if alone := _of_one_experiment(context, values):
        return [alone]
    for value in values:
        parts = [text for experiment in context.experiments if (text := _of(context, experiment, value))]
        if parts:
            what = catalogue.metric_label(context.y)
            found.append(f"{what} at {context.at(value)}: {'; '.join(parts)}.")
    return found


def _of_one_experiment(context: Context, values: tuple[object, ...]) -> str:
    """ "Poll cycle: 58.7 s at retries = 0, 61.2 s at retries = 3."; empty where there is more to distinguish."""
    if len(context.experiments) != 1 or len(values) < 2:
        return ""
    curve = context.curve(context.experiments[0])
    found = [(value, [row[1:] for row in curve if row[0] == value]) for value in values]
    if any(len(rows) > 1 for _, rows in found):
        return ""
    parts = [
        f"{_value(context, *rows[0]) if rows else NOTHING} at {context.at(value)}"
        for value, rows in found
        if rows or context.delivers_nothing(context.experiments[0], value)
    ]
    return f"{catalogue.metric_label(context.y)}: {phrases.list_of(parts)}." if parts else ""


def _of(context: Context, experiment: str, value: object) -> str:
    """One experiment: each setting's value, or their range where they hardly differ."""
    found = [(point, metric) for x, point, metric in context.curve(experiment) if x == value]
    means = [metric.mean or 0.0 for _, metric in found]
    if not found:
        return f"{context.name(experiment)} {NOTHING}" if context.delivers_nothing(experiment, value) else ""
    if len(found) > 1 and max(means) - min(means) <= ALIKE * max(means) and not any(m.failed_share for _, m in found):
        settings = "both settings" if len(found) == 2 else f"all {len(found)} settings"
        return f"{context.name(experiment)} {_spread(context, [metric for _, metric in found])} in {settings}"
    shown = [found[0], found[-1]] if _along_one_key(found) else found
    return f"{context.name(experiment)} {phrases.list_of([_value(context, *one) for one in shown])}"


def _spread(context: Context, metrics: list[Metric]) -> str:
    """The value that all have in common, or from where to where their intervals reach."""
    common = {context.value(metric) for metric in metrics}
    if len(common) == 1:
        return common.pop()
    unit, name = metrics[0].unit, metrics[0].name
    ends = [metric.interval or (metric.mean, metric.mean) for metric in metrics]
    low, high = min(end[0] or 0.0 for end in ends), max(end[1] or 0.0 for end in ends)
    texts = [format_value(end, unit, name) for end in (low, high)]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _along_one_key(found: list[tuple[Point, Metric]]) -> bool:
    """Whether more than two settings differ in the number of a single key, so that the ends give the range."""
    keys = {key for point, _ in found for key in point.set if len({other.set.get(key) for other, _ in found}) > 1}
    return (
        len(found) > 2 and len(keys) == 1 and all(isinstance(point.set.get(*keys), int | float) for point, _ in found)
    )


def _value(context: Context, point: Point, metric: Metric) -> str:
    text = context.value(metric)
    known = metric.field("p999") is not None and "p999" not in metric.weak
    if known or "p999" in metric.not_reached:
        text += f" (p99.9 {format_quantile(metric, 'p999')})"
    others = context.others(point)
    return f"{text} with {others}" if others else text
