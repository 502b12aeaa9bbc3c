"""The answer of a measurement in words: latency idle and under load, loss, failures, outages, bufferbloat grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn import outages, phrases
from sojourn.uncertainty import Kind
from sojourn.units import format_value, percent_lost, significant

if TYPE_CHECKING:
    from sojourn.point import Metric, Point
    from sojourn.results import Results

GRADES = ((5e-3, "A+"), (30e-3, "A"), (60e-3, "B"), (200e-3, "C"), (400e-3, "D"))
"""Rises of latency under load, in s, and the grade of those below (DSLReports, https://www.dslreports.com/faq/17930)."""
WORST = "F"
PER_MINUTE = 60
IDLE, LOADED, RECOVERY = "idle", "loaded", "recovery"
WORDS = {IDLE: "idle", LOADED: "under load", RECOVERY: "after the load"}
"""Phases in a sentence."""


def answer(results: Results) -> list[tuple[str, str]]:
    """(title, text) of each statement, latency, loss and outages first; empty for anything but a timed test."""
    points = [point for point in results.points if "outages" in point.metrics and "loss" in point.metrics]
    if results.raw["world"] != "live" or results.axes or not points or len(points) != len(results.points):
        return []
    said = [("Latency", _latency(points)), ("Loss", _loss(points)), ("Failures", _failures(points))]
    said += [("Outages", outages.sentence(results) or "None."), ("Bufferbloat", _bufferbloat(points))]
    return [(title, text) for title, text in said if text]


def bufferbloat_grade(rise_s: float) -> str:
    """The grade of a rise of latency under load, in seconds."""
    return next((grade for below_s, grade in GRADES if rise_s < below_s), WORST)


def _latency(points: list[Point]) -> str:
    """Medians and 99th percentiles, idle and under load where there are these phases."""
    shown = _idle_and_loaded(points) or points
    texts = []
    for point in shown:
        time = point.get("response_time")
        if time is None:
            texts.append(f"no valid response {_words(point)}")
            continue
        texts.append(f"{format_value(time.field('p50'), 's')} {_words(point)} ({_slowest(time)})")
    medians = [_median(point) for point in shown]
    if len(shown) == 2 and shown[0].experiment == IDLE and medians[0] and medians[1]:
        texts[-1] += f", {significant(medians[1] / medians[0])} times the idle median"
    return f"{phrases.capitalised('; '.join(texts))}."


def _slowest(time: Metric) -> str:
    """The 99th percentile: the time of 99 % of requests, or a lower bound where too few samples lie beyond it."""
    if time.field("p99") is None:
        return f"{percent_lost(time.failed_share, digits=1)} without a valid response"
    known = time.uncertainty("p99")
    if known.kind is Kind.open_above:
        return f"99th percentile at least {format_value(known.low, 's')}"
    return f"99 % within {format_value(time.field('p99'), 's')}"


def _loss(points: list[Point]) -> str:
    """The share of requests that were lost, by phase and direction."""
    if not any(point["loss"].mean for point in points):
        sent = sum(point.metrics["response_time"].sent or 0 for point in points)
        ends = [interval[1] for point in points if (interval := point["loss"].interval)]
        bound = max((end for end in ends if end is not None), default=None)
        at_most = f"; at most {significant(100 * bound, 2)} % of a phase (95 % confidence)" if bound is not None else ""
        return f"None of {sent} requests{at_most}."
    texts = []
    for point in points:
        found = f"{percent_lost(point['loss'].mean or 0.0, digits=2)} {_words(point)}"
        directions = {
            name: metric.mean for name, metric in point.members("loss").items() if name in ("forward", "return")
        }
        if point["loss"].mean and len(directions) == 2:
            forward, back = (percent_lost(directions[name] or 0.0, digits=2) for name in ("forward", "return"))
            found += f" ({forward} on the forward path, {back} on the return path)"
        texts.append(found)
    return f"{'; '.join(texts)}."


def _failures(points: list[Point]) -> str:
    """Failures of a service by kind, with the median time to each; empty without any."""
    texts = []
    for point in points:
        times = dict(point.members("failure_time"))
        for kind, number in point.members("failures").items():
            if not number.mean:
                continue
            after = f", after {format_value(times[kind].field('p50'), 's')} at the median" if kind in times else ""
            texts.append(f"{significant(number.mean)} × {_kind(kind)} {_words(point)}{after}")
    return f"{'; '.join(texts)}." if texts else ""


def _kind(member: str) -> str:
    """A kind of failures in words, as `HTTP status 503` of `http_503`."""
    return member.replace("http_", "HTTP status ").replace("dns_", "DNS ").replace("tls", "TLS").replace("_", " ")


def _bufferbloat(points: list[Point]) -> str:
    """The bufferbloat grade and the responsiveness under load; empty without an idle and a loaded phase."""
    shown = _idle_and_loaded(points)
    medians = [median for point in shown if (median := _median(point)) is not None]
    if len(medians) != 2:
        return ""
    rise = medians[1] - medians[0]
    change = "adds" if rise >= 0 else "takes off"
    text = f"Grade {bufferbloat_grade(rise)}: load {change} {format_value(abs(rise), 's')} at the median"
    rate = shown[1].get("responsiveness")
    if rate is not None and rate.mean is not None:
        text += f"; responsiveness under load {significant(PER_MINUTE * rate.mean)} RPM (round trips per minute)"
    return f"{text}."


def _idle_and_loaded(points: list[Point]) -> list[Point]:
    """The idle and the loaded phase; empty unless there are both, once."""
    found = [point for name in (IDLE, LOADED) for point in points if point.experiment == name]
    return found if [point.experiment for point in found] == [IDLE, LOADED] else []


def _median(point: Point) -> float | None:
    time = point.get("response_time")
    return None if time is None else time.field("p50")


def _words(point: Point) -> str:
    return WORDS.get(point.experiment, f"in {point.experiment}")
