"""Metrics over a key with their 95 % confidence intervals, in one panel per unit or per experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sojourn import catalogue, phrases
from sojourn.comparison.paired import difference
from sojourn.errors import UnknownName
from sojourn.figures import floor, marks, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import cycled, x_axis, y_axis
from sojourn.figures.drawing import Drawing, interval_of
from sojourn.figures.marks import Entry, Panel
from sojourn.point import failed, format_quantile
from sojourn.results import Metric, Point
from sojourn.units import Scale, format_interval

PANEL_WIDTH, PANEL_HEIGHT = 340, 240
STACKED_HEIGHT = 200
BAND_NOTE = "Bands are 95 % confidence intervals"
PAIRED_NOTE = "Bands are 95 % confidence intervals of the difference, paired by replication"
EXTREMES_NOTE = "Minimum and maximum are those of one replication, averaged over replications"
STATISTICS = {"p50": "median", "p999": "p99.9", "min": "minimum", "max": "maximum"}
"""Labels of statistics that differ from their names."""
FIELDS = {"min": "min_mean", "max": "max_mean"}
"""Fields of a distribution that a statistic shows, where they differ from its name."""
LINES = [[1, 0], [4, 3], [1, 2], [8, 3, 2, 3], [6, 2], [2, 4], [10, 4]]
"""Dash patterns of statistics."""


def draw(drawing: Drawing) -> Any:
    """One panel for each unit of `y`, stacked; or one for each experiment and value of `by`, side by side."""
    by_experiment = drawing.figure.facet == "experiment"
    panels = [panel for panel in _panels(drawing) if panel.rows]
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} shows {phrases.list_of(list(drawing.figure.y))}, not in results")
    _name_statistics(drawing, panels)
    shared = by_experiment or len({tuple(_series(panel)) for panel in panels}) == 1
    domain = list(dict.fromkeys(name for panel in panels for name in _series(panel))) if shared else None
    if len(panels) == 1:
        return _chart(drawing, panels[0], domain, theme.WIDTH, theme.HEIGHT, panels)
    share: Any = "shared" if shared else "independent"
    if by_experiment:
        charts = [_chart(drawing, panel, domain, PANEL_WIDTH, PANEL_HEIGHT, panels) for panel in panels]
        return theme.panels(charts, 2).resolve_scale(
            x="independent", y="shared", color=share, shape=share, strokeDash=share
        )
    charts = [_chart(drawing, panel, domain, theme.WIDTH, STACKED_HEIGHT, [panel]) for panel in panels]
    return vl.vconcat(*charts, spacing=22).resolve_scale(color=share, shape=share, strokeDash=share)


def _panels(drawing: Drawing) -> list[Panel]:
    figure = drawing.figure
    if figure.facet != "experiment":
        groups: dict[str, list[str]] = {}
        for name in figure.y:
            groups.setdefault(drawing.scale_of(name, _fields(drawing)).unit, []).append(name)
        return [_of_unit(drawing, names) for names in groups.values()]
    shown = drawing.scale_of(figure.y[0], _fields(drawing))
    panels = []
    for title, points in drawing.panels():
        entries = list(_members(drawing, points) if figure.members else _settings(drawing, points))
        rows = [row for series, name, point in entries for row in _rows(drawing, series, point[name], point, shown)]
        panels.append(Panel(title, catalogue.metric_label(figure.y[0]), shown, list(figure.y), points, rows, entries))
    return panels


def _of_unit(drawing: Drawing, names: list[str]) -> Panel:
    """The panel of metrics with the same unit."""
    figure = drawing.figure
    shown = drawing.scale_of(names[0], _fields(drawing))
    points = [point for experiment in drawing.experiments for point in drawing.points(experiment)]
    label = catalogue.metric_label(names[0]) if len(names) == 1 else "Throughput"
    if figure.baseline is not None:
        rows = [row for name in names for row in _differences(drawing, name, shown)]
        return Panel("", f"{label}, difference to {figure.baseline}", shown, names, points, rows)
    entries = [
        (_series_of(drawing, experiment, name, names, point), name, point)
        for experiment in drawing.experiments
        for name in names
        for point in drawing.points(experiment)
        if point.get(name) is not None
    ]
    rows = [row for series, name, point in entries for row in _rows(drawing, series, point[name], point, shown)]
    return Panel("", label, shown, names, points, rows, entries)


def _series_of(drawing: Drawing, experiment: str, name: str, names: list[str], point: Point) -> str:
    """The name of a line within its panel: metric, experiment and settings where they differ."""
    several = len(drawing.experiments) > 1
    metric = catalogue.metric_label(name)
    if len(names) > 1:
        first = f"{experiment}: {phrases.within_a_sentence(metric)}" if several else metric
    else:
        first = drawing.title_of(experiment) if several else ""
    return ", ".join(part for part in (first, *drawing.other_settings(point)) if part)


def _settings(drawing: Drawing, points: list[Point]) -> Iterator[Entry]:
    """A line for each metric and each setting of the keys other than `x` and `by`."""
    names = drawing.figure.y
    for name in names:
        for point in points:
            if point.get(name) is not None:
                metric = [catalogue.metric_label(name)] if len(names) > 1 else []
                yield ", ".join(part for part in (*metric, drawing.rest(point)) if part), name, point


def _members(drawing: Drawing, points: list[Point]) -> Iterator[Entry]:
    """A line for each member, over the points that share the first setting of every key but `x`."""
    others = {key: value for key, value in points[0].set.items() if key != drawing.figure.x}
    if others:
        drawing.note(f"{drawing.title_of(points[0].experiment)}: {phrases.settings(others, drawing.results.axes)}")
    for point in points:
        if all(point.set.get(key) == value for key, value in others.items()):
            for member in point.members(drawing.figure.y[0]):
                yield member, f"{drawing.figure.y[0]}/{member}", point


def _statistics(drawing: Drawing) -> tuple[str, ...]:
    return drawing.figure.statistics or ("mean",)


def _fields(drawing: Drawing) -> tuple[str, ...]:
    return tuple("mean" if name in FIELDS else name for name in _statistics(drawing))


def _rows(drawing: Drawing, series: str, metric: Metric, point: Point, shown: Scale) -> list[dict[str, Any]]:
    """One row for each statistic of a metric at a point."""
    rows = []
    for statistic in _statistics(drawing):
        value = metric.mean if statistic == "mean" else metric.field(FIELDS.get(statistic, statistic))
        if statistic in metric.not_reached:
            where = drawing.at_setting(point.set.get(drawing.figure.x or ""))
            drawing.note(f"{phrases.capitalised(statistic)} is not reached at {where}: {failed(metric)}")
        if value is None:
            continue
        row = {"x": point.set.get(drawing.figure.x or ""), "series": series, "value": shown.number(value)}
        interval = interval_of(metric, statistic)
        if interval is not None and not drawing.figure.members:
            row |= {"low": shown.number(interval[0]), "high": shown.number(interval[1])}
        of = STATISTICS.get(statistic, statistic)
        rows.append(row | {"of": of, "label": _label(drawing, row, of, metric, statistic)})
    return rows


def _label(drawing: Drawing, row: dict[str, Any], of: str, metric: Metric, statistic: str) -> str:
    """A point in words, for tooltips and screen readers: "300 packets/s, D: mean response time 15.2 ± 0.5 ms"."""
    where = ", ".join(part for part in (drawing.at_setting(row["x"]), row["series"]) if part)
    what = f"{of} " if metric.is_distribution else ""
    name = phrases.within_a_sentence(catalogue.metric_label(metric.name))
    if statistic == "mean":
        value = format_interval(metric.mean, metric.interval, metric.unit, metric.name)
    else:
        value = format_quantile(metric, FIELDS.get(statistic, statistic))
    return f"{where}: {what}{name} {value}" if where else f"{what}{name} {value}"


def _differences(drawing: Drawing, name: str, shown: Scale) -> list[dict[str, Any]]:
    """The metric of every other experiment less that of the baseline, point by point."""
    rows = []
    for experiment, first, second in _pairs(drawing):
        one, two = first.get(name), second.get(name)
        gap = difference(one, two, paired=True) if one and two else None
        if gap is None:
            continue
        low, high = gap.interval or (gap.value, gap.value)
        x, series = second.set.get(drawing.figure.x or ""), drawing.line_of_difference(experiment, second)
        change = format_interval(gap.value, gap.interval, gap.unit, name)
        rows.append(
            {
                "x": x,
                "series": series,
                "of": "mean",
                "value": shown.number(gap.value),
                "low": shown.number(low),
                "high": shown.number(high),
                "label": f"{drawing.at_setting(x)}, {series}: difference {change}",
            }
        )
    return rows


def _pairs(drawing: Drawing) -> list[tuple[str, Point, Point]]:
    """The points of each other experiment with the baseline's point of the same settings."""
    base = drawing.figure.baseline or ""
    return [
        (experiment, first, second)
        for experiment in drawing.experiments
        if experiment != base
        for first in drawing.points(base)
        for second in drawing.points(experiment)
        if second.set == first.set
    ]


