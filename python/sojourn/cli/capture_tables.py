"""The tables of an analysed capture for a terminal: flows, stations, conversations, and the metrics of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sojourn.capture_rows import CALL_TIMES, IDENTIFIER_TIMES, frames, lengths
from sojourn.cli.live import trunk_stations
from sojourn.cli.output import filled, table
from sojourn.cli.summary import central
from sojourn.units import format_size, format_value, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sojourn.jobs import Outcome
    from sojourn.results import Metric

MOST_FLOWS = 20
MOST_STATIONS = 10
MOST_IDENTIFIERS = 40
QUANTILES = ("p50", "p99", "max")
VERDICTS = {"agrees": "agrees", "deviates": "DEVIATES", "not-compared": "NOT COMPARED"}


def of_capture(outcome: Outcome) -> str:
    """All tables, each with its first rows."""
    results, tables = outcome.results, outcome.capture
    if results is None or tables is None:
        return ""
    point = results.points[0]
    head = (
        f"{results.raw['network']}: {tables['packets']} packets in {format_value(tables['seconds'], 's')}, "
        f"{_counted(tables['flow_count'], 'flow')}; ± and ranges are 95 % confidence intervals"
    )
    times = [
        [name, str(metric.raw["count"]), central(metric), *(format_value(metric.field(q), "s") for q in QUANTILES)]
        for name, metric in point.metrics.items()
        if metric.is_distribution and name.count("/") <= 1 and metric.applies
    ]
    numbers = [
        [name, central(metric)]
        for name, metric in point.metrics.items()
        if not metric.is_distribution and metric.applies and ("/" not in name or _is_kind_of_loss(name, metric))
    ]
    parts = [
        filled(head),
        table(times, ["time", "samples", "mean", *QUANTILES]) if times else "",
        table(numbers, ["rate or count", "value"]) if numbers else "",
        _notable("slowest", tables.get("slowest")),
        _notable("lost", tables.get("lost")),
        _notable("sent again", tables.get("retried")),
        _calls(tables["calls"]),
        _streams(tables["streams"]),
        trunk_stations(tables.get("trunk_stations", ())),
        _identifiers(tables.get("identifiers", ())),
        _flows(tables["flows"], tables["flow_count"]),
        _stations(tables["stations"]),
        _conversations(tables["conversations"]),
        _twin(tables.get("twin")),
    ]
    return "\n\n".join(part for part in parts if part)


def undecidable(outcome: Outcome) -> list[str]:
    """Conditions that the capture cannot decide, each with the reason."""
    rows = (outcome.capture or {}).get("undecidable", [])
    return [f"{row['condition']}: not decided, {row['why']}" for row in rows]


def doubtful_twin(outcome: Outcome) -> str | None:
    """Why the scenario is not to be relied on; none where it agrees with the capture, or was not asked for."""
    twin = (outcome.capture or {}).get("twin")
    if twin is None or twin["verdict"] == "agrees":
        return None
    verdict = "deviates from the capture" if twin["verdict"] == "deviates" else "was not compared with the capture"
    return f"{twin['scenario']} {verdict}, do not rely on it: {twin['why']}"


def _twin(twin: dict[str, Any] | None) -> str:
    """Whether the scenario agrees with the capture, and how close it comes."""
    return "" if twin is None else filled(f"{twin['scenario']}: {VERDICTS[twin['verdict']]}. {twin['sentence']}")


def _is_kind_of_loss(name: str, metric: Metric) -> bool:
    """Whether a metric counts retransmissions of one kind, and there are any."""
    return name.startswith("retransmissions/") and bool(metric.mean)


def _flows(rows: Sequence[dict[str, Any]], count: int) -> str:
    if not rows:
        return ""
    cells = [
        [
            f"{row['from']} to {row['to']}",
            row["service"],
            str(row["transactions"]),
            str(row["unanswered"] + row["refused"]),
            str(row["retries"]),
            *(format_value(row[name], "s") for name in ("mean_s", "p99_s")),
        ]
        for row in rows[:MOST_FLOWS]
    ]
    head = ["flow", "service", "transactions", "failures", "retries", "mean", "p99"]
    return table(cells, head) + _more(count - len(cells), "flows")


def _notable(kind: str, rows: Sequence[dict[str, Any]] | None) -> str:
    """Single transactions: when, their frames, and what happened between."""
    if not rows:
        return ""
    cells = [
        [
            f"{row['from']} to {row['to']}",
            row["service"],
            f"{row['begin']:.6f}",
            frames(row),
            _time(row["time"]),
            row["why"],
        ]
        for row in rows
    ]
    return table(cells, [kind, "service", "at second", "frames", "time", "between"])


def _calls(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    cells = [
        [
            f"{row['from']} to {row['to']}",
            row["outcome"] + (f" ({row['status']})" if row["status"] else ""),
            *(_time(row[name]) for name in CALL_TIMES),
        ]
        for row in rows[:MOST_FLOWS]
    ]
    head = ["call", "outcome", "first response", "post-dial delay", "rings", "final response", "call time"]
    return table(cells, head) + _more(len(rows) - len(cells), "calls")


def _streams(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    cells = [
        [
            f"{row['from']} to {row['to']}",
            row["member"],
            row["encoding"] or f"type {row['payload_type']}",
            str(row["packets"]),
            percent(row["loss"], digits=2),
            str(row["longest_loss_burst"]),
            str(row["reordered"]),
            *(_time(row[name]) for name in ("jitter_s", "jitter_max_s")),
            "" if row["mos"] is None else f"{row['mos']:.2f}",
        ]
        for row in rows[:MOST_FLOWS]
    ]
    head = ["stream", "SSRC", "encoding", "packets", "loss", "longest", "reordered", "jitter", "max", "MOS"]
    return table(cells, head) + _more(len(rows) - len(cells), "streams")


def _identifiers(rows: Sequence[dict[str, Any]]) -> str:
    """Identifiers of CAN by priority."""
    if not rows:
        return ""
    several = len({row["interface"] for row in rows}) > 1
    cells = [
        [
            *([str(row["interface"])] if several else []),
            row["id"],
            str(row["frames"]),
            str(row["remote_frames"] or ""),
            lengths(row),
            "" if row["rate"] is None else f"{row['rate']:.4g}",
            *(_time(row[name]) for name in IDENTIFIER_TIMES),
            "" if row["utilisation"] is None else percent(row["utilisation"], digits=2),
        ]
        for row in rows[:MOST_IDENTIFIERS]
    ]
    head = [*(["bus"] if several else []), "id", "frames", "remote", "bytes", "1/s", "interval", "min", "max", "jitter"]
    return table(cells, [*head, "utilisation"]) + _more(len(rows) - len(cells), "identifiers")


def _time(seconds: float | None) -> str:
    return "" if seconds is None else format_value(seconds, "s")


def _stations(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    cells = [
        [row["address"], str(row["packets"]), format_size(row["l3_bytes"]), percent(row["share"], digits=1)]
        for row in rows[:MOST_STATIONS]
    ]
    return table(cells, ["station", "packets sent", "bytes", "share"]) + _more(len(rows) - len(cells), "stations")


def _conversations(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    cells = [
        [f"{row['from']} to {row['to']}", str(row["packets"]), format_size(row["l3_bytes"])]
        for row in rows[:MOST_STATIONS]
    ]
    return table(cells, ["conversation", "packets", "bytes"]) + _more(len(rows) - len(cells), "conversations")


def _more(count: int, noun: str) -> str:
    return f"\n  and {count} more {noun}" if count > 0 else ""


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
