"""Growth of a time over a key: where it is flat, where it has doubled, and its value at the end."""

from __future__ import annotations

from sojourn import catalogue, phrases
from sojourn.answers.context import Context
from sojourn.point import Metric, format_quantile
from sojourn.uncertainty import Kind
from sojourn.units import scale, significant

FLAT = 1.5
"""Up to this multiple of its first value a curve counts as flat."""


def sentences(context: Context) -> list[str]:
    """One or two sentences per experiment."""
    return [sentence for experiment in context.experiments for sentence in _of(context, experiment)]


def _of(context: Context, experiment: str) -> list[str]:
    curve = [(x, metric) for x, _, metric in context.curve(experiment) if metric.mean]
    if len(curve) < 2:
        return []
    first = curve[0][1].mean or 0.0
    flat = [row for index, row in enumerate(curve) if all((m.mean or 0) <= FLAT * first for _, m in curve[: index + 1])]
    doubled = next((x for x, metric in curve if (metric.mean or 0) > 2 * first), None)
    what = phrases.within_a_sentence(catalogue.metric_label(context.y))
    low, high = min(m.mean or 0 for _, m in flat), max(m.mean or 0 for _, m in flat)
    shown = scale(curve[0][1].unit, high)
    ends = list(dict.fromkeys(significant(value / shown.factor) for value in (low, high)))
    spread = f"{' to '.join(ends)} {shown.unit}"
    several = len(context.results.experiments) > 1 or context.titles.get(experiment)
    where = f"In {context.name(experiment)} the" if several else "The"
    (start, _), (end, last) = curve[0], curve[-1]
    mean, tail = f"{where} mean {what}", _tail(last)
    if FLAT * (last.mean or 0.0) < first:
        fall = f"falls from {context.value(curve[0][1])} at {context.at(start)} to {context.value(last)}"
        return [f"{mean} {fall} at {context.at(end)}{tail}."]
    if len(flat) == len(curve):
        every = f"all {len(curve)} values of {context.axis()}, {context.at(start)} to {context.at(end)}"
        return [f"{mean} is {spread} at {every}; at the last it is {context.value(last)}{tail}."]
    sentence = f"{mean} is {spread} up to {context.at(flat[-1][0])}"
    if doubled is not None:
        sentence += f", more than double its first value from {context.at(doubled)},"
    return [f"{sentence} and {context.value(last)} at {context.at(end)}{tail}."]


def _tail(last: Metric) -> str:
    """The 99th percentile at the end of the curve, of a time; the mean beside it gives the share that failed."""
    if last.uncertainty("p99").kind is Kind.not_reached:
        return " (p99 not reached)"
    if last.is_distribution and last.field("p99") is not None:
        return f" (p99 {format_quantile(last, 'p99')})"
    return ""
