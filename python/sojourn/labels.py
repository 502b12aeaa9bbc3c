"""How metrics, keys and settings are called in figures, tables and sentences."""

from __future__ import annotations

from typing import Any

from sojourn.units import has_ladder, percent, say

_METRICS = {
    "throughput": "Data rate",
    "throughput_l3": "Correct packets",
    "throughput_l4": "Packets without retries",
    "retries": "Retries of the probe",
    "retransmissions": "Segments that TCP sent again",
    "srtt": "Round trip as TCP sees it",
    "failures": "Tests without delivery",
    "transaction_failures": "Transactions given up",
    "utilisation": "Utilisation",
    "packets": "Packets in all runs",
    "voice_channels": "Voice channels",
    "fifo_underflow": "Times the receiver ran out of samples",
    "fifo_overflow": "Samples that found no room",
    "response_time_intended": "Response time, from when requests were to leave",
    "host_time": "Time in the hosts",
    "path_time": "Time between the kernels, both ways",
    "one_way_delay": "One-way delay",
    "lateness": "How late requests left",
    "ipdv": "IPDV, between consecutive packets",
    "pdv": "PDV, beyond the least delay",
    "jitter_rfc3550": "Jitter as RFC 3550 smooths it",
    "jitter_p95_p50": "Jitter, 95 % quantile less median",
    "clock_error": "Error of one-way delays",
    "clock_offset": "Other host's clock ahead by",
    "clock_skew": "Other host's clock gains",
    "reordering": "Answers overtaken",
    "marks": "Marks of congestion",
    "mos": "Mean opinion score",
    "r_factor": "Rating factor R",
    "play_out_delay": "Delay from mouth to ear",
    "play_out_loss": "Voice packets not played",
}
_METRIC_UNITS = {
    "throughput_l3": "packets/s",
    "throughput_l4": "packets/s",
    "packet_rate": "packets/s",
    "transaction_rate": "transactions/s",
}
_KEYS = {
    "traffic.frame_size": "Length of frames",
    "traffic.load": "Offered load",
    "bus.interference": "Share of the bus that other nodes ask for",
    "background.rate": "Offered traffic",
    "background.streams": "Bulk transfers beside it",
    "probe.data": "Data in a message",
    "probe.service": "Service",
    "probe.size": "Block size",
    "station.paclen": "Packet length",
    "station.netrom.window": "Circuit window",
    "station.netrom.ack_delay": "Acknowledgement delay of circuits",
    "station.netrom.congestion_threshold": "Congestion threshold",
    "station.window": "Window",
    "station.resptime": "Response delay",
    "station.frack": "Acknowledgement timer",
    "medium.radio.bit_error_rate": "Bit error rate",
    "medium.radio.persistence": "Persistence",
    "medium.radio.slottime": "Slot time",
    "voice.samples": "Samples in a packet",
    "voice.channels": "Voice channels offered",
    "impairment.unacknowledged": "Packets left unacknowledged",
    "router.count": "Routers",
}
_KEY_UNITS = {("background.rate", "1/s"): "packets/s"}
_UNITS = {"B": "bytes", "1/s": "/s"}
_SHORT_KEYS = {
    "traffic.frame_size": "",
    "traffic.load": "offered",
    "bus.interference": "interference",
    "background.rate": "offered",
    "background.streams": "bulk transfers",
    "probe.data": "data",
    "probe.size": "block",
    "station.paclen": "paclen",
    "station.netrom.window": "circuit window",
    "station.netrom.ack_delay": "acknowledgement delay",
    "station.netrom.congestion_threshold": "threshold",
    "station.window": "window",
    "station.resptime": "response delay",
    "station.frack": "acknowledgement timer",
    "medium.radio.bit_error_rate": "bit error rate",
    "medium.radio.persistence": "persistence",
    "medium.radio.slottime": "slot time",
    "probe.service": "",
    "voice.samples": "samples",
    "impairment.unacknowledged": "unacknowledged",
    "router.count": "routers",
}
_NOTHING = {
    "background.rate": "nothing",
    "background.streams": "no",
    "router.count": "no",
    "impairment.unacknowledged": "none",
    "bus.interference": "no",
}
"""What zero is called."""
_SHARES = {"bus.interference", "impairment.unacknowledged", "medium.radio.persistence"}
"""Keys of unit 1 that are shares of a whole, said in percent."""


