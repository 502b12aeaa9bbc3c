"""Scenarios and results as HTML, for notebooks: every text is escaped."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sojourn import catalogue, phrases
from sojourn.bindings import call
from sojourn.units import format_interval

if TYPE_CHECKING:
    from sojourn.point import Metric, Point
    from sojourn.results import Results

MOST_ROWS = 12
"""Most rows of a table."""
FIRST = ("response_time", "mos", "loss", "failures", "utilisation")
"""What is shown of several points, where they have it."""


def scenario(text: str, name: str, changes: Sequence[str]) -> str:
    """A scenario: its title, requirements and question, what was changed, and the file below."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        document = {}
    kind = document.get("network", {}).get("kind", "") if isinstance(document.get("network"), dict) else ""
    parts = [f"<p><strong>{escape(str(document.get('title', name)))}</strong> ({escape(f'{kind}, {name}')})</p>"]
    asked = document.get("question")
    if isinstance(asked, dict) and "text" in asked:
        parts.append(f"<p>{escape(str(asked['text']))}</p>")
    expect = document.get("expect")
    lines = [f"expect {metric} {condition}" for metric, condition in expect.items()] if isinstance(expect, dict) else []
    parts.append(_list([*lines, *(f"changed: {call('shown_document', change)}" for change in changes)]))
    shown = escape(str(call("shown_document", text)))
    parts.append(f"<details><summary>{escape(name)}</summary><pre>{shown}</pre></details>")
    return "".join(parts)


def results(found: Results) -> str:
    """Results: whether the requirements are met, each with its value, and the first table."""
    raw = found.raw
    what = f"{raw.get('study')}: {raw.get('network')}, {raw.get('world')}, seed {raw.get('seed')}"
    verdicts = [
        (str(row["text"]), f"{row['verdict']}{_at(row, found)}", _found(row), str(row.get("reason") or ""))
        for row in found.verdicts
    ]
    only = found.points[0] if len(found) == 1 else None
    return "".join([
        f"<p><strong>{escape(sentence(found.verdicts))}</strong></p>" if verdicts else "",
        _table(("requirement", "verdict", "value", ""), verdicts),
        f"<p>{escape(what)}</p>",
        _of_points(found) if only is None else _of_point(only),
    ])  # fmt: skip


def sentence(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Whether all requirements are met, or how many are not: "1 of 2 requirements is met, 1 undecided."."""
    words = [str(row["verdict"]) for row in verdicts]
    what = "requirements" if len({row["text"] for row in verdicts}) == len(words) else "verdicts"
    if set(words) == {"met"}:
        return "The requirement is met." if len(words) == 1 else f"All {len(words)} {what} are met."
    counts = {word: words.count(word) for word in ("missed", "undecided") if word in words}
    if len(words) == 1:
        return f"The requirement is {words[0]}."
    met = words.count("met")
    others = ", ".join(f"{count} {word}" for word, count in counts.items())
    return f"{met} of {len(words)} {what} {'is' if met == 1 else 'are'} met, {others}."


def _at(row: Mapping[str, Any], found: Results) -> str:
    """Of several points, which."""
    return f" with {phrases.settings(dict(row['set']), found.axes)}" if row.get("set") else ""


def _found(row: Mapping[str, Any]) -> str:
    if row.get("value") is None:
        return ""
    name = str(row["text"]).split(" ", 1)[0].rsplit(".", 1)[0]
    return format_interval(row["value"], row.get("interval"), catalogue.metric(name).get("unit"), name)


def _of_point(point: Point) -> str:
    """The metrics of the whole network."""
    metrics = [metric for name, metric in point.metrics.items() if "/" not in name and metric.applies]
    metrics.sort(key=lambda metric: FIRST.index(metric.name) if metric.name in FIRST else len(FIRST))
    return _table(("metric", "value"), ((catalogue.metric_label(one.name), _value(one)) for one in metrics))


def _of_points(found: Results) -> str:
    """A row for each point: its settings, and what there is of the first metrics."""
    names = [name for name in FIRST if any(point.get(name) for point in found.points)]
    axes = list(found.axes)
    rows = (
        (
            *(phrases.settings({axis: point.set[axis]}, found.axes) if axis in point.set else "" for axis in axes),
            *(_value(point.get(name)) for name in names),
        )
        for point in found.points
    )
    return _table((*axes, *map(catalogue.metric_label, names)), rows)


def _value(metric: Metric | None) -> str:
    return "–" if metric is None else format_interval(metric.mean, metric.interval, metric.unit, metric.name)


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, of whose rows the first are shown; nothing without any."""
    found = list(rows)
    if not found:
        return ""

    def row(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    more = f"<p>and {len(found) - MOST_ROWS} more</p>" if len(found) > MOST_ROWS else ""
    body = "".join(row(cells, "td") for cells in found[:MOST_ROWS])
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>{more}"
