"""Comparison of two results, point by point: first the probe's response time, then what else differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sojourn.comparison.batches import Batches, batched
from sojourn.comparison.counts import poisson_difference
from sojourn.comparison.paired import CARRIED, Difference, Quantile, difference, student_quantile
from sojourn.comparison.quantiles import Gap, gaps
from sojourn.comparison.tails import measured_difference, quantile_difference
from sojourn.errors import ResultsError
from sojourn.results import QUANTILES, Metric, Point, Results
from sojourn.units import format_ends, format_value

ASKED = ("response_time", "failures", "one_way_delay", "loss", "mos")
"""The metrics of the question, where both results have them: they are compared whatever they show.

Of requests their times and failures, of streams and calls their delays, losses and ratings."""
REQUESTS, ONE_WAY = ASKED[:2], ASKED[2:]
TAILS = ("p50", "p99")
MOST_SHOWN = 20
"""Most rows that a notebook shows of a comparison."""
FEW = 2
"""Replications with which an interval is several times as wide as with ten."""
Pairs = list[tuple[Point, Point, str]]
"""Points of both results with the name of a metric that both have."""


@dataclass(repr=False)
class Comparison:
    """The differences of two results, and the points that only one of them holds."""

    asked: list[tuple[Point, Difference]] = field(default_factory=list)
    """Mean, median, p99 and failures of the probe, or the metrics asked for, whether or not they differ."""
    others: list[tuple[Point, Difference]] = field(default_factory=list)
    """Every other metric that was compared."""
    only_first: list[Point] = field(default_factory=list)
    only_second: list[Point] = field(default_factory=list)
    confidence: float = 0.95
    """Confidence of each interval of `asked`; together at least 95 %."""
    others_confidence: float = 0.95
    """Confidence of each interval of `others`; together at least 95 %."""
    paired: bool = False
    """Whether both use common random numbers, replication by replication."""
    notes: list[str] = field(default_factory=list)
    """What the intervals do not cover."""
    gaps: list[Gap] = field(default_factory=list)
    """The distributions by percentiles, where one was simulated and the other measured."""

    @property
    def shown(self) -> list[tuple[Point, Difference]]:
        """The significant differences of the other metrics, largest first."""
        found = [(point, gap) for point, gap in self.others if gap.shown]
        return sorted(found, key=lambda pair: -abs(pair[1].relative or float("inf")))

    @property
    def decidable(self) -> bool:
        """Whether any row of the question could be decided."""
        return any(gap.decided for _, gap in self.asked)

    @property
    def differs(self) -> bool:
        """Whether a row of the question differs significantly, or a point is missing on one side."""
        return bool(any(gap.shown for _, gap in self.asked) or self.only_first or self.only_second)

    def __repr__(self) -> str:
        """The rows of the question, then how many other metrics differ."""
        lines = []
        for point, gap in self.asked:
            where = ", ".join([point.experiment, *(f"{key} = {value}" for key, value in point.set.items())])
            change = format_value(gap.value, gap.unit, gap.metric)
            if gap.interval is not None:
                change = format_ends(gap.value, gap.interval, gap.unit, gap.metric, abs(gap.first or 0.0))
            lines.append(f"{where}: {gap.metric} {gap.field} {change}: {gap.verdict}")
        shown = lines[:MOST_SHOWN] + ([f"and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else [])
        return "\n".join([*shown, f"of {len(self.others)} other metrics {len(self.shown)} differ", *self.notes])


def compare_results(  # noqa: PLR0913
    first: Results,
    second: Results,
    *,
    tolerance: float = 0.0,
    metrics: list[str] | None = None,
    members: bool = False,
    quantile: Quantile = student_quantile,
) -> Comparison:
    """Compares the points that both hold: the probe first, or the metrics asked for, then every other metric.

    The intervals of each of the two groups are simultaneous (Bonferroni): of a thousand single ones, fifty would
    exclude zero by chance. The number of stations does not change the verdict on the probe. `members` adds the members
    of metrics, as one per station. A metric asked for may be one quantile of a time: "response_time.p95".
    """
    partners = _partners(first, second)
    shared: Pairs = [
        (point, partner, name)
        for point in first.points
        if (partner := partners.get(id(point))) is not None
        for name in point.metrics
        if name in partner.metrics and not name.startswith("delay_budget/")
    ]
    worlds = {results.raw.get("world") for results in (first, second)}
    asked, others = _groups(shared, metrics, members=members, simulated=worlds == {"simulated"})
    if not asked:
        raise ResultsError("the two results share no point with a metric in common")
    # a measurement has no random numbers in common with anything, whatever its seed
    paired = worlds == {"simulated"} and first.raw["seed"] == second.raw["seed"]
    matched = {id(partner) for partner in partners.values()}
    comparison = Comparison(
        only_first=[point for point in first.points if id(point) not in partners],
        only_second=[point for point in second.points if id(point) not in matched],
        paired=paired,
    )
    if len(worlds) > 1:
        matching = [(point, partners[id(point)]) for point in first.points if id(point) in partners]
        comparison.gaps = gaps(first, second, matching, [name.partition(".")[0] for name in metrics or []])
    sides = _Sides(first, second, paired, tolerance, quantile)
    comparison.asked, comparison.confidence = sides.compared(asked, lambda metric: _asked_fields(metric, metrics))
    comparison.others, comparison.others_confidence = sides.compared(others, lambda _: ("mean",))
    comparison.notes = [*sides.notes(), *_few(comparison, first, second)]
    return comparison


def _groups(shared: Pairs, metrics: list[str] | None, *, members: bool, simulated: bool) -> tuple[Pairs, Pairs]:
    """The pairs of the question, and all others."""
    if metrics:
        return [pair for pair in shared if _asked_fields(pair[0][pair[2]], metrics)], []
    wanted = [pair for pair in shared if members or "/" not in pair[2]]
    known = {name for *points, name in wanted if all(_is_observed(point[name]) for point in points)}
    kinds = [kind for kind in (REQUESTS, ONE_WAY) if kind[0] in known]
    # a measurement of requests has delays of either direction as well, which say no more of the question
    kinds = kinds if simulated else kinds[:1]
    asked = [pair for pair in wanted if any(pair[2] in kind for kind in kinds) and pair[2] in known]
    if not asked:
        return wanted, []
    place = {id(point): number for number, (point, _, _) in enumerate(asked)}
    asked.sort(key=lambda pair: (place[id(pair[0])], ASKED.index(pair[2])))
    rows = set(map(id, asked))
    return asked, [pair for pair in wanted if id(pair) not in rows]


def _is_observed(metric: Metric) -> bool:
    return metric.applies or metric.undelivered


def _asked_fields(metric: Metric, wanted: list[str] | None) -> tuple[str, ...]:
    """The fields of a metric that are compared: its mean and tails, or the quantiles that were asked for by name."""
    if not wanted or metric.name in wanted:
        return ("mean", *(TAILS if metric.is_distribution else ()))
    return tuple(field for field in QUANTILES if metric.is_distribution and f"{metric.name}.{field}" in wanted)


@dataclass
class _Sides:
    """Both results, and how their points are compared."""

    first: Results
    second: Results
    paired: bool
    tolerance: float
    quantile: Quantile
    batches: dict[str, list[Batches]] = field(default_factory=dict)

    def compared(
        self, pairs: Pairs, fields: Callable[[Metric], tuple[str, ...]]
    ) -> tuple[list[tuple[Point, Difference]], float]:
        """The differences of these fields of metrics and the confidence of each."""
        rows = [(point, partner, name, of) for point, partner, name in pairs for of in fields(point[name])]
        confidence = 1 - 0.05 / max(1, len(rows))
        found = []
        for point, partner, name, of in rows:
            gap = self._difference(point, partner, name, of, confidence)
            if gap is not None:
                found.append((point, gap))
        return found, confidence

    def _difference(self, point: Point, partner: Point, name: str, of: str, confidence: float) -> Difference | None:
        given: Any = {"confidence": confidence, "tolerance": self.tolerance, "quantile": self.quantile}
        parts = [self._batched(results, one, name) for results, one in ((self.first, point), (self.second, partner))]
        one, two = (part.metric if part else side[name] for part, side in zip(parts, (point, partner), strict=True))
        gap: Difference | None
        if _in_one_piece(self.first, point) and _in_one_piece(self.second, partner) and one.is_count and two.is_count:
            ends = poisson_difference(int(one.mean or 0), 1, int(two.mean or 0), 1, confidence)
            gap = Difference(name, one.unit, one.mean, two.mean, ends, paired=False, tolerance=self.tolerance)
        elif of == "mean":
            gap = difference(one, two, paired=self.paired, **given)
        elif parts[0] and parts[1]:
            gap = measured_difference(parts[0], parts[1], of, **given)
        else:
            gap = quantile_difference(one, two, of, paired=self.paired, **given)
        if gap is None:
            return None
        return replace(gap, floor=self._floor(point, partner, name), judged=name.partition("/")[0] not in CARRIED)

    def _batched(self, results: Results, point: Point, name: str) -> Batches | None:
        """Of a measurement in one piece, batches of the metric's samples in place of replications."""
        if not _in_one_piece(results, point):
            return None
        found = batched(results, point, name)
        if found is not None:
            self.batches.setdefault(name, []).append(found)
        return found

    def _floor(self, point: Point, partner: Point, name: str) -> float:
        """Of two measurements of a time, the higher noise floor: smaller differences are the measuring host's."""
        floors = [one.get("noise_floor") for one in (point, partner)]
        if not point[name].is_distribution or not all(floors):
            return 0.0
        return max(metric.mean or 0.0 for metric in floors if metric is not None)

    def notes(self) -> list[str]:
        """What is to be known of measurements."""
        if not self.batches:
            return []
        every = [batches for found in self.batches.values() for batches in found]
        noted = [
            "a measurement in one piece has no replications: its intervals are of batches of consecutive samples and "
            "do not cover what changes from one measurement to the next, losses are taken as independent, and "
            "differences below the noise floor are not shown"
        ]
        if any(batches.correlated for batches in every):
            noted.append("neighbouring batches are correlated: the path varies slowly, measure longer")
        return noted


def _in_one_piece(results: Results, point: Point) -> bool:
    """Whether a point was measured without replications."""
    return results.raw.get("world") != "simulated" and int(point.raw["replications"]) == 1


def _few(comparison: Comparison, first: Results, second: Results) -> list[str]:
    """Why nothing is shown, where the number of replications is the reason."""
    runs = sorted({int(point.raw["replications"]) for results in (first, second) for point in results.points})
    if not comparison.decidable and runs == [1]:
        return ["not decidable: one run each; use --replications"]
    if 1 < runs[0] <= FEW and not comparison.differs:
        return [f"{runs[0]} runs show large differences only; use --replications 10"]
    return []


def _partners(first: Results, second: Results) -> dict[int, Point]:
    """The second's point for each of the first's; two single experiments are matched by their settings alone."""
    alone = len(first.experiments) == 1 and len(second.experiments) == 1
    by_key = {(None if alone else point.experiment, point.key[1]): point for point in second.points}
    found = {id(point): by_key.get((None if alone else point.experiment, point.key[1])) for point in first.points}
    return {index: partner for index, partner in found.items() if partner is not None}
