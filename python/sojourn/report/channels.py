"""The channels of a site and its top talkers, as a protocol analyser shows them."""

from __future__ import annotations

from sojourn import catalogue
from sojourn.answers.bottleneck import shares_of_packet_rate_limits
from sojourn.report.table import Table
from sojourn.results import Point
from sojourn.units import format_interval, format_value, percent

COLUMNS = (
    "utilisation",
    "throughput_l3",
    "collision_rate",
    "collision_loss",
    "crc_error_rate",
    "packet_length",
    "answers",
    "packet_rate_limit",
    "backlog",
)
MOST_TALKERS = 15


def channels(point: Point, called: str = "") -> Table | None:
    """One row per medium: utilisation, throughput, collisions and further metrics."""
    media = point.members("utilisation")
    if not media:
        return None
    names = [name for name in COLUMNS if point.members(name)]
    rows = []
    for medium in media:
        found = [point.members(name).get(medium) for name in names]
        cells = [
            format_interval(metric.mean, metric.interval, metric.unit, metric.name) if metric else "–"
            for metric in found
        ]
        rows.append([medium, *cells])
    return Table(_titled("Channels", called), ("Medium", *(catalogue.metric_label(name) for name in names)), rows)


def talkers(point: Point, called: str = "") -> Table | None:
    """The stations that sent the most packets, and their share of all packets."""
    sent = point.members("packets")
    if len(sent) < 2:
        return None
    total = sum(metric.mean or 0.0 for metric in sent.values())
    length = float(point.raw["duration"]) * int(point.raw["replications"])
    largest = sorted(sent.items(), key=lambda item: -(item[1].mean or 0.0))[:MOST_TALKERS]
    rows = [
        [name, format_value((metric.mean or 0.0) / length, "1/s"), percent((metric.mean or 0.0) / total, digits=1)]
        for name, metric in largest
    ]
    return Table(
        _titled(f"Top talkers of {len(sent)} stations", called),
        ("Station", "Packets sent per second", "Share of all packets"),
        rows,
    )


def _titled(title: str, called: str) -> str:
    return f"{title}, {called}" if called else title


def headroom(point: Point) -> str:
    """The load of each medium relative to its packet rate limit, the most loaded first; empty without such limits."""
    shares = shares_of_packet_rate_limits(point)
    if not shares:
        return ""
    first, *others = shares
    carried = [f"{first} carries {percent(shares[first])} of its packet rate limit"]
    carried += [f"{medium} {percent(shares[medium])}" for medium in others]
    holds = "A limit holds for the packet length and share of acknowledgements that the table of channels lists."
    return f"{', '.join(carried)}. {holds}"
