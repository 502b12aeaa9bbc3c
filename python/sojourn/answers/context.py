"""What an answer is computed from: its description and the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from sojourn import phrases
from sojourn.point import of_delivered
from sojourn.reference import Published
from sojourn.results import Metric, Point, Results
from sojourn.units import format_interval, has_ladder


@dataclass(frozen=True)
class Context:
    """One `[[answer]]` of a study and the results to answer it from."""

    results: Results
    experiments: list[str]
    """The ids asked for that the results hold, in its order."""
    x: str | None = None
    y: str = "response_time"
    by: str | None = None
    titles: dict[str, str] = field(default_factory=dict)
    reach: str = ""
    """Of a threshold: `zero` or `full-rate`."""
    values: tuple[Any, ...] = ()
    """Settings of `x`; all where there are none."""
    where: dict[str, Any] = field(default_factory=dict)
    """Restricts it to the points with these settings, in SI units."""
    published: tuple[Published, ...] = ()
    """What a sentence is held against."""

    @classmethod
    def read(
        cls, raw: dict[str, Any], results: Results, titles: dict[str, str], published: Sequence[Published] = ()
    ) -> Context:
        """Reads a description; `y` may be a list of one."""
        y = raw.get("y") or "response_time"
        wanted = raw.get("experiments") or results.experiments
        present = [experiment for experiment in wanted if experiment in results.experiments]
        at = raw.get("at")
        values = tuple(at) if isinstance(at, list) else () if at is None else (at,)
        metric, where = y[0] if isinstance(y, list) else y, raw.get("where") or {}
        reach = str(raw.get("reach") or "")
        return cls(
            results, present, raw.get("x"), metric, raw.get("by"), titles, reach, values, where, tuple(published)
        )

    def curve(self, experiment: str) -> list[tuple[Any, Point, Metric]]:
        """(setting of `x`, point, metric) in rising order of `x`, where the metric applies."""
        rows = ((x, point, point.get(self.y)) for x, point in self._points(experiment))
        return sorted(((x, point, metric) for x, point, metric in rows if metric is not None), key=itemgetter(0))

    def delivers_nothing(self, experiment: str, value: Any) -> bool:
        """Whether all messages failed whose time is asked for, at a setting of `x`."""
        at = [point for x, point in self._points(experiment) if x == value and self.y in point.raw["metrics"]]
        return any(point[self.y].undelivered for point in at)

    def _points(self, experiment: str) -> list[tuple[Any, Point]]:
        """(setting of `x`, point) of the points with the settings of `where`."""
        found = (point for point in self.results.select(experiment) if self.x in point.set)
        wanted = self.where.items()
        return [
            (point.set[str(self.x)], point)
            for point in found
            if all(point.set.get(key, value) == value for key, value in wanted)
        ]

    def at(self, value: Any) -> str:
        """A setting of `x` as text: "300 packets/s", "samples per packet = 256"."""
        key = self.x or ""
        axis = self.results.axes.get(key)
        if axis is None or not (axis.shown_unit or has_ladder(axis.unit)):
            return phrases.setting(key, value, axis)
        return phrases.value(value, axis)

    def others(self, point: Point) -> str:
        """The settings of a point other than `x` and `where`, as text; empty where there are none."""
        settings = {key: value for key, value in point.set.items() if key != self.x and key not in self.where}
        return phrases.settings(settings, self.results.axes) if settings else ""

    def value(self, metric: Metric) -> str:
        """A metric's central value with its confidence interval and unit, and the share of failures it leaves out."""
        return format_interval(metric.mean, metric.interval, metric.unit, metric.name) + of_delivered(metric)

    def axis(self) -> str:
        """The name of `x` inside a sentence: "message data"."""
        axis = self.results.axes.get(self.x or "")
        return phrases.within_a_sentence(axis.label) if axis is not None else str(self.x)

    def published_at(self, point: Point) -> float | None:
        """The published mean of `y` at a point."""
        found = (row for row in self.published if row.metric == self.y and row.field in ("mean", "value"))
        return next((row.value for row in found if row.set and row.covers(point)), None)

    def name(self, experiment: str) -> str:
        """An experiment's id and title: "E (priority)"."""
        title = self.titles.get(experiment, "")
        return f"{experiment} ({phrases.within_a_sentence(title)})" if title else experiment
