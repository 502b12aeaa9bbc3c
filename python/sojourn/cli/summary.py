"""Results as text tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sojourn import outages, path_findings, phases, phrases, resources, services, tails
from sojourn.answers.bottleneck import shares_of_packet_rate_limits
from sojourn.cli import controlled, recoveries
from sojourn.cli.output import filled, table
from sojourn.point import failed, format_quantile
from sojourn.reading import text_of
from sojourn.results import Metric, Point, Results
from sojourn.uncertainty import Kind
from sojourn.units import format_interval, format_value, percent, rounded, span

FIRST = (
    "response_time",
    "transaction_time",
    "transaction_rate",
    "throughput",
    "throughput_l3",
    "throughput_l4",
    "collision_rate",
    "collision_loss",
    "utilisation",
)
MAX_MEMBERS = 5
APART = ("delay_budget/", "unrecovered/")
"""Metrics that have a part of their own."""


SWEPT = (
    "response_time",
    "one_way_delay",
    "transaction_rate",
    "throughput_l3",
    "collision_rate",
    "utilisation",
    "voice_channels",
    "fifo_underflow",
    "fifo_overflow",
    "mos",
    "loss",
    "failures",
)
"""Columns of a sweep, in order, where the network has them."""
MOST_CHANNELS = 5
MOST_FOUND = 4
"""Most columns that are added to a sweep of which no other column varies."""
QUANTILES = ("p50", "p90", "p95", "p99")


def of_point(results: Results, point: Point) -> str:
    """All of one point: that nothing settles, if so, times, rates and counts, members, bottleneck, delay budget."""
    numbers = [_times(point), _numbers(point), _members(point), recoveries.of_point(point)]
    corrected = controlled.of_points([point])
    tail = results.raw.get("tail")
    extreme = filled(tails.sentence(tail)) if tail else ""
    answers = [*numbers, corrected, extreme]
    overload = filled(phrases.capitalised(resources.overload(point)))
    parts = [overload, heading(results, point), *answers, _bottleneck(point), _budget(point)]
    return "\n\n".join(part for part in parts if part)


def of_phases(results: Results) -> str:
    """The answer of a measurement, a statement a line; of one along axes its outages, if there were any."""
    path = path_findings.answer(results)
    if said := phases.answer(results):
        return "\n".join(filled(f"{title}: {text}") for title, text in [*said, *path])
    lines = [outages.sentence(results), *(f"{title}: {text}" for title, text in path)]
    return "\n".join(filled(line) for line in lines if line)


def of_points(results: Results, judged: Sequence[tuple[str, str]] = ()) -> str:
    """One row per point: the settings, the response time, and the network's metrics.

    `judged` are the metrics and fields that a condition asks for; they have columns of their own.
    """
    axes = list(results.axes)
    several = len(results.experiments) > 1
    columns = _columns(results, judged)
    head = [*(["experiment"] if several else []), *axes, *(title for title, _ in columns)]
    rows = [
        [
            *([point.experiment] if several else []),
            *(_setting(point, key, results) for key in axes),
            *(cell(point) for _, cell in columns),
        ]
        for point in results.points
    ]
    text = table(rows, head, keys=len(axes) + several)
    if any("*" in cell for row in rows for cell in row):
        text += "\n* fewer than ten effective samples beyond it"
    if _lossy(results.points):
        text += "\nmeans are of those delivered"
    corrected = controlled.of_points(results.points)
    return f"{text}\n{corrected}" if corrected else text


def _columns(results: Results, judged: Sequence[tuple[str, str]]) -> list[tuple[str, Callable[[Point], str]]]:
    """Title and cells of each column but the settings."""
    names = [name for name in SWEPT if any(point.get(name) for point in results.points)]
    if "throughput_l3" in names:
        names = [name for name in names if name != "transaction_rate"]
    if not _varies(results, names):
        names += _found(results, names)[:MOST_FOUND]
    columns: list[tuple[str, Callable[[Point], str]]] = []
    for name in names:
        channels = _channels(results) if name == "utilisation" else []
        columns += [(full, partial(_central_at, full)) for full in channels or [name]]
        if name == "response_time":
            columns += [("p99", partial(field_at, name, "p99")), ("delivered", partial(delivered_at, name))]
    shown = {*names, "response_time.p99"}
    for name, field in judged:
        title = name if field in ("mean", "value") else f"{name}.{field}"
        if title not in shown:
            columns.append((title, partial(field_at, name, field)))
    return [(title, cell) for title, cell in columns if any(cell(point) != "–" for point in results.points)]


def _varies(results: Results, names: list[str]) -> bool:
    """Whether any of these metrics differs between points."""
    return any(
        len({metric.mean for point in results.points if (metric := point.get(name))}) > 1
        for name in names
        if not name.startswith("utilisation")
    )


def _found(results: Results, known: list[str]) -> list[str]:
    """Other metrics of the whole network that differ between points."""
    others = dict.fromkeys(name for point in results.points for name in point.metrics if "/" not in name)
    return [name for name in others if name not in known and _varies(results, [name])]


def _channels(results: Results) -> list[str]:
    """The utilisation of each channel, where there are several but few."""
    names = dict.fromkeys(name for point in results.points for name in point.metrics if name.startswith("utilisation/"))
    return list(names) if 1 < len(names) <= MOST_CHANNELS else []


def _central_at(name: str, point: Point) -> str:
    return central(point.get(name))


def field_at(name: str, field: str, point: Point) -> str:
    """A field of a metric at a point, with its interval."""
    metric = point.metrics.get(name)
    if metric is None:
        return "–"
    return central(metric) if field in ("mean", "value") else format_quantile(metric, field)


def delivered_at(name: str, point: Point) -> str:
    """How many messages of a flow were delivered, where that is known."""
    metric = point.metrics.get(name)
    return metric.delivered if metric is not None and metric.sent is not None else "–"


def _lossy(points: Sequence[Point]) -> bool:
    return any(
        metric.is_distribution and metric.failed_share > 0 for point in points for metric in point.metrics.values()
    )


def central(metric: Metric | None) -> str:
    """A metric's central value with its confidence interval."""
    return "–" if metric is None else format_interval(metric.mean, metric.interval, metric.unit, metric.name)


