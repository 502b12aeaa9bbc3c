"""A point of results: one setting of the keys that vary, and its metrics. Values are in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sojourn.catalogue import budget_order, is_average, is_share
from sojourn.errors import UnknownName
from sojourn.phrases import natural
from sojourn.synonyms import meant, nearest
from sojourn.uncertainty import Kind, Uncertainty, uncertainty
from sojourn.units import format_ends, format_interval, format_value, percent

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""The quantiles of a distribution, and the share of samples at or below each."""

TENTH = 0.1
Interval = tuple[float, float | None]
"""The ends of a 95 % confidence interval; an upper end that the samples do not bound is None."""


@dataclass(frozen=True, repr=False)
class Metric:
    """One metric of one point. A field that the shape does not have, or that does not apply, is None."""

    name: str
    raw: dict[str, Any]

    @property
    def unit(self) -> str:
        """The SI unit; "1" for counts and shares."""
        return str(self.raw.get("unit", "1"))

    def field(self, name: str) -> float | None:
        """A number of the metric, as "mean", "p99" or "value"."""
        if name[:1] == "p" and name[1:].isdigit() and name not in QUANTILES:
            known = ", ".join(QUANTILES)
            raise UnknownName(f"results hold {known}, not {name}; results.samples({self.name!r}) has every value")
        value = self.raw.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def mean(self) -> float | None:
        """The central value: the mean of a distribution or a level, the value of a scalar."""
        return self.field("mean" if "mean" in self.raw else "value")

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of `mean`; None with fewer than two replications."""
        return self.interval_of("mean")

    def interval_of(self, name: str) -> Interval | None:
        """The 95 % confidence interval of a mean, a value or a quantile; None if it has none."""
        known = self.uncertainty(name)
        return None if known.low is None and known.high is None else (known.low or 0.0, known.high)

    def uncertainty(self, name: str = "mean") -> Uncertainty:
        """What the samples say of a field: its interval, an open one, that it is not reached, or nothing."""
        return uncertainty(self.raw, name)

    @property
    def saved(self) -> float | None:
        """How many times as many runs its interval would take without control variates; None where it has none."""
        found = self.raw.get("control_variates")
        return None if found is None else float(found["saved"])

    @property
    def sent(self) -> int | None:
        """Messages sent by the probed flow, delivered or not; None where that is not recorded."""
        sent = self.raw.get("sent")
        return None if sent is None else int(sent)

    @property
    def failed_share(self) -> float:
        """The share of sent messages without a sample: failed, or unanswered at the end of the run."""
        delivered = self.field("count") or 0.0
        return 1 - delivered / self.sent if self.sent else 0.0

    @property
    def delivered(self) -> str:
        """How many of a flow's messages were delivered: "5998 of 6000", or the number of samples."""
        count = f"{self.field('count') or 0:.0f}"
        return count if self.sent is None else f"{count} of {self.sent}"

    @property
    def not_reached(self) -> list[str]:
        """Quantiles that are larger than any time-out, because more than their share of messages failed."""
        return list(self.raw.get("not_reached") or [])

    @property
    def is_count(self) -> bool:
        """Whether its value is the total over all replications, as of `failures`."""
        values = [value for value in (self.raw.get("by_replication") or {}).get("value") or [] if value is not None]
        whole = bool(values) and self.unit == "1" and all(value == int(value) for value in values)
        return whole and sum(values) == self.mean and not is_share(self.name) and not is_average(self.name)

    def by_replication(self, name: str | None = None) -> list[float] | None:
        """One value per replication, in order, of a field or of the central value; None if any is missing."""
        values = self.each_replication(name)
        return [value for value in values if value is not None] if values and None not in values else None

    def each_replication(self, name: str | None = None) -> list[float | None]:
        """One value per replication, in order, of a field or of the central value; None where it has none."""
        central = "mean" if "mean" in self.raw else "value"
        return list((self.raw.get("by_replication") or {}).get(name or central) or [])

    @property
    def weak(self) -> list[str]:
        """Quantiles with fewer than ten effective samples beyond them; samples of one cluster count as one."""
        return list(self.raw.get("weak") or [])

    @property
    def applies(self) -> bool:
        """Whether anything was observed."""
        return self.mean is not None

    @property
    def undelivered(self) -> bool:
        """Whether it is the time of a flow without deliveries."""
        return self.mean is None and bool(self.sent)

    @property
    def is_distribution(self) -> bool:
        """Whether it has quantiles."""
        return "p50" in self.raw

    def __repr__(self) -> str:
        """Name, central value with its interval, and quantiles."""
        said = f"{self.name}: {format_interval(self.mean, self.interval, self.unit, self.name)}"
        if not self.is_distribution:
            return said
        tail = ", ".join(f"{name} {format_quantile(self, name)}" for name in ("p50", "p99"))
        return f"{said}, {tail}, {self.delivered} delivered"


