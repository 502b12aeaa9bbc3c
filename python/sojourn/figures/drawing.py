"""What a figure function gets: the description of the figure, the results, and the published numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.reference import Published
from sojourn.results import Metric, Point, Results
from sojourn.units import Scale, has_ladder, is_share, scale


@dataclass(frozen=True)
class Figure:
    """A figure as a study describes it."""

    id: str
    kind: str
    title: str = ""
    caption: str = ""
    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None
    experiments: tuple[str, ...] = ()
    at: tuple[float, ...] = ()
    bin: str | None = None
    log: bool = False
    saturation: bool = False
    scale: dict[str, str] = field(default_factory=dict)
    """What an axis is like: `{ x = "log" }`."""
    field_name: str = "mean"
    """Which field of the metric is shown, where a kind shows one that is not its mean."""
    where: dict[str, Any] = field(default_factory=dict)
    """Draws only the points with these settings, in SI units: `{ "station.paclen" = 256 }`."""
    limit: float | None = None
    """What is asked of it, in SI units."""
    until: float | None = None
    """How much of the time from 0 is shown, in seconds."""

    @property
    def doubles(self) -> bool:
        """Whether `x` is drawn by its logarithm: packet sizes that double."""
        return self.scale.get("x") == "log"

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Figure:
        """Reads a description; a single metric or experiment may stand without a list."""
        known = {key: value for key, value in raw.items() if key in cls.__dataclass_fields__ and value is not None}
        for name in ("y", "experiments", "at"):
            if name in known:
                known[name] = tuple(known[name]) if isinstance(known[name], list | tuple) else (known[name],)
        return cls(**known)


@dataclass
class Drawing:
    """A figure in the making."""

    figure: Figure
    results: Results
    published: tuple[Published, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What the caption has to say of marks and intervals."""
    points_drawn: list[Point] = field(default_factory=list)
    """The points whose runs and seed the caption states."""

    @cached_property
    def experiments(self) -> list[str]:
        """The figure's experiments that the results hold, in the figure's order."""
        wanted = self.figure.experiments or tuple(self.results.experiments)
        present = [experiment for experiment in wanted if experiment in self.results.experiments]
        if not present:
            raise UnknownName(
                f"figure {self.figure.id} shows {labels.list_of(list(wanted))}, which these results do not hold"
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

    def note(self, text: str) -> None:
        """Adds a sentence to the caption, once."""
        if text not in self.notes:
            self.notes.append(text)

    def title_of(self, experiment: str) -> str:
        """An experiment's id and title: "D  Ordinary"."""
        title = self.titles.get(experiment, "")
        return f"{experiment}  {title}" if title and title != experiment else experiment

    def scale_of(self, name: str, fields: tuple[str, ...] = ("mean",)) -> Scale:
        """The display unit of a metric over all points of the figure."""
        sizes, unit = [0.0], "1"
        for experiment in self.experiments:
            for point in self.points(experiment):
                metric = point.get(name)
                if metric is not None:
                    unit = metric.unit
                    sizes += [abs(value) for field in fields if (value := central(metric, field)) is not None]
        chosen = scale(unit, sorted(sizes)[len(sizes) // 2] or max(sizes), name)
        return Scale(chosen.factor, labels.metric_unit(name, chosen.unit))

    def axis_title(self, name: str, shown: Scale) -> str:
        """The title of a metric's axis."""
        return labels.with_unit(labels.metric_label(name), shown.unit)

    def key_title(self, key: str | None) -> str:
        """The title of a key's axis."""
        return labels.with_unit(labels.key_label(key), labels.key_unit(key, self.results.axes.get(key))) if key else ""

    def key_title_and_factor(self, key: str | None, middle: float) -> tuple[str, float]:
        """The title of a key's axis in a unit that suits a value in SI units, and how large that unit is."""
        unit = self.results.axes.get(key) if key else None
        if not key or not has_ladder(unit):
            return self.key_title(key), 1.0
        shown = scale(unit, middle)
        return labels.with_unit(labels.key_label(key), shown.unit), shown.factor

    def other_settings(self, point: Point) -> list[str]:
        """The settings of a point other than `x` and `where`, in words."""
        axes, known = self.results.axes, {self.figure.x, *self.figure.where}
        return [labels.setting(key, value, axes.get(key)) for key, value in point.set.items() if key not in known]

    def at_setting(self, value: Any) -> str:
        """A value of `x` in words."""
        key = self.figure.x or ""
        return "" if value is None else labels.setting(key, value, self.results.axes.get(key))

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
                part = [labels.setting(by, point.set[by], self.results.axes.get(by))] if by in point.set else []
                panels.setdefault(", ".join([self.title_of(experiment), *part]), []).append(point)
        return list(panels.items())

    def rest(self, point: Point) -> str:
        """The settings of a point other than `x`, `by` and `where`, in words."""
        axes, known = self.results.axes, {self.figure.x, self.figure.by, *self.figure.where}
        kept = {key: value for key, value in point.set.items() if key not in known}
        return ", ".join(labels.setting(key, value, axes.get(key)) for key, value in kept.items())

    def published_of(self, experiment: str, metric: str, fields: tuple[str, ...]) -> list[Published]:
        """The published numbers to draw over one experiment's metric."""
        return [
            row
            for row in self.published
            if row.experiment == experiment and row.metric == metric and row.field in fields and self._shows(row.set)
        ]


def ends(metric: Metric) -> tuple[float, float]:
    """The ends of a metric's interval as drawn: no time, rate or count reaches below 0, no share above 1.

    With few runs Student's interval does; the tables hold it whole.
    """
    low, high = metric.ends
    return max(low, 0.0), min(high, 1.0) if is_share(metric.name) else high


def central(metric: Metric, field_name: str) -> float | None:
    """A field of a metric; "mean" is the value of a scalar."""
    return metric.mean if field_name == "mean" else metric.field(field_name)
