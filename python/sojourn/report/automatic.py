"""The figures of a run, a sweep or a search outside a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sojourn import catalogue, phrases, services
from sojourn.figures import Figure
from sojourn.results import Point, Results

DECADE = 10
MOST_CHANNELS = 10
"""Most lines of a figure that have distinct colours."""
OVER_TIME = ("response_time", "throughput", "queue_length", "utilisation")
MEMBERS = {
    "utilisation": "Utilisation of the media",
    "throughput_l3": "Link throughput of the media",
    "packet_rate": "Packet rate of the stations",
    "packets": "Top talkers",
}


def automatic_figures(results: Results, judged: Sequence[dict[str, Any]] = ()) -> list[Figure]:
    """For advice its alternatives, for others what their points show."""
    if results.raw.get("advice"):
        return [_figure("advice", "advice", "The changes beside each other", results.experiments)]
    return _of_points(results, judged)


def _of_points(results: Results, judged: Sequence[dict[str, Any]]) -> list[Figure]:
    """For a run its time distribution, delay budget and members; for a sweep its conditions, and lines over its longest
    axis."""
    points = results.points
    if not points:
        return []
    names = {name for point in points for name in point.metrics if point.get(name)}
    experiments = results.experiments
    axis = longest_axis(results)
    if len(points) == 1 or axis is None:
        figures = [_figure("timeseries", "timeseries", "Response time over time", experiments, y="response_time")]
        figures += [figure for name in services.TIMES for figure in _times(name, experiments)]
        figures = _bounds(results, experiments) + _timeline(points, experiments) + figures + _calls(points, experiments)
        figures.append(_figure("budget", "budget", "Delay budget", experiments))
        for base, title in MEMBERS.items():
            if any(name.startswith(f"{base}/") for name in names):
                figures.append(_figure(f"members-{base}", "ranking", title, experiments, y=base, members=True))
        missing = set(services.TIMES) - names
        return [figure for figure in figures if not missing.intersection(figure.y) and _is_measured(figure, results)]
    along: dict[str, Any] = {"x": axis, "scale": _scale(results, axis)}
    figures = _conditions(judged, along, experiments)
    for name, title in (
        ("response_time", "Response time"),
        ("transaction_rate", "Transaction rate"),
        ("throughput", "Goodput"),
        ("mos", "Call quality"),
        ("play_out_loss", "Voice packets not played"),
        ("one_way_delay", "One-way delay"),
    ):
        if name in names:
            figures.append(_figure(name.replace("_", "-"), "lines", title, experiments, **along, y=name))
    carried = [name for name in ("throughput_l3", "throughput_l4", "collision_rate") if name in names]
    if carried:
        saturation = axis == "background.rate" and len(results.axes) == 1
        figures.append(
            _figure(
                "throughput",
                "lines",
                "Throughput and collisions",
                experiments,
                **along,
                y=carried,
                saturation=saturation,
            )
        )
    channels = {name for name in names if name.startswith("utilisation/")}
    if 1 < len(channels) <= MOST_CHANNELS:
        by_channel: dict[str, Any] = {"y": "utilisation", "members": True, "facet": "experiment"}
        figures.append(_figure("channels", "lines", "Utilisation of each channel", experiments, **along, **by_channel))
    elif "utilisation" in names:
        figures.append(_figure("utilisation", "lines", "Utilisation", experiments, **along, y="utilisation"))
    figures.append(_figure("budget", "budget", "Delay budget", experiments, x=axis))
    return figures


def _times(name: str, experiments: list[str]) -> list[Figure]:
    """The distribution of a time, and its tail."""
    label, said = name.replace("_", "-"), phrases.within_a_sentence(catalogue.metric_label(name))
    tail = "percentiles" if name == services.TIMES[0] else f"percentiles-{label}"
    return [
        _figure(label, "distribution", f"Distribution of the {said}", experiments, y=name, scale={"x": "log"}),
        _figure(tail, "percentiles", f"Tail percentiles of the {said}", experiments, y=name),
    ]


def _calls(points: Sequence[Point], experiments: list[str]) -> list[Figure]:
    """What listeners hear, of each call or of the only one by cause, and the delay of each direction or stream."""
    of_calls = any(point.members("mos") for point in points)
    titles = {
        "mos": "Call quality of each call",
        "play_out_loss": f"Voice packets not played{', of each call' if of_calls else ', by cause'}",
        "one_way_delay": "One-way delay of each stream or direction of calls",
    }
    return [
        _figure(f"members-{name}", "ranking", title, experiments, y=name, members=True)
        for name, title in titles.items()
        if any(len(services.members_of(point, name)) > 1 for point in points)
    ]


def _bounds(results: Results, experiments: list[str]) -> list[Figure]:
    """Worst cases beside what was simulated, where they were asked for."""
    rows = results.raw.get("bounds") or []
    if not any(row["unit"] == "s" and row["simulated_max"] is not None for row in rows):
        return []
    measured = " and measured" if any(row["measured_max"] for row in rows) else ""
    return [_figure("bounds", "bounds", f"Bounds and what was simulated{measured}", experiments)]


def _scale(results: Results, axis: str) -> dict[str, str]:
    """A logarithmic axis for a key whose values span more than a decade."""
    values = [value for point in results.points if isinstance(value := point.set.get(axis), int | float)]
    return {"x": "log"} if values and min(values) > 0 and max(values) > DECADE * min(values) else {}


def _is_measured(figure: Figure, results: Results) -> bool:
    """Whether a time series shows a measurement: simulations have none."""
    return figure.kind != "timeseries" or results.raw["world"] == "live"


def _conditions(judged: Sequence[dict[str, Any]], along: dict[str, Any], experiments: list[str]) -> list[Figure]:
    """Each condition over the key that varies, with its limit."""
    return [
        _figure(
            f"condition-{number}",
            "lines",
            f"Condition: {condition['text']}",
            experiments,
            **along,
            y=condition["metric"],
            statistics=_statistics(condition["field"]),
            limit=condition["limit"],
        )
        for number, condition in enumerate(judged, 1)
    ]


def _statistics(field: str) -> list[str]:
    return [] if field in ("mean", "value") else [field]


def _timeline(points: Sequence[Point], experiments: list[str]) -> list[Figure]:
    """What the scenario's events did to response times and whatever else is observed over time."""
    names = [name for name in OVER_TIME if any(point.timeline(name) for point in points)]
    return (
        [_figure("timeline", "timeline", "Before, during and after the events", experiments, y=names)] if names else []
    )


def longest_axis(results: Results) -> str | None:
    """The key with the most values; numeric keys take precedence."""

    def size(key: str) -> tuple[bool, int]:
        return results.axes[key].unit is not None, len({point.set.get(key) for point in results.points})

    return max(results.axes, key=size, default=None)


def _figure(figure_id: str, kind: str, title: str, experiments: list[str], **more: Any) -> Figure:
    return Figure.read({"id": figure_id, "kind": kind, "title": title, "experiments": experiments, **more})