_BUDGET = (
    "sender_application",
    "packet_formation",
    "sender_processor",
    "client",
    "adapter",
    "adapters",
    "pacing",
    "waiting_for_medium",
    "waiting_for_token",
    "transmission",
    "propagation",
    "switching",
    "queueing",
    "storing",
    "parsing",
    "waiting_for_control",
    "control",
    "waiting_for_bus",
    "bus_and_memory",
    "ring_memory",
    "waiting_for_ring",
    "retransmission",
    "queues",
    "routers",
    "authentication",
    "receive_delay",
    "receiver_network",
    "receiver_processor",
    "receiver_application",
    "server",
)


def budget_order(component: str) -> tuple[int, str]:
    """Sorts the components of a delay budget from sender to receiver; components of no known place go last."""
    plain = component.replace("-", "_").lower()
    return (_BUDGET.index(plain) if plain in _BUDGET else len(_BUDGET), plain)


def metric_label(name: str) -> str:
    """A metric's name in words, as "Response time"; a member is named behind a colon."""
    base, _, member = name.partition("/")
    label = _METRICS.get(base) or base.replace("_", " ").capitalize()
    return f"{label}: {member}" if member else label


def metric_unit(name: str, shown: str) -> str:
    """The unit to write beside a metric: packets/s where the metric counts packets."""
    return _METRIC_UNITS.get(name.split("/", maxsplit=1)[0], shown)


def key_label(key: str) -> str:
    """A scenario key in words, as "Offered traffic"; a key without words of its own as it is written."""
    return _KEYS.get(key, key)


def key_unit(key: str, unit: str | None) -> str:
    """The unit to write beside a key."""
    return "" if unit in (None, "1") else _KEY_UNITS.get((key, str(unit))) or _UNITS.get(str(unit), str(unit))


def with_unit(label: str, unit: str) -> str:
    """An axis title: "Response time (ms)"."""
    return f"{label} ({unit})" if unit else label


def setting(key: str, value: Any, unit: str | None) -> str:
    """One setting in words: "300 packets/s offered", "1 byte data", "acknowledged", "station.sensor.count 50"."""
    said = _said(value, key, unit)
    if key not in _SHORT_KEYS:
        return said if isinstance(value, str) else f"{key} {said}"
    noun = _SHORT_KEYS[key]
    if value == 1 and noun.endswith("s"):
        noun = noun.removesuffix("s")
    return f"{said} {noun}".rstrip()


def _said(value: Any, key: str, unit: str | None) -> str:
    if value == 0 and key in _NOTHING:
        return _NOTHING[key]
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, int | float):
        return str(value)
    if has_ladder(unit):
        return say(float(value), unit)
    if key in _SHARES:
        return percent(value)
    shown = key_unit(key, unit)
    return f"{value:g} {'byte' if shown == 'bytes' and value == 1 else shown}".rstrip()


def settings(point_set: dict[str, Any], axes: dict[str, str | None]) -> str:
    """All settings of a point in words, or "as written" where none varies."""
    return ", ".join(setting(key, value, axes.get(key)) for key, value in point_set.items()) or "as written"


def within_a_sentence(title: str) -> str:
    """A title as it stands within a sentence: with a small first letter, unless its first word is an acronym."""
    acronym = len(title) > 1 and title[1].isupper()
    return title if acronym else title[:1].lower() + title[1:]


def list_of(words: list[str]) -> str:
    """An enumeration: "A, B and C"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
