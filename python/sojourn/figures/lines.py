"""Metrics over a key with their 95 % confidence intervals, in one panel per unit or per experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sojourn import catalogue, phrases
from sojourn.comparison.paired import difference
from sojourn.errors import UnknownName
from sojourn.figures import floor, marks, open_ends, theme
from sojourn.figures import vegalite as vl
from sojourn.figures.axes import cycled, x_axis, y_axis
from sojourn.figures.drawing import Drawing, drawn
from sojourn.figures.marks import Entry, Panel
from sojourn.point import failed, format_quantile
from sojourn.results import Metric, Point
from sojourn.uncertainty import Kind
from sojourn.units import Scale, format_interval

PANEL_WIDTH, PANEL_HEIGHT = 340, 240
STACKED_HEIGHT = 200
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
    panels = [panel for panel in _panels(drawing) if panel.series]
    if not panels:
        raise UnknownName(f"figure {drawing.figure.id} shows {phrases.list_of(list(drawing.figure.y))}, not in results")
    _name_statistics(drawing, panels)
    shared = by_experiment or len({tuple(panel.series) for panel in panels}) == 1
    domain = list(dict.fromkeys(name for panel in panels for name in panel.series)) if shared else None
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
    label = shared_label(names)
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


def shared_label(names: list[str]) -> str:
    """What metrics of one unit have in common."""
    if len(names) == 1:
        return catalogue.metric_label(names[0])
    first, *others = map(catalogue.metric_label, names)
    common = {"s": "Time", "bit/s": "Throughput"}.get(str(catalogue.metric(names[0]).get("unit")))
    if all(name.startswith("throughput") for name in names):  # of packets, too
        common = "Throughput"
    return common or " and ".join([first, *map(phrases.within_a_sentence, others)])


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
    """One row for each statistic of a metric at a point; without a value where it is not reached."""
    rows = []
    for statistic in _statistics(drawing):
        known = drawn(metric, FIELDS.get(statistic, statistic))
        x = point.set.get(drawing.figure.x or "")
        if known.kind is Kind.not_reached:
            drawing.note(
                f"{phrases.capitalised(statistic)} is not reached at {drawing.at_setting(x)}: {failed(metric)}"
            )
        elif known.value is None:
            continue
        row = {"x": x, "series": series, "value": shown.number(known.value)}
        if known.kind is not Kind.none and not drawing.figure.members:
            row |= {"low": shown.number(known.low), "high": shown.number(known.high)}
        if (ends := metric.raw.get(_band_of(statistic))) and not drawing.figure.members:
            row |= {"next_low": shown.number(ends[0]), "next_high": shown.number(ends[1])}
        of = STATISTICS.get(statistic, statistic)
        rows.append(row | {"of": of, "label": _label(drawing, row, of, metric, statistic)})
    return rows


def _band_of(statistic: str) -> str:
    """The field of results with the band of the next measurement."""
    return "band95" if statistic in ("mean", "value") else f"{statistic}_band95"


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
    if all(len(panel.series) <= 1 for panel in panels):
        for panel in panels:
            panel.rows, panel.beyond = (
                [row | {"series": row["of"], "of": ""} for row in rows] for rows in (panel.rows, panel.beyond)
            )
            panel.lines = []
        return
    shown = list(dict.fromkeys(row["of"] for panel in panels for row in panel.rows))
    styles = ["solid", "dashed", "dotted", "dash-dotted"]
    drawing.note(
        phrases.capitalised(", ".join(f"{style} lines: {of}" for style, of in zip(styles, shown, strict=False)))
    )


def _chart(  # noqa: PLR0913, PLR0917
    drawing: Drawing, panel: Panel, domain: list[str] | None, width: int, height: int, alike: list[Panel]
) -> Any:
    """One panel; `alike` are those that share the scale of its values."""
    names = domain or panel.series
    statistics = list(dict.fromkeys(str(row["of"]) for row in panel.rows))
    scaled = [row[end] for one in alike for row in one.rows for end in ("low", "value") if row.get(end) is not None]
    if drawing.figure.baseline is None:
        scaled += [panel.shown.number(value) for one in alike for value in marks.published_values(drawing, one)]
    axis = y_axis(drawing, panel.label, panel.shown, scaled)
    if any(row.get("high", 0.0) is None for one in alike for row in (*one.rows, *one.beyond)) or any(
        one.beyond for one in alike
    ):
        axis["scale"] |= {"domainMax": _top(drawing, alike, scaled), "nice": False}
    x = x_axis(drawing, [*panel.rows, *panel.beyond])
    y = vl.Field("value:Q", **axis)
    legend = theme.legend_of(names) if len(names) > 1 else None

    def by_series(values: Sequence[Any]) -> vl.Field:
        scale = vl.Scale(domain=names, range=cycled(values, len(names)))
        return vl.Field("series:N", sort=names, legend=legend, scale=scale)

    colour, shape, dash = by_series(theme.PALETTE), by_series(theme.SHAPES), by_series(theme.DASHES)
    if len(statistics) > 1:
        scale = vl.Scale(domain=statistics, range=cycled(LINES, len(statistics)))
        dash = vl.Field("of:N", sort=statistics, legend=None, scale=scale)
    layers = floor.beside(drawing, panel.names[0], panel.shown, panel.points, axis["scale"])
    layers += _next_bands(drawing, panel, names, x, axis)
    layers += _bands(drawing, panel, names, x, axis)
    if set(FIELDS) & set(_statistics(drawing)):
        drawing.note(EXTREMES_NOTE)
    # what is not reached is a gap of its line
    lines = theme.chart([*panel.rows, *panel.beyond])
    base = theme.chart(panel.rows)
    points = base.mark("point", filled=True, size=36, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip="label:N", description="label:N"
    )
    if len(statistics) > 1:
        points = points.filtered(f"datum.of == '{statistics[0]}'")
    layers += [
        lines.mark("line", strokeWidth=2, tooltip=None, aria=False).encode(x=x, y=y, color=colour, strokeDash=dash),
        points,
    ]
    open_ended = [row for row in panel.rows if row.get("high", 0.0) is None and row["of"] in ("", *statistics[:1])]
    layers += open_ends.arrows(open_ended, x=x, color=colour)
    layers += open_ends.crosses(panel.beyond, names, x=x, color=colour)
    layers = marks.beneath(drawing, panel, layers) + marks.over(
        drawing, panel, {"x": x, "color": colour}, height, _pairs(drawing)
    )
    return vl.layer(*layers).properties(width=width, height=height, title=theme.panel_title(panel.title))


def _bands(drawing: Drawing, panel: Panel, names: list[str], x: vl.Field, axis: dict[str, Any]) -> list[Any]:
    """The bands of the first statistic."""
    first = next((str(row["of"]) for row in (*panel.rows, *panel.beyond)), "")
    rows = [row for row in (*panel.rows, *panel.beyond) if row["of"] in ("", first)]
    if not any(row.get("low") is not None for row in rows):
        return []
    drawing.note(PAIRED_NOTE if drawing.figure.baseline else open_ends.BANDS)
    if any(row.get("high", 0.0) is None for row in rows):
        drawing.note(open_ends.OPEN)
    if not any(isinstance(row["x"], str) for row in rows):
        rows = sorted(rows, key=lambda row: row["x"])
    begin = axis["scale"].get("domainMin")
    known = [{"low": None, "high": None} | row for row in rows]
    if begin is not None:
        known = [row if row["low"] is None else row | {"low": max(row["low"], begin)} for row in known]
    colours = dict(zip(names, cycled(theme.PALETTE, len(names)), strict=True))
    return open_ends.bands(known, axis["scale"].get("domainMax", 0.0), colours, x, axis)


def _next_bands(drawing: Drawing, panel: Panel, names: list[str], x: vl.Field, axis: dict[str, Any]) -> list[Any]:
    """The bands of the next measurement, of the first statistic."""
    first = next((str(row["of"]) for row in panel.rows), "")
    rows = [row for row in panel.rows if row["of"] in ("", first) and row.get("next_low") is not None]
    if not rows:
        return []
    drawing.note(open_ends.NEXT)
    if not any(isinstance(row["x"], str) for row in rows):
        rows = sorted(rows, key=lambda row: row["x"])
    begin = axis["scale"].get("domainMin", 0.0)
    known = [row | {"low": max(row["next_low"], begin), "high": row["next_high"]} for row in rows]
    colours = dict(zip(names, cycled(theme.PALETTE, len(names)), strict=True))
    return open_ends.bands(known, axis["scale"].get("domainMax", 0.0), colours, x, axis, open_ends.LIGHTER)


def _top(drawing: Drawing, alike: Sequence[Panel], scaled: Sequence[float | None]) -> float:
    """Where the axis ends that bands without an upper end reach up to."""
    ends = [row.get(end) for one in alike for row in (*one.rows, *one.beyond) for end in ("low", "high")]
    limit = [one.shown.number(drawing.figure.limit) for one in alike]
    return open_ends.top_of([*scaled, *ends, *limit], drawing.figure.axis_scale("y") == "log")
