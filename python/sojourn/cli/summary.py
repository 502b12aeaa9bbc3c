"""Results as text tables."""

from __future__ import annotations

import re
from pathlib import Path

from sojourn import phrases
from sojourn.answers.bottleneck import busiest
from sojourn.cli.output import table
from sojourn.results import Metric, Point, Results
from sojourn.units import percent, say, say_interval

FIRST = (
    "response_time",
    "transaction_time",
    "transaction_rate",
    "throughput",
    "throughput_l3",
    "throughput_l4",
    "collision_rate",
    "utilisation",
)
MAX_MEMBERS = 5


SWEPT = ("response_time", "transaction_rate", "throughput_l3", "collision_rate", "utilisation", "loss", "failures")


def of_point(results: Results, point: Point) -> str:
    """All metrics of one point: times, rates and counts, members, delay budget."""
    numbers = [_times(point), _numbers(point), _members(point)]
    parts = [_heading(results, point), *numbers, _bottleneck(point), _budget(point)]
    return "\n\n".join(part for part in parts if part)


def of_points(results: Results) -> str:
    """One row per point: the settings, the response time, and the network's metrics."""
    axes = list(results.axes)
    names = [name for name in SWEPT if any(point.get(name) for point in results.points)]
    if "throughput_l3" in names:
        names = [name for name in names if name != "transaction_rate"]
    several = len(results.experiments) > 1
    head = [*(["experiment"] if several else []), *axes]
    for name in names:
        head.append(name)
        head += ["p99"] if name == "response_time" else []
    rows = []
    for point in results.points:
        row = [*([point.experiment] if several else []), *(_setting(point, key, results) for key in axes)]
        for name in names:
            metric = point.get(name)
            row.append(central(metric))
            row += [say(metric.field("p99") if metric else None, "s")] if name == "response_time" else []
        rows.append(row)
    return table(rows, head)


def central(metric: Metric | None) -> str:
    """A metric's central value with its confidence interval."""
    return "–" if metric is None else say_interval(metric.mean, metric.interval, metric.unit, metric.name)


def next_steps(file: Path) -> str:
    """Suggested commands, with a suitable key of the scenario."""
    text = file.read_text(encoding="utf-8")
    key, swept, varied = _key_to_try(text)
    find = f"sojourn find {file} --vary '{key}={varied}' --until 'response_time.p99 < 100 ms'"
    if re.search(r"^\[question\]", text, re.MULTILINE):
        find = f"sojourn find {file} --out DIR   answer its question in a report"
    return (
        f"next: sojourn sweep {file} --over '{key}={swept}'   effect of a key\n"
        f"      {find}\n"
        f"      sojourn run {file} --out DIR   figures and a report"
    )


def _key_to_try(scenario: str) -> tuple[str, str, str]:
    """(key, values to sweep, range to search): the background's rate or streams, or a station's count."""
    background = re.search(r"^\[background\]\n((?:[^\[\n].*\n|\n)*)", scenario, re.MULTILINE)
    rate = background and re.search(r'^rate = "([\d.]+) *([^"]+)"', background[1], re.MULTILINE)
    if rate:
        value, unit = float(rate[1]), rate[2]
        return (
            "background.rate",
            f"{value / 2:g}:{2 * value:g}:{value / 2:g} {unit}",
            f"{value / 2:g}:{4 * value:g} {unit}",
        )
    streams = background and re.search(r"^streams = (\d+)", background[1], re.MULTILINE)
    if streams:
        return "background.streams", f"0:{streams[1]}:1", f"0:{streams[1]}"
    counted = re.search(r'^name = "([\w-]+)"\s*\ncount = (\d+)', scenario, re.MULTILINE)
    if counted:
        name, count = counted[1], int(counted[2])
        return f"station.{name}.count", f"{count}:{2 * count}:{max(1, count // 5)}", f"{count}:{4 * count}"
    return "KEY", "LOW:HIGH:STEP UNIT", "LOW:HIGH UNIT"


def _heading(results: Results, point: Point) -> str:
    raw = point.raw
    runs = f"{raw['replications']} {'replication' if raw['replications'] == 1 else 'replications'}"
    where = f", {phrases.settings(point.set, results.axes)}" if point.set else ""
    live = results.raw["world"] == "live"
    warm_up = "" if live else f" after {say(raw['warm_up'], 's')} of warm-up"
    where += f", {point.experiment}" if live else ""
    often = f"{runs} of {say(raw['duration'], 's')}{warm_up}, seed {results.raw['seed']}"
    return f"{results.raw['network']}{where}: {often}; ± is the 95 % confidence interval"


def _times(point: Point) -> str:
    rows = []
    for name, metric in point.metrics.items():
        if metric.is_distribution and metric.applies:
            times = {field: metric.field(field) for field in ("p50", "p90", "p99", "max")}
            cells = [
                say(time, metric.unit, beside=times.values()) + ("*" if field in metric.weak else "")
                for field, time in times.items()
            ]
            rows.append([name, central(metric), *cells, f"{metric.field('count'):.0f}"])
    weak = any(metric.weak for metric in point.metrics.values())
    text = table(rows, ["time", "mean", "p50", "p90", "p99", "max", "samples"]) if rows else ""
    starred = weak and any("*" in cell for row in rows for cell in row)
    return f"{text}\n* fewer than ten samples beyond it" if starred else text


def _numbers(point: Point) -> str:
    plain = [
        metric
        for name, metric in point.metrics.items()
        if not metric.is_distribution and "/" not in name and metric.applies
    ]
    plain.sort(key=lambda metric: (FIRST.index(metric.name) if metric.name in FIRST else len(FIRST), metric.name))
    return table([[metric.name, central(metric)] for metric in plain], ["rate or count", "value"]) if plain else ""


def _members(point: Point) -> str:
    """The members of every metric, largest first; of many only the first few."""
    families: dict[str, list[Metric]] = {}
    for name, metric in point.metrics.items():
        if "/" in name and not name.startswith("delay_budget/") and not metric.is_distribution and metric.applies:
            families.setdefault(name.split("/", 1)[0], []).append(metric)
    rows: list[list[str]] = []
    for metrics in families.values():
        metrics.sort(key=lambda metric: -(metric.mean or 0.0))
        rows += [[metric.name, central(metric)] for metric in metrics[:MAX_MEMBERS]]
        if len(metrics) > MAX_MEMBERS:
            rows.append([f"  and {len(metrics) - MAX_MEMBERS} more", ""])
    return table(rows, ["member", "value"]) if rows else ""


def _bottleneck(point: Point) -> str:
    """The stage with the highest utilisation, if the network's utilisation is defined by it."""
    found, total = busiest(point, "utilisation"), point.get("utilisation")
    if found is None or total is None or total.mean != found[1]:
        return ""
    return f"bottleneck: {found[0]}, utilisation {percent(found[1])}"


def _budget(point: Point) -> str:
    rows = []
    for component in point.components:
        metric = point[f"delay_budget/{component}"]
        if metric.field("mean"):
            shares = [percent(metric.field(of) or 0.0, digits=1) for of in ("share", "slowest_share")]
            slowest = say(metric.field("slowest_mean"), "s", beside=[metric.field("mean")])
            rows.append([component, say(metric.field("mean"), "s"), shares[0], slowest, shares[1]])
    return table(rows, ["delay budget", "mean", "share", "slowest 1 %", "share"]) if rows else ""


def _setting(point: Point, key: str, results: Results) -> str:
    found = point.set.get(key)
    return "–" if found is None else phrases.value(found, results.axes.get(key))
