"""What an answer function gets: what is asked and the results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sojourn import labels
from sojourn.results import Metric, Point, Results
from sojourn.units import say_interval


@dataclass(frozen=True)
class Asked:
    """One `[[answer]]` of a study and the results to answer it from."""

    results: Results
    experiments: list[str]
    """The ids asked for that the results hold, in the order asked."""
    x: str | None = None
    y: str = "response_time"
    by: str | None = None
    titles: dict[str, str] = field(default_factory=dict)
    values: tuple[Any, ...] = ()
    """The settings of `x` to speak of; all where there are none."""
    where: dict[str, Any] = field(default_factory=dict)
    """Speaks only of the points with these settings, in SI units."""

    @classmethod
    def read(cls, raw: dict[str, Any], results: Results, titles: dict[str, str]) -> Asked:
        """Reads a description; `y` may stand in a list of one."""
        y = raw.get("y") or "response_time"
        wanted = raw.get("experiments") or results.experiments
        present = [experiment for experiment in wanted if experiment in results.experiments]
        at = raw.get("at")
        values = tuple(at) if isinstance(at, list) else () if at is None else (at,)
        metric, where = y[0] if isinstance(y, list) else y, raw.get("where") or {}
        return cls(results, present, raw.get("x"), metric, raw.get("by"), titles, values, where)

    def curve(self, experiment: str) -> list[tuple[Any, Point, Metric]]:
        """(setting of `x`, point, metric) in rising order of `x`, where the metric applies."""
        found = [
            (point.set[self.x], point, metric)
            for point in self.results.select(experiment)
            if self.x in point.set
            and all(point.set.get(key, value) == value for key, value in self.where.items())
            and (metric := point.get(self.y)) is not None
        ]
        return sorted(found, key=lambda row: row[0])

    def at(self, value: Any) -> str:
        """A setting of `x` in words: "300 packets/s", "256 samples"."""
        unit = labels.key_unit(self.x or "", self.results.axes.get(self.x or ""))
        if not unit:
            return labels.setting(self.x or "", value, self.results.axes.get(self.x or ""))
        return f"{value:g} {unit}".strip() if isinstance(value, int | float) else str(value)

    def others(self, point: Point) -> str:
        """The settings of a point other than `x` and `where`, in words; an empty text where there are none."""
        settings = {key: value for key, value in point.set.items() if key != self.x and key not in self.where}
        return labels.settings(settings, self.results.axes) if settings else ""

    def said(self, metric: Metric) -> str:
        """A metric's central value with its interval and unit."""
        text = say_interval(metric.mean, metric.interval, metric.unit, metric.name)
        return text.replace(" /s", f" {labels.metric_unit(metric.name, '/s')}") if metric.unit == "1/s" else text

    def name(self, experiment: str) -> str:
        """An experiment in words: "E (priority)"."""
        title = self.titles.get(experiment, "")
        return f"{experiment} ({labels.within_a_sentence(title)})" if title else experiment