def next_steps(file: Path, point: Point | None = None, *, whole: bool = True) -> str:
    """Suggested commands, with a suitable key of the scenario and a condition on what was sampled at a point.

    Behind a first screen only those that can be typed as they are.
    """
    text = text_of(file)
    key, swept, varied = _key_to_try(text)
    find = f"sojourn find {file} --vary '{key}={varied}' --until '{_condition_to_try(point)}'"
    sweep, report = (
        f"sojourn sweep {file} --over '{key}={swept}'   effect of a key",
        f"sojourn run {file} --out DIR   figures and a report",
    )
    if re.search(r"^\[question\]", text, re.MULTILINE):
        find = f"sojourn find {file} --out DIR   answer its question in a report"
        if not whole:
            return f"next: sojourn find {file}   answers its question"
    if not whole:
        return f"next: {sweep if key != 'KEY' else report}"
    return f"next: {sweep}\n      {find}\n      {report}"


def _condition_to_try(point: Point | None) -> str:
    """A condition on what the network has: requests, else calls, streams, or the packets that are lost."""
    time = None if point is None else services.time_of(point)
    if point is None or (time is not None and time.name == "response_time"):
        return "response_time.p99 < 100 ms"
    if point.get("mos") is not None:
        return "mos > 4"
    if time is not None:
        return f"{time.name}.p99 < 100 ms"
    return "loss < 1 %" if point.get("loss") is not None else "METRIC < VALUE"


def _key_to_try(scenario: str) -> tuple[str, str, str]:
    """(key, values to sweep, range to search): the background's rate or streams, or a station's count."""
    background = re.search(r"^\[background\]\n((?:[^\[\n].*\n|\n)*)", scenario, re.MULTILINE)
    rate = background and re.search(r'^rate = "([\d.]+) *([^"]+)"', background[1], re.MULTILINE)
    if rate:
        value, unit = float(rate[1]), rate[2]
        half = rounded(value / 2, 6)
        return (
            "background.rate",
            f"{half}:{rounded(2 * value, 6)}:{half} {unit}",
            f"{half}:{rounded(4 * value, 6)} {unit}",
        )
    streams = background and re.search(r"^streams = (\d+)", background[1], re.MULTILINE)
    if streams:
        return "background.streams", f"0:{streams[1]}:1", f"0:{streams[1]}"
    counted = re.search(r'^name = "([\w-]+)"\s*\ncount = (\d+)', scenario, re.MULTILINE)
    if counted:
        name, count = counted[1], int(counted[2])
        return f"station.{name}.count", f"{count}:{2 * count}:{max(1, count // 5)}", f"{count}:{4 * count}"
    return "KEY", "LOW:HIGH:STEP UNIT", "LOW:HIGH UNIT"


def heading(results: Results, point: Point) -> str:
    """What was simulated or measured, and how often."""
    raw = point.raw
    runs = f"{raw['replications']} {'replication' if raw['replications'] == 1 else 'replications'}"
    where = f", {phrases.settings(point.set, results.axes)}" if point.set else ""
    live = results.raw["world"] != "simulated"
    warm_up = "" if live else f" after {format_value(raw['warm_up'], 's')} of warm-up"
    where += f", {point.experiment}" if live else ""
    often = f"{runs} of {format_value(raw['duration'], 's')}{warm_up}, seed {results.raw['seed']}"
    return filled(f"{results.raw['network']}{where}: {often}; ± and ranges are 95 % confidence intervals")