def _name_statistics(drawing: Drawing, panels: Sequence[Panel]) -> None:
    """Where panels have one series each, their lines are named for the statistics."""
    if len(_statistics(drawing)) == 1:
        return
    if all(len(_series(panel)) <= 1 for panel in panels):
        for panel in panels:
            panel.rows = [row | {"series": row["of"], "of": ""} for row in panel.rows]
            panel.lines = []
        return
    drawn = list(dict.fromkeys(row["of"] for panel in panels for row in panel.rows))
    styles = ["solid", "dashed", "dotted", "dash-dotted"]
    drawing.note(
        phrases.capitalised(", ".join(f"{style} lines: {of}" for style, of in zip(styles, drawn, strict=False)))
    )


def _series(panel: Panel) -> list[str]:
    return list(dict.fromkeys(str(row["series"]) for row in panel.rows))


def _chart(  # noqa: PLR0913, PLR0917
    drawing: Drawing, panel: Panel, domain: list[str] | None, width: int, height: int, alike: list[Panel]
) -> Any:
    """One panel; `alike` are those that share the scale of its values."""
    names = domain or _series(panel)
    statistics = list(dict.fromkeys(str(row["of"]) for row in panel.rows))
    scaled = [row[end] for one in alike for row in one.rows for end in ("low", "value") if end in row]
    if drawing.figure.baseline is None:
        scaled += [panel.shown.number(value) for one in alike for value in marks.published_values(drawing, one)]
    axis = y_axis(drawing, panel.label, panel.shown, scaled)
    x = x_axis(drawing, panel.rows)
    y = vl.Field("value:Q", **axis)
    legend = theme.legend_of(names) if len(names) > 1 else None

    def by_series(values: Sequence[Any]) -> vl.Field:
        scale = vl.Scale(domain=names, range=cycled(values, len(names)))
        return vl.Field("series:N", sort=names, legend=legend, scale=scale)

    colour, shape, dash = by_series(theme.PALETTE), by_series(theme.SHAPES), by_series(theme.DASHES)
    if len(statistics) > 1:
        scale = vl.Scale(domain=statistics, range=cycled(LINES, len(statistics)))
        dash = vl.Field("of:N", sort=statistics, legend=None, scale=scale)
    begin = axis["scale"].get("domainMin")
    bands = [
        row if begin is None else row | {"low": max(row["low"], begin)}
        for row in panel.rows
        if "low" in row and row["of"] in ("", statistics[0])
    ]
    layers = floor.beside(drawing, panel.names[0], panel.shown, panel.points, axis["scale"])
    if bands:
        drawing.note(PAIRED_NOTE if drawing.figure.baseline else BAND_NOTE)
        area = theme.chart(bands).mark("area", opacity=0.18, tooltip=None, aria=False)
        layers.append(area.encode(x=x, y=vl.Field("low:Q", **axis), y2="high:Q", color=colour))
    if set(FIELDS) & set(_statistics(drawing)):
        drawing.note(EXTREMES_NOTE)
    base = theme.chart(panel.rows)
    points = base.mark("point", filled=True, size=36, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip="label:N", description="label:N"
    )
    if len(statistics) > 1:
        points = points.filtered(f"datum.of == '{statistics[0]}'")
    layers += [
        base.mark("line", strokeWidth=2, tooltip=None, aria=False).encode(x=x, y=y, color=colour, strokeDash=dash),
        points,
    ]
    layers = marks.beneath(drawing, panel, layers) + marks.over(
        drawing, panel, {"x": x, "color": colour}, height, _pairs(drawing)
    )
    return vl.layer(*layers).properties(width=width, height=height, title=theme.panel_title(panel.title))
