"""The figures of a run or a sweep that belongs to no study."""

from __future__ import annotations

from typing import Any

from sojourn.figures import Figure
from sojourn.results import Results

MEMBERS = {
    "utilisation": "Utilisation of the media",
    "throughput_l3": "Packets on the media",
    "packet_rate": "Packets delivered",
    "packets": "Top talkers",
}


def automatic_figures(results: Results, search: dict[str, Any] | None = None) -> list[Figure]:
    """Time distribution, delay budget and members of a run; curves over its longest axis for a sweep; and for a search
    what it asked."""
    points = results.points
    if not points:
        return []
    names = {name for point in points for name in point.metrics if point.get(name)}
    experiments = results.experiments
    axis = longest_axis(results)
    if len(points) == 1 or axis is None:
        figures = [_figure("course", "course", "Over time", experiments, y="response_time")]
        response = {"y": "response_time", "log": True}
        figures.append(_figure("response-time", "distribution", "Response time", experiments, **response))
        figures.append(_figure("spectrum", "spectrum", "Rare response times", experiments, y="response_time"))
        figures.append(_figure("budget", "budget", "Where the time goes", experiments))
        for base, title in MEMBERS.items():
            if any(name.startswith(f"{base}/") for name in names):
                figures.append(_figure(f"members-{base}", "members", title, experiments, y=base))
        missing = {"response_time"} - names
        return [figure for figure in figures if not missing.intersection(figure.y) and _has_course(figure, results)]
    figures = _asked(search, axis, experiments) if search else []
    for name, title in (
        ("response_time", "Response time"),
        ("transaction_rate", "Transaction rate"),
        ("throughput", "Data rate"),
    ):
        if name in names:
            figures.append(_figure(name.replace("_", "-"), "comparison", title, experiments, x=axis, y=name))
    carried = [name for name in ("throughput_l3", "throughput_l4", "collision_rate") if name in names]
    if carried:
        saturation = axis == "background.rate" and len(results.axes) == 1
        figures.append(
            _figure(
                "throughput",
                "curves",
                "Throughput and collisions",
                experiments,
                x=axis,
                y=carried,
                saturation=saturation,
            )
        )
    if "utilisation" in names:
        figures.append(_figure("utilisation", "comparison", "Utilisation", experiments, x=axis, y="utilisation"))
    figures.append(_figure("budget", "budget", "Where the time goes", experiments, x=axis))
    return figures


def _has_course(figure: Figure, results: Results) -> bool:
    """Whether a figure over time, if it is one, shows what a clock has seen: of a simulation nobody asks for it."""
    return figure.kind != "course" or results.raw["world"] == "live"


def _asked(search: dict[str, Any], axis: str, experiments: list[str]) -> list[Figure]:
    """Each condition of a search against the key it varied."""
    tried = search.get("asked") or search.get("found") or {"conditions": []}
    return [
        _figure(
            f"asked-{number}",
            "limit",
            f"What was asked: {condition['text']}",
            experiments,
            x=axis,
            y=condition["metric"],
            field_name=condition["field"],
            limit=condition["limit"],
        )
        for number, condition in enumerate(tried["conditions"], 1)
    ]


def longest_axis(results: Results) -> str | None:
    """The key with the most values, numbers before words."""

    def size(key: str) -> tuple[bool, int]:
        return results.axes[key] is not None, len({point.set.get(key) for point in results.points})

    return max(results.axes, key=size, default=None)


def _figure(figure_id: str, kind: str, title: str, experiments: list[str], **more: Any) -> Figure:
    return Figure.read({"id": figure_id, "kind": kind, "title": title, "experiments": experiments, **more})
