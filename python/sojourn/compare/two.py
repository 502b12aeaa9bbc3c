"""Comparison of two results, point by point."""

from __future__ import annotations

from dataclasses import dataclass, field

from sojourn.compare.paired import Difference, Quantile, difference, student_quantile
from sojourn.compare.quantiles import Gap, gaps
from sojourn.errors import ResultsError
from sojourn.results import Point, Results


@dataclass
class Comparison:
    """All differences of two results, and the points that only one of them holds."""

    differences: list[tuple[Point, Difference]] = field(default_factory=list)
    only_first: list[Point] = field(default_factory=list)
    only_second: list[Point] = field(default_factory=list)
    confidence: float = 0.95
    """Confidence of each interval; jointly 95 %."""
    paired: bool = False
    """Whether both use common random numbers, replication by replication."""
    gaps: list[Gap] = field(default_factory=list)
    """The distributions by percentiles, where one was simulated and the other measured."""

    @property
    def shown(self) -> list[tuple[Point, Difference]]:
        """The significant differences, largest first."""
        found = [(point, gap) for point, gap in self.differences if gap.shown]
        return sorted(found, key=lambda pair: -abs(pair[1].relative or float("inf")))

    @property
    def differs(self) -> bool:
        """Whether any difference is significant or a point is missing on one side."""
        return bool(self.shown or self.only_first or self.only_second)


def compare_results(
    first: Results,
    second: Results,
    *,
    tolerance: float = 0.0,
    metrics: list[str] | None = None,
    quantile: Quantile = student_quantile,
) -> Comparison:
    """Compares every metric of every point that both hold.

    The intervals are simultaneous (Bonferroni): of a thousand single ones, fifty would exclude zero by chance.
    """
    partners = _partners(first, second)
    pairs = [
        (point, partner, name)
        for point in first.points
        if (partner := partners.get(id(point))) is not None
        for name in point.metrics
        if name in partner.metrics and not name.startswith("delay_budget/") and (not metrics or name in metrics)
    ]
    if not pairs:
        raise ResultsError("the two results share no point with a metric in common")
    confidence = 1 - 0.05 / len(pairs)
    matched = {id(partner) for partner in partners.values()}
    comparison = Comparison(
        only_first=[point for point in first.points if id(point) not in partners],
        only_second=[point for point in second.points if id(point) not in matched],
        confidence=confidence,
    )
    # a measurement has no random numbers in common with a simulation, whatever its seed
    worlds = {results.raw.get("world") for results in (first, second)}
    comparison.paired = len(worlds) == 1 and first.raw["seed"] == second.raw["seed"]
    if len(worlds) > 1:
        matching = [(point, partners[id(point)]) for point in first.points if id(point) in partners]
        comparison.gaps = gaps(first, second, matching, metrics)
    for point, partner, name in pairs:
        gap = difference(
            point[name],
            partner[name],
            paired=comparison.paired,
            confidence=confidence,
            tolerance=tolerance,
            quantile=quantile,
        )
        if gap is not None:
            comparison.differences.append((point, gap))
    return comparison


def _partners(first: Results, second: Results) -> dict[int, Point]:
    """The second's point for each of the first's; two single experiments are matched by their settings alone."""
    alone = len(first.experiments) == 1 and len(second.experiments) == 1
    by_key = {(None if alone else point.experiment, point.key[1]): point for point in second.points}
    found = {id(point): by_key.get((None if alone else point.experiment, point.key[1])) for point in first.points}
    return {index: partner for index, partner in found.items() if partner is not None}
