"""A figure being drawn: its description, the results and the published numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

from sojourn import catalogue, phrases
from sojourn.catalogue import is_share
from sojourn.errors import UnknownName
from sojourn.reference import Published
from sojourn.results import Metric, Point, Results
from sojourn.uncertainty import Uncertainty
from sojourn.units import Scale, has_ladder, scale

FIVE_DIGITS = 10_000


@dataclass(frozen=True)
class Figure:
    """A figure as a study describes it; the kinds and their options are declared in the registry of figure kinds."""

    id: str
    kind: str
    title: str = ""
    caption: str = ""
    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None
    experiments: tuple[str, ...] = ()
    at: tuple[Any, ...] = ()
    where: dict[str, Any] = field(default_factory=dict)
    """Restricts the figure to the points with these settings, in SI units: `{ "station.paclen" = 256 }`."""
    facet: str = "metric"
    """`experiment`: one panel per experiment and value of `by`; else one per unit of `y`."""
    statistics: tuple[str, ...] = ()
    """Fields of a distribution, as `mean` and `p999`; the mean without any."""
    members: bool = False
    """One line or bar per member of `y`."""
    baseline: str | None = None
    """The experiment from which differences are shown."""
    bin: str | None = None
    """Bin width of a histogram, as `15 ms`."""
    saturation: bool = False
    scale: dict[str, str] = field(default_factory=dict)
    """Scale of each axis: `{ x = "log" }`."""
    limit: float | None = None
    """A limit on `y`, in SI units."""
    until: str | None = None
    """End of the axis of time, as `1 s`."""

    def axis_scale(self, axis: str) -> str:
        """The scale of an axis: `linear`, `log` or `symlog`."""
        return self.scale.get(axis, "linear")

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Figure:
        """Reads a description; a list of one may be written as its item."""
        known = {key: value for key, value in raw.items() if key in cls.__dataclass_fields__ and value is not None}
        for name in ("y", "experiments", "at", "statistics"):
            if name in known:
                known[name] = tuple(known[name]) if isinstance(known[name], list | tuple) else (known[name],)
        return cls(**known)


@dataclass
class Drawing:
    """The figure, its results, and what its caption states."""

    figure: Figure
    results: Results
    published: tuple[Published, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Sentences of the caption on marks and intervals."""
    points_drawn: list[Point] = field(default_factory=list)
    """The points whose replications and seed the caption states."""

    @cached_property
    def experiments(self) -> list[str]:
        """The figure's experiments that the results hold, in the figure's order."""
        wanted = self.figure.experiments or tuple(self.results.experiments)
        present = [experiment for experiment in wanted if experiment in self.results.experiments]
        if not present:
            raise UnknownName(
                f"figure {self.figure.id} shows {phrases.list_of(list(wanted))}, which these results do not hold"
            )
        return present

    def points(self, experiment: str) -> list[Point]:
        """The points of one experiment that the figure shows, remembered for the caption."""
        points = [point for point in self.results.select(experiment) if self._shows(point.set)]
        self.points_drawn += [point for point in points if point not in self.points_drawn]
        return points

    def _shows(self, settings: dict[str, Any]) -> bool:
        """Whether settings, where they speak of the figure's `where`, are those it asks for."""
        return all(settings.get(key, value) == value for key, value in self.figure.where.items())

    def first_trace(self, name: str, point: Point) -> list[tuple[float, float]]:
        """(seconds, value) of a trace of the first replication, in the order of time."""
        found = self.results.columns_at(point, name, "traces")
        rows = zip(found["replication"], found["time_s"], found["value"], strict=True)
        return sorted(((time, value) for run, time, value in rows if run == 0), key=itemgetter(0))

    def note(self, text: str) -> None:
        """Adds a sentence to the caption, once."""
        if text not in self.notes:
            self.notes.append(text)

    def title_of(self, experiment: str) -> str:
        """An experiment's id and title: "D  Ordinary"."""
        title = self.titles.get(experiment, "")
        return f"{experiment}  {title}" if title and title != experiment else experiment

    def scale_of(self, name: str, fields: tuple[str, ...] = ("mean",)) -> Scale:
        """The display unit of a metric over all points of the figure: that of the middle value, unless the largest
        would need five digits."""
        sizes, unit = [0.0], "1"
        for experiment in self.experiments:
            for point in self.points(experiment):
                metric = point.get(name)
                if metric is not None:
                    unit = metric.unit
                    sizes += [abs(value) for field in fields if (value := central(metric, field)) is not None]
        largest = max(sizes)
        shown = scale(unit, sorted(sizes)[len(sizes) // 2] or largest, name)
        return scale(unit, largest, name) if largest >= FIVE_DIGITS * shown.factor else shown

    def axis_title(self, name: str, shown: Scale) -> str:
        """The title of a metric's axis."""
        return phrases.with_unit(catalogue.metric_label(name), shown.unit)

    def key_title(self, key: str | None) -> str:
        """The title of a key's axis."""
        return phrases.key_title(self.results.axes.get(key or ""))

    def key_title_and_factor(self, key: str | None, middle: float) -> tuple[str, float]:
        """The title of a key's axis in a unit that suits a value in SI units, and the size of that unit."""
        axis = self.results.axes.get(key or "")
        if axis is None or not has_ladder(axis.unit):
            return self.key_title(key), 0.01 if axis is not None and axis.shown_unit == "%" else 1.0
        shown = scale(axis.unit, middle)
        return phrases.with_unit(axis.label, shown.unit), shown.factor

    def categories(self, points: list[Point]) -> tuple[str, dict[Any, Any]]:
        """The title of the axis of `x` as categories, and each value of it in the unit of the title."""
        values = [value for point in points if (value := point.set.get(self.figure.x or "")) is not None]
        if not values or any(isinstance(value, str | bool) for value in values):
            return self.key_title(self.figure.x), {value: value for value in values}
        title, factor = self.key_title_and_factor(self.figure.x, sorted(values)[len(values) // 2])
        return title, {value: float(f"{value / factor:.6g}") for value in values}

    def other_settings(self, point: Point) -> list[str]:
        """The settings of a point other than `x` and `where`, as text."""
        return self._settings(point, {self.figure.x, *self.figure.where})

    def at_setting(self, value: Any) -> str:
        """A value of `x` as text."""
        key = self.figure.x or ""
        return "" if value is None else phrases.setting(key, value, self.results.axes.get(key))

    def _settings(self, point: Point, known: set[str | None]) -> list[str]:
        axes = self.results.axes
        return [phrases.setting(key, value, axes.get(key)) for key, value in point.set.items() if key not in known]

    def panels(self) -> list[tuple[str, list[Point]]]:
        """The points to draw, one panel for each experiment and value of `by`, with the panel's title.

        `at` keeps the points whose `x` is among its values.
        """
        panels: dict[str, list[Point]] = {}
        for experiment in self.experiments:
            for point in self.points(experiment):
                if self.figure.at and point.set.get(self.figure.x or "") not in self.figure.at:
                    continue
                by = self.figure.by
                part = [phrases.named_setting(by, point.set[by], self.results.axes.get(by))] if by in point.set else []
                panels.setdefault(", ".join([self.title_of(experiment), *part]), []).append(point)
        return list(panels.items())

    def rest(self, point: Point) -> str:
        """The settings of a point other than `x`, `by` and `where`, as text."""
        return ", ".join(self._settings(point, {self.figure.x, self.figure.by, *self.figure.where}))

    def line_of_difference(self, experiment: str, point: Point) -> str:
        """The name of the line of an experiment's differences from the baseline that a point belongs to."""
        return ", ".join([self.title_of(experiment), *self.other_settings(point)])

    def published_of(self, experiment: str, metric: str, fields: tuple[str, ...]) -> list[Published]:
        """The published numbers to draw over one experiment's metric."""
        return [
            row
            for row in self.published
            if row.experiment == experiment and row.metric == metric and row.field in fields and self._shows(row.set)
        ]


def drawn(metric: Metric, name: str = "mean") -> Uncertainty:
    """What is known of a field, as drawn: no time is below its minimum, no rate or count below 0, no fraction above 1.

    Student's interval exceeds these with few replications; the tables show it whole.
    """
    known = metric.uncertainty(name)
    least = (metric.field("min") or 0.0) if metric.is_distribution else 0.0
    most = 1.0 if is_share(metric.name) else math.inf
    return replace(
        known,
        low=None if known.low is None else max(known.low, least),
        high=None if known.high is None else min(known.high, most),
    )


def central(metric: Metric, field_name: str) -> float | None:
    """A field of a metric; "mean" is the value of a scalar."""
    return metric.mean if field_name == "mean" else metric.field(field_name)
