"""`history compare`: two runs, or a metric over time with its change points."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.history.common import (
    Form,
    HistoryFormat,
    Host,
    Network,
    Scenario,
    Since,
    Tag,
    Until,
    reading,
    require_extra,
    selection,
    written,
)
from sojourn.errors import UserError
from sojourn.store.times import S_US, clock, moment

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from sojourn.store.changes import Change
    from sojourn.store.series import Series

DAYS = 60


def compare(
    runs: Annotated[list[int] | None, typer.Argument(metavar="[RUN RUN]", help="Two runs.")] = None,
    target: Annotated[str | None, typer.Option(metavar="NAME", help="Over time: of this target of a monitor.")] = None,
    scenario: Scenario = None,
    network: Network = None,
    host: Host = None,
    tag: Tag = None,
    since: Since = None,
    until: Until = None,
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="Metric over time, with a field of it after a dot.")
    ] = "response_time.p50",
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it: FILE.html, FILE.svg or FILE.png.")
    ] = None,
    form: Form = HistoryFormat.table,
) -> int:
    """Compares two runs, or a metric with itself over time: where its level changed, and by how much.

    Of a target the windows of a monitor are taken by hour or day, with all of their requests together (--since: 60 days
    unless given); of a scenario its runs. Change points are found in the logarithm of the values, without the daily
    pattern; each has the 95 % interval of the change. The figure has the conditions of [expect] and the outages in it.

    \b
    sojourn history compare 12 15
    sojourn history compare --target gw --since '60 d' --metric response_time.p99 --figure gw.html
    sojourn history compare --scenario site --metric response_time.p99 --figure site.png
    """
    require_extra()
    if runs:
        if len(runs) != 2 or target or figure:
            raise UserError("two runs, as in `sojourn history compare 12 15`, or --target or --scenario over time")
        return _two(runs[0], runs[1], form)
    if target is None and scenario is None and tag is None:
        raise UserError("what is compared? Two runs, a --target, a --scenario or a --tag")
    chosen = selection(scenario=scenario, network=network, host=host, tag=tag, since=since, until=until)
    with reading() as connection:
        found = _series(connection, target, chosen, metric)
    return _over_time(found, metric, figure, form)


def _series(connection: Connection, target: str | None, chosen: Any, metric: str) -> list[Series]:
    from sojourn.store import series  # noqa: PLC0415

    if target is None:
        return series.of_runs(connection, chosen, metric)
    until_us = chosen.until_us or int(time.time() * S_US)
    since_us = chosen.since_us if chosen.since_us is not None else moment(f"{DAYS} d")
    return [series.of_target(connection, target, metric, since_us or 0, until_us)]


def _over_time(found: list[Series], metric: str, figure: Path | None, form: HistoryFormat) -> int:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store.changes import changes  # noqa: PLC0415

    found = [one for one in found if one.values]
    if not found:
        raise UserError(f"no values of {metric} in the store; `sojourn history` lists the runs")
    results = [(one, changes(one)) for one in found]
    if form is HistoryFormat.table:
        output.data("\n\n".join(_described(one, several) for one, several in results))
    else:
        rows = [row for one, several in results for row in _rows(one, several)]
        output.data(written(rows, form))
    if figure is not None:
        _draw(results, figure)
        output.print_message(f"wrote {figure}")
    return 0


def _described(series: Series, changes: list[Change]) -> str:
    from statistics import median  # noqa: PLC0415

    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.units import format_value  # noqa: PLC0415

    values = series.values
    head = f"{series.title}: {len(values)} values of {series.metric}, "
    head += f"{clock(values[0].begin_us)} to {clock(values[-1].begin_us)} UTC"
    if not changes:
        middle = format_value(median(value.value for value in values), series.unit, series.metric)
        return f"{head}\nno change of level; median {middle}"
    rows = [
        [
            clock(change.at_us),
            format_value(change.before, series.unit, series.metric),
            format_value(change.after, series.unit, series.metric),
            _difference(change, series),
        ]
        for change in changes
    ]
    return f"{head}\n" + output.table(rows, ["changed (UTC)", "before", "after", "change (95 % CI)"])


def _difference(change: Change, series: Series) -> str:
    from sojourn.units import format_value, percent  # noqa: PLC0415

    if change.relative:
        middle, low, high = (percent(share, digits=1, sign=True) for share in change.difference)
    else:
        middle, low, high = (format_value(value, series.unit, series.metric) for value in change.difference)
    return f"{middle} ({low} to {high})"


def _rows(series: Series, changes: list[Change]) -> list[dict[str, Any]]:
    return [
        {"series": series.title, "metric": series.metric, "at": clock(change.at_us), "before": change.before}
        | {"after": change.after, "relative": change.relative}
        | dict(zip(("change", "change_low", "change_high"), change.difference, strict=True))
        for change in changes
    ]


def _draw(results: list[tuple[Series, list[Change]]], file: Path) -> None:
    from sojourn.figures import history  # noqa: PLC0415
    from sojourn.figures.files import write  # noqa: PLC0415

    write(history.draw(results).to_dict(), file)


def _two(first: int, second: int, form: HistoryFormat) -> int:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.store import queries  # noqa: PLC0415
    from sojourn.store.compared import cells, compared  # noqa: PLC0415

    with reading() as connection:
        runs = [queries.run(connection, number) for number in (first, second)]
    rows = compared(runs[0], runs[1])
    if not rows:
        raise UserError(f"runs {first} and {second} have no point with a metric in common")
    if form is not HistoryFormat.table:
        output.data(written(rows, form))
        return 0
    head = ["point", "metric", f"run {first}", f"run {second}", "change (95 % CI)"]
    output.data(output.table([cells(row) for row in rows], head, keys=2))
    folders = [run["folder"] for run in runs]
    if all(folder and Path(folder).is_dir() for folder in folders):
        output.print_message(f"\nby replication: sojourn compare {folders[0]} {folders[1]}")
    return 0