def _times(point: Point) -> str:
    """Two rows for each time: its values, and below them what was delivered and the 95 % confidence intervals."""
    rows = []
    for name, metric in point.metrics.items():
        if metric.is_distribution and (metric.applies or metric.undelivered):
            rows += _time(name, metric)
    if not rows:
        return ""
    text = table(rows, ["time", "mean", *QUANTILES, "max"])
    if any("*" in cell for row in rows for cell in row):
        text += "\n* fewer than ten effective samples beyond it"
    return text + ("\nmeans are of those delivered" if _lossy([point]) else "")


def _time(name: str, metric: Metric) -> list[list[str]]:
    fields = ("mean", *QUANTILES, "max")
    values = {field: metric.field(field) for field in fields}
    above, below = [name], [f"  {metric.delivered}" + ("" if metric.sent is not None else " samples")]
    for field, value in values.items():
        if metric.uncertainty(field).kind is Kind.not_reached:
            above.append("not reached")
            below.append(failed(metric) if field == metric.not_reached[0] else "")
            continue
        weak = "*" if field in metric.weak else ""
        shown = format_value(value, metric.unit, beside=values.values())
        above.append(_bounded(value, metric, shown) + weak)
        below.append(span(value, metric.interval_of(field), metric.unit))
    return [above, below]


def _bounded(value: float | None, metric: Metric, shown: str) -> str:
    """A value with the error bound of the clock that it rests on, where there is one: "20.1 ± 20.0 ms"."""
    error = metric.field("error")
    if value is None or not error:
        return shown
    return format_interval(value, (value - error, value + error), metric.unit, metric.name)


def _numbers(point: Point) -> str:
    plain = [
        metric
        for name, metric in point.metrics.items()
        if not metric.is_distribution and "/" not in name and metric.applies
    ]
    plain.sort(key=lambda metric: (FIRST.index(metric.name) if metric.name in FIRST else len(FIRST), metric.name))
    return _listed("rate or count", [(metric.name, metric) for metric in plain], int(point.raw["replications"]))


def _listed(title: str, rows: Sequence[tuple[str, Metric | None]], runs: int) -> str:
    """Names with values; of a count the number of runs it is the total of."""
    if not rows:
        return ""
    counts = runs > 1 and any(metric is not None and metric.is_count for _, metric in rows)
    cells = [
        [name, central(metric) if metric is not None else ""]
        + ([f"all {runs} runs" if metric is not None and metric.is_count else ""] if counts else [])
        for name, metric in rows
    ]
    return table(cells, [title, "value", *(["total of"] if counts else [])])


def _members(point: Point) -> str:
    """The members of every metric, largest first; of many only the first few."""
    families: dict[str, list[Metric]] = {}
    for name, metric in point.metrics.items():
        if "/" in name and not name.startswith(APART) and not metric.is_distribution and metric.applies:
            families.setdefault(name.split("/", 1)[0], []).append(metric)
    rows: list[tuple[str, Metric | None]] = []
    for metrics in families.values():
        metrics.sort(key=lambda metric: (-(metric.mean or 0.0), phrases.natural(metric.name)))
        rows += [(metric.name, metric) for metric in metrics[:MAX_MEMBERS]]
        if len(metrics) > MAX_MEMBERS:
            rows.append((f"  and {len(metrics) - MAX_MEMBERS} more", None))
    return _listed("member", rows, int(point.raw["replications"]))


def _bottleneck(point: Point) -> str:
    """What saturates first: a channel by the packets that it can carry, else the resource that is asked for most."""
    return busiest_channel(point) or filled(resources.bottleneck(point))


def busiest_channel(point: Point) -> str:
    """The channel nearest to the packet rate at which it saturates."""
    shares = shares_of_packet_rate_limits(point)
    if not shares:
        return ""
    channel, share = next(iter(shares.items()))
    busy = point.members("utilisation").get(channel) or point.get("utilisation")
    utilisation = f"utilisation {format_value(busy.mean, busy.unit, busy.name)}, " if busy is not None else ""
    rate = point.members("throughput_l3").get(channel) or point["throughput_l3"]
    carried = format_value(rate.mean, "1/s", "throughput_l3")
    return filled(f"busiest channel: {channel}, {utilisation}{carried}, {percent(share)} of the rate it can sustain")


def _budget(point: Point) -> str:
    rows = []
    for component in point.components:
        metric = point[f"delay_budget/{component}"]
        if metric.field("mean"):
            shares = [percent(metric.field(of) or 0.0, digits=1) for of in ("share", "slowest_share")]
            slowest = format_value(metric.field("slowest_mean"), "s", beside=[metric.field("mean")])
            mean, name = format_value(metric.field("mean"), "s"), phrases.component(component)
            rows.append([name, mean, shares[0], slowest, shares[1]])
    return table(rows, ["delay budget", "mean", "share", "slowest 1 %", "share"]) if rows else ""


def _setting(point: Point, key: str, results: Results) -> str:
    found = point.set.get(key)
    return "–" if found is None else phrases.value(found, results.axes.get(key))
