"""Alternatives beside each other: the objective of each with its 95 % interval; those that are out are grey.

A report shows it where changes were compared (`sojourn advise`).
"""

from __future__ import annotations

from typing import Any

from sojourn import advice
from sojourn.errors import UnknownName
from sojourn.figures import theme
from sojourn.figures import vegalite as vl
from sojourn.figures.drawing import Drawing
from sojourn.units import Scale, scale

STATES = {"selected": "selected", "equal": "equal within the indifference", "dearer": "costs more, and is better"}
OUT = "out"
OPEN = "not decided"
MOST = 24
"""Most alternatives: the others are worse."""


def draw(drawing: Drawing) -> Any:
    """A mark and its interval for each alternative with a value, the best above; a line where the answer is."""
    found: dict[str, Any] = drawing.results.raw.get("advice") or {"alternatives": [], "better": "lower"}
    known = [one for one in advice.in_order(found) if one["value"] is not None]
    if not known:
        raise UnknownName(f"figure {drawing.figure.id} needs compared alternatives, which these results do not hold")
    drawing.points_drawn = list(drawing.results.points)
    metric = str(found["objective"]).rpartition(".")[0]
    values = sorted(one["value"] for one in known)
    shown = scale(found["unit"], values[len(values) // 2], metric)
    rows = [_row(one, found, shown) for one in known[:MOST]]
    names = [state for state in (*STATES.values(), OPEN, OUT) if any(row["state"] == state for row in rows)]
    if len(known) > MOST:
        drawing.note(f"The best {MOST} of {len(known)}")
    drawing.note("Whiskers are 95 % confidence intervals of the mean over the runs of each, by which it was compared")
    without = [str(one["name"]) for one in found["alternatives"] if one["value"] is None]
    if without:
        drawing.note(f"Without a value: {', '.join(without)}")
    palette = [theme.MUTED if name == OUT else theme.PALETTE[at] for at, name in enumerate(names)]
    y = vl.Field("of:N", sort=None, title=None, axis=vl.Axis(labelLimit=420, labelFlush=False))
    x = vl.Field("value:Q", title=_title(found, metric, shown), scale=vl.Scale(zero=False))
    colour = vl.Field(
        "state:N",
        scale=vl.Scale(domain=names, range=palette),
        legend=theme.legend_of(names) if len(names) > 1 else None,
    )
    layers: list[Any] = [
        theme.chart([row for row in rows if row["low"] is not None])
        .mark("rule", strokeWidth=2, tooltip=None, aria=False)
        .encode(x="low:Q", x2="high:Q", y=y, color=colour),
        theme.chart(rows)
        .mark("point", filled=True, size=70, opacity=1)
        .encode(x=x, y=y, color=colour, tooltip="label:N", description="label:N"),
    ]
    if best := [row for row in rows if row["state"] == STATES["selected"]]:
        line = theme.chart(best).mark("rule", color=theme.PALETTE[0], strokeDash=[4, 3], tooltip=None, aria=False)
        layers.insert(0, line.encode(x="value:Q"))
    return vl.layer(*layers).properties(width=theme.WIDTH - 160, height={"step": 26})


def _row(one: dict[str, Any], found: dict[str, Any], shown: Scale) -> dict[str, Any]:
    low, high = one["ci95"] or (None, None)
    name, runs = str(one["name"]), one["replications"]
    status = str(one["status"])
    state = STATES.get(status, OPEN if status == "open" else OUT)
    after = f" (out after {runs} runs)" if state == OUT else f" ({runs} runs)"
    label = f"{name}: {advice.value(one, found)}, {advice.outcome(one, found)}"
    return {
        "of": name + after,
        "state": state,
        "value": shown.number(one["value"]),
        "low": shown.number(low),
        "high": shown.number(high),
        "label": label,
    }


def _title(found: dict[str, Any], metric: str, shown: Scale) -> str:
    from sojourn import catalogue, phrases  # noqa: PLC0415

    field = str(found["objective"]).rpartition(".")[2]
    label = catalogue.metric_label(metric)
    return phrases.with_unit(label if field in ("mean", "value") else f"{label}, {field}", shown.unit)
