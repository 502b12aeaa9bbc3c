"""What a protocol analyser would show of a site: the channels side by side, and who sends most."""

from __future__ import annotations

from sojourn import labels
from sojourn.figures.members import members
from sojourn.report.table import Table
from sojourn.results import Point
from sojourn.units import percent, say, say_interval

COLUMNS = ("utilisation", "throughput_l3", "collision_rate", "packet_length", "answers", "packet_rate_limit", "backlog")
MOST_TALKERS = 15


def channels(point: Point, called: str = "") -> Table | None:
    """One row per medium: utilisation in percent, packets/s, collisions and what else is known of it."""
    media = members(point, "utilisation")
    if not media:
        return None
    names = [name for name in COLUMNS if members(point, name)]
    rows = []
    for medium in sorted(media):
        found = [members(point, name).get(medium) for name in names]
        cells = [
            say_interval(metric.mean, metric.interval, metric.unit, metric.name) if metric else "–" for metric in found
        ]
        rows.append([medium, *cells])
    return Table(_titled("Channels", called), ("Medium", *(labels.metric_label(name) for name in names)), rows)


def talkers(point: Point, called: str = "") -> Table | None:
    """The stations that sent most, and their share of all packets."""
    sent = members(point, "packets")
    if len(sent) < 2:
        return None
    total = sum(metric.mean or 0.0 for metric in sent.values())
    length = float(point.raw["duration"]) * int(point.raw["replications"])
    largest = sorted(sent.items(), key=lambda item: -(item[1].mean or 0.0))[:MOST_TALKERS]
    rows = [
        [name, say((metric.mean or 0.0) / length, "1/s"), percent((metric.mean or 0.0) / total, digits=1)]
        for name, metric in largest
    ]
    return Table(
        _titled(f"Top talkers of {len(sent)} stations", called),
        ("Station", "Packets sent per second", "Share of all"),
        rows,
    )


def _titled(title: str, called: str) -> str:
    return f"{title}, with {called}" if called else title


def limits(point: Point) -> list[str]:
    """How far each medium is from its packet rate limit, and for which packets the limit holds."""
    said = []
    rates, lengths, answers = (members(point, name) for name in ("throughput_l3", "packet_length", "answers"))
    for medium, limit in members(point, "packet_rate_limit").items():
        rate = rates.get(medium)
        if rate is None or not rate.mean or not limit.mean:
            continue
        mix = [f"of {lengths[medium].mean:.0f} bytes on average"] if medium in lengths else []
        if medium in answers:
            mix.append(f"{percent(answers[medium].mean or 0.0)} of them acknowledgements and other answers")
        holds = f", which holds for packets {', '.join(mix)}" if mix else ""
        share = percent(rate.mean / limit.mean)
        said.append(
            f"{medium} carries {say(rate.mean, '1/s')}, {share} of its limit of {say(limit.mean, '1/s')}{holds}"
        )
    return said