@dataclass(frozen=True, repr=False)
class Point:
    """One setting of the keys that vary, and its metrics."""

    raw: dict[str, Any]
    index: int = 0

    @property
    def experiment(self) -> str:
        """The experiment's id, with `+variant` for a sensitivity run."""
        return str(self.raw["experiment"])

    @property
    def set(self) -> dict[str, Any]:
        """The values of the keys that vary: numbers in SI units, words as in the scenario."""
        return dict(self.raw["set"])

    @property
    def key(self) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Experiment and settings, unique among all points."""
        return self.experiment, tuple(sorted(self.set.items()))

    @property
    def metrics(self) -> dict[str, Metric]:
        """All metrics by name, without those over time."""
        return self._named("")

    def _named(self, prefix: str) -> dict[str, Metric]:
        # a large network has hundreds of thousands, most of them of members
        found = self.raw["metrics"].items()
        named = ((name, Metric(name, raw)) for name, raw in found if name.startswith(prefix) and "start" not in raw)
        return _Metrics(named)

    def timeline(self, name: str) -> dict[str, Any] | None:
        """A metric in windows of time, as lists with a value for each window; None where there are no events."""
        found: dict[str, Any] | None = self.raw["metrics"].get(f"{name}/timeline")
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """The scenario's events whose times are known before the run: name, action, begin and end in seconds."""
        return list(self.raw.get("events") or [])

    def get(self, name: str) -> Metric | None:
        """One metric, or None if it was not observed or does not apply."""
        raw = self.raw["metrics"].get(name)
        metric = Metric(name, raw) if raw is not None else None
        return metric if metric is not None and metric.applies else None

    def __getitem__(self, name: str) -> Metric:
        """One metric; `UnknownName` if the point has none of that name."""
        raw = self.raw["metrics"].get(name)
        if raw is None:
            raise _unknown(name, self.raw["metrics"])
        return Metric(name, raw)

    def __repr__(self) -> str:
        """Experiment, settings and the names of the metrics, without members."""
        settings = "".join(f", {key} = {value}" for key, value in self.set.items())
        names = ", ".join(name for name in self.raw["metrics"] if "/" not in name)
        return f"{self.experiment}{settings}: {names}"

    def members(self, name: str) -> dict[str, Metric]:
        """The members of a metric that apply here, as one per medium or station, by member name in natural order."""
        prefix = f"{name}/"
        found = {full.removeprefix(prefix): metric for full, metric in self._named(prefix).items() if metric.applies}
        return {member: found[member] for member in sorted(found, key=natural)}

    def members_of_events(self) -> dict[str, Metric]:
        """The recovery time of each event, by its name; one without recovery has no mean."""
        prefix = "recovery_time/"
        return {name.removeprefix(prefix): metric for name, metric in self._named(prefix).items()}

    @property
    def components(self) -> list[str]:
        """The components of the delay budget, from sender to receiver."""
        names = [name.split("/", 1)[1] for name in self.raw["metrics"] if name.startswith("delay_budget/")]
        return sorted(names, key=budget_order)


class _Metrics(dict[str, Metric]):
    """Metrics by name, of which one that is not there is named with the nearest that is."""

    def __missing__(self, name: str) -> Metric:
        raise _unknown(name, self)


def _unknown(name: str, known: Iterable[str]) -> UnknownName:
    """That there is no such metric, with the one that is meant or else all of them, without members."""
    names = list(known)
    base, dot, rest = name.partition(".")
    if dot and base in names:
        return UnknownName(f"no metric {name!r} here; {rest!r} is a field: [{base!r}].field({rest!r})")
    near = meant(base.split("/")[0], names) or nearest(name, names)
    there = ", ".join(one for one in names if "/" not in one)
    hint = f"did you mean {near!r}? " if near else ""
    return UnknownName(f"no metric {name!r} here; {hint}there are {there}")


def failed(metric: Metric) -> str:
    """The share of a flow's messages that failed: "2.1 % failed"."""
    share = metric.failed_share
    return f"{percent(share, digits=int(share < TENTH))} failed"


def of_delivered(metric: Metric) -> str:
    """What a mean leaves out: " (of those delivered; 2.1 % failed)"; empty where all was delivered."""
    return f" (of those delivered; {failed(metric)})" if metric.failed_share > 0 else ""


def format_quantile(metric: Metric, field: str) -> str:
    """A quantile with its interval: "140 (66 to 213) ms"; "not reached (2 % failed)" where too many messages failed.

    An asterisk marks one with fewer than ten effective samples beyond it.
    """
    known, weak = metric.uncertainty(field), "*" if field in metric.weak else ""
    match known.kind:
        case Kind.not_reached:
            return f"not reached ({failed(metric)})"
        case Kind.none:
            return format_value(known.value, metric.unit) + weak
    high = math.inf if known.high is None else known.high
    return format_ends(known.value or 0.0, (known.low or 0.0, high), metric.unit) + weak
