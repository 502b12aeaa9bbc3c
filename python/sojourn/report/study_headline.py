"""The head of a study's report: its main answer in one line, as a small table, and its figure."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sojourn import catalogue, phrases
from sojourn.answers import answer
from sojourn.answers.context import Context
from sojourn.report.table import Table
from sojourn.results import Metric, Results

if TYPE_CHECKING:
    from sojourn.report.illustrate import Drawn
    from sojourn.study import Study

MOST_ROWS = 6
FEW = 2
"""As many experiments fit one sentence with all their values."""
ALONG = ("knee", "effect", "values")
"""Kinds of answers that give a metric over a key."""
Column = tuple[Any, str]
"""A setting of `x`, and those of the other keys as text."""


def main_answer(results: Results, study: Study) -> dict[str, Any]:
    """The first answer over a key that the results hold; empty where there is none."""
    held = (raw for raw in study.answers if raw.get("x") and raw.get("kind") in ALONG)
    return next((raw for raw in held if answer(raw, results, study.titles)), {})


def extremes(results: Results, study: Study, raw: dict[str, Any]) -> str:
    """Of the values of many experiments the least and the largest, in one sentence; empty of other answers."""
    context = Context.read(raw, results, study.titles)
    if raw.get("kind") != "values" or len(context.experiments) <= FEW:
        return ""
    column = _columns(context)[-1]
    at = [(metric, experiment) for experiment in context.experiments for metric in _at(context, experiment, column)]
    found = [(metric.mean, metric, experiment) for metric, experiment in at if metric.mean is not None]
    if len({experiment for *_, experiment in found}) <= FEW:
        return ""
    ends = [choose(found, key=itemgetter(0)) for choose in (min, max)]
    low, high = (f"{context.value(metric)} with {context.name(experiment)}" for _, metric, experiment in ends)
    where = ", ".join(part for part in (_label(context, column), _where(context)) if part)
    return f"{catalogue.metric_label(context.y)} at {where}: from {low} to {high}."


def table(results: Results, study: Study, raw: dict[str, Any]) -> Table | None:
    """The metric of an answer for each of its experiments, at both ends of a key."""
    context = Context.read(raw, results, study.titles)
    named = [experiment for experiment in context.experiments if context.x and context.curve(experiment)][:MOST_ROWS]
    if not named:
        return None
    columns = _columns(context)
    rows = [[context.name(one), *(_cell(context, _at(context, one, column)) for column in columns)] for one in named]
    head = (_label(context, column) for column in columns)
    where = _where(context)
    return Table(str(raw.get("title") or ""), (f"Experiment, {where}" if where else "Experiment", *head), rows)


def figure(drawn: list[Drawn], raw: dict[str, Any]) -> Drawn | None:
    """The figure that shows most of what an answer is about, at its settings; else the first."""
    wanted, where = set(raw.get("experiments") or []), raw.get("where") or {}
    y = raw.get("y") or "response_time"
    fitting = [
        one for one in drawn if one.figure.kind == "lines" and y in one.figure.y and one.figure.x == raw.get("x")
    ]

    def shown(one: Drawn) -> tuple[bool, int]:
        return one.figure.where == where, len(wanted & set(one.figure.experiments))

    return max(fitting, key=shown, default=drawn[0] if drawn else None)


def _columns(context: Context) -> list[Column]:
    """Both ends of the other key where the answer is at one value of `x`; else both ends of `x`."""
    curves = [curve for experiment in context.experiments if (curve := context.curve(experiment))]
    every = list(dict.fromkeys((x, context.others(point)) for x, point, _ in curves[0])) if curves else []
    chosen = [column for column in every if not context.values or column[0] in context.values] or every
    of_first = [column for column in chosen if column[0] == chosen[0][0]]
    ends = of_first if len(context.values) == 1 else [column for column in chosen if column[1] == chosen[-1][1]]
    return list(dict.fromkeys((ends[0], ends[-1]))) if ends else []


def _label(context: Context, column: Column) -> str:
    """A column's settings that all experiments have, as text."""
    x, others = column
    shared = all((x, others) in _settings(context, experiment) for experiment in context.experiments)
    return ", ".join(part for part in (context.at(x), others if shared else "") if part)


def _where(context: Context) -> str:
    """The settings that the answer is restricted to."""
    return phrases.settings(context.where, context.results.axes) if context.where else ""


def _at(context: Context, experiment: str, column: Column) -> list[Metric]:
    """The metric at a column's settings; at all settings there where the experiment varies other keys."""
    curve = [(context.others(point), metric) for x, point, metric in context.curve(experiment) if x == column[0]]
    return [metric for others, metric in curve if others == column[1]] or [metric for _, metric in curve]


def _settings(context: Context, experiment: str) -> list[Column]:
    return [(x, context.others(point)) for x, point, _ in context.curve(experiment)]


def _cell(context: Context, metrics: list[Metric]) -> str:
    """A value with its failures, or the range of several."""
    found = sorted((metric for metric in metrics if metric.mean is not None), key=lambda metric: metric.mean or 0.0)
    if not found:
        return "–"
    texts = [context.value(metric) for metric in (found[0], found[-1])]
    if texts[0] != texts[1]:
        return f"{texts[0]} to {texts[1]}"
    return texts[0] + (f", {found[0].delivered} delivered" if found[0].failed_share else "")
