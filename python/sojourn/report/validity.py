"""Validity: calibration and prediction, intervals, warm-up, weak percentiles, sensitivity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sojourn import catalogue, phrases, services
from sojourn.comparison import MEASURED, against_published, difference
from sojourn.report import regime
from sojourn.report.table import Table
from sojourn.report.tables import quantity
from sojourn.results import Point, Results
from sojourn.units import format_value, percent

if TYPE_CHECKING:
    from sojourn.study import Study

SENSITIVE_TO = ("response_time", "throughput_l3", "collision_rate", "throughput")
MOST_LISTED = 12


@dataclass
class Validity:
    """The statements of the section and its table."""

    statements: list[tuple[str, str]] = field(default_factory=list)
    sensitivity: Table | None = None


def validity(results: Results, study: Study | None, capture: str = "") -> Validity:
    """All of the section; `capture` is what a capture cannot show."""
    said: list[tuple[str, str]] = []
    if study is not None:
        said += [
            (role.capitalize(), text) for role in ("calibration", "prediction") if (text := _role(results, study, role))
        ]
    said.append(
        (
            "Intervals",
            _intervals(results),
        )
    )
    if capture:
        said.append(("Capture", capture))
    if results.raw.get("world") == "simulated":
        said.append(("Warm-up", _warm_up(results)))
    said += regime.statements(results.provenance)
    weak = _weak(results)
    if weak:
        said.append(("Weak percentiles", weak))
    failed = [
        f"{point.experiment} {phrases.settings(point.set, results.axes)}: {point.raw['status']}"
        for point in results.points
        if point.raw["status"] != "ok"
    ]
    if failed:
        said.append(("Points that failed", "; ".join(failed)))
    return Validity(said, sensitivity(results, study))


def _intervals(results: Results) -> str:
    """The method of the intervals; none where every point was run once."""
    captured = results.raw.get("world") == "captured"
    if not captured and all(int(point.raw["replications"]) < 2 for point in results.points):
        return "None: one run of each point has no confidence interval. Use --replications."
    method = phrases.capitalised(results.raw.get("method") or "none")
    return f"{method}; every ±, range and band is a 95 % confidence interval."


def sensitivity(results: Results, study: Study | None) -> Table | None:
    """For every variant the largest difference from its base, paired: sensitivity to the assumptions."""
    titles = study.titles if study else {}
    rows = []
    for variant in results.experiments:
        base, plus, _ = variant.partition("+")
        if plus and base in results.experiments and not variant.endswith(MEASURED):
            rows += [[variant, titles.get(variant, ""), *cells] for cells in _changes(results, base, variant)]
    head = ("Variant", "Change", "Metric", "Largest difference", "At", "Points with a significant difference")
    return Table("Sensitivity", head, rows) if rows else None


def _changes(results: Results, base: str, variant: str) -> list[list[str]]:
    bases = {point.key[1]: point for point in results.select(base)}
    rows = []
    for name in SENSITIVE_TO:
        gaps = []
        for point in results.select(variant):
            first, second = bases.get(point.key[1]), point.get(name)
            if first is not None and second is not None and (before := first.get(name)) is not None:
                gap = difference(before, second, paired=True)
                if gap is not None and gap.relative is not None:
                    gaps.append((abs(gap.relative), gap, point))
        if gaps:
            _, gap, point = max(gaps, key=lambda row: row[0])
            both = " → ".join(format_value(value, gap.unit, name) for value in (gap.first, gap.second))
            both += f" ({percent(gap.relative or 0.0, sign=True)})"
            shown = f"{sum(gap.shown for _, gap, _ in gaps)} of {len(gaps)}"
            rows.append([catalogue.metric_label(name), both, phrases.settings(point.set, results.axes), shown])
    return rows


def _role(results: Results, study: Study, role: str) -> str:
    matches = [match for match in against_published(results, study.published) if match.published.role == role]
    if not matches:
        if role == "prediction":
            return "There is no published value for these experiments to which nothing was fitted."
        return ""
    met = sum(match.agrees for match in matches)
    meaning = "to which model constants were fitted" if role == "calibration" else "to which nothing was fitted"
    said = f"{met} of {len(matches)} values {meaning} agree within their tolerance"
    known = [match for match in matches if match.deviation is not None and match.room]
    if not known:
        return f"{said}."
    worst = max(known, key=lambda match: abs((match.found or 0.0) - match.published.value) / match.room)
    off = percent(worst.deviation or 0.0, digits=1, sign=True)
    room = percent(worst.room / abs(worst.published.value))
    which = "the nearest to its tolerance" if worst.agrees else "the furthest beyond it"
    number = worst.published
    at = f" at {phrases.settings(number.set, results.axes)}" if number.set else ""
    place = f"{phrases.within_a_sentence(quantity(number))}, in {number.experiment}{at}"
    return f"{said}; {which} is {place}: it is off by {off}, and ±{room} agree."


def _warm_up(results: Results) -> str:
    lengths = sorted({float(point.raw["warm_up"]) for point in results.points})
    if not lengths:
        return "none."
    if lengths == [0.0]:
        return "None: every replication is observed from its start."
    spread = (
        format_value(lengths[0], "s")
        if len(lengths) == 1
        else f"{format_value(lengths[0], 's')} to {format_value(lengths[-1], 's')}"
    )
    return f"The first {spread} of every replication are discarded."


def _weak(results: Results) -> str:
    found: dict[tuple[str, str], list[Point]] = {}
    for point in results.points:
        if (metric := services.time_of(point)) is None:
            continue
        for quantile in metric.weak:
            found.setdefault((quantile, services.label_of(metric)), []).append(point)
    said = []
    total = len(results.points)
    for (quantile, label), points in found.items():
        some = "the only point" if total == 1 else f"all {total} points" if len(points) == total else ""
        where = some or f"{len(points)} of {total} points"
        said.append(f"{quantile.replace('p999', 'p99.9')} of the {label} at {where}")
    return (
        f"Fewer than ten effective samples lie beyond {phrases.list_of(said)}: these are close to the maximum observed."
        if said
        else ""
    )
