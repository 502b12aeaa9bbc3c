"""One metric of an experiment and of its variants at one value of a key, largest first: which change moves it most."""

from __future__ import annotations

from typing import Any

import altair as alt

from sojourn import labels
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures.drawing import Drawing, ends


def draw(drawing: Drawing) -> Any:
    """A mark for every setting of every experiment where `x` is the first of `at`; a line at the first experiment's."""
    name, figure = drawing.figure.y[0], drawing.figure
    base, wanted = drawing.experiments[0], figure.at[0] if figure.at else None
    found = [
        (point, metric)
        for experiment in drawing.experiments
        for point in drawing.points(experiment)
        if point.set.get(figure.x or "") == wanted and (metric := point.get(name)) is not None
    ]
    if not any(point.experiment == base for point, _ in found):
        raise UnknownName(f"figure {figure.id} compares with {base} at {wanted}, which these results do not hold")
    shown = drawing.scale_of(name)
    rows = [
        {
            "change": ", ".join([drawing.title_of(point.experiment), *drawing.other_settings(point)]),
            "of": "as it is" if point.experiment == base else "changed",
            "value": shown.number(metric.mean),
            "low": shown.number(ends(metric)[0]),
            "high": shown.number(ends(metric)[1]),
        }
        for point, metric in sorted(found, key=lambda row: -(row[1].mean or 0.0))
    ]
    at = labels.setting(figure.x or "", wanted, drawing.results.axes.get(figure.x or ""))
    drawing.note(f"At {at}; whiskers are 95 % intervals, the line is {base} as it is")
    title = drawing.axis_title(name, shown)
    marks = theme.chart(rows).encode(y=alt.Y("change:N", sort=None, title=None, axis=alt.Axis(labelLimit=420)))
    scale = alt.Scale(domain=["as it is", "changed"], range=[theme.PALETTE[1], theme.PALETTE[0]])
    layers: list[Any] = [
        theme.chart([row for row in rows if row["of"] == "as it is"])
        .mark_rule(color=theme.PALETTE[1], strokeDash=[4, 3])
        .encode(x="value:Q"),
        marks.mark_rule(color=theme.INK).encode(x="low:Q", x2="high:Q"),
        marks.mark_point(filled=True, size=60, opacity=1).encode(
            x=alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(format="~f")),
            color=alt.Color("of:N", scale=scale, legend=None),
        ),
    ]
    published = [
        {"value": shown.number(row.value)}
        for row in drawing.published_of(base, name, ("mean", "value"))
        if row.set.get(figure.x or "") == wanted
    ]
    if published:
        drawing.note("The black line is the published number")
        layers.append(theme.chart(published).mark_rule(color=theme.PUBLISHED, strokeWidth=1.5).encode(x="value:Q"))
    return alt.layer(*layers).properties(width=theme.WIDTH - 160, height=alt.Step(18))
