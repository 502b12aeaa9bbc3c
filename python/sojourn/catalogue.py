"""Metrics and scenario keys as their registries declare them: labels, units, better direction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sojourn.bindings import call, call_json

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
    "resolve",
    "connect",
    "tls",
    "first_byte",
    "whole",
)

KIND_OF_SCHEME = dict.fromkeys(("sojourn", "stamp", "udp-echo", "tcp-echo", "xtp+udp", "xtp+ip"), "ip")
KIND_OF_SCHEME |= dict.fromkeys(("kiss+tcp", "kiss+serial", "axudp"), "packet-radio")
"""The kind of network that declares the keys of a measurement by URL, which has the URL's scheme in its place."""


@dataclass(frozen=True)
class Axis:
    """A key that varies, and how its values are shown."""

    key: str
    """The key's path, as `background.rate`."""
    unit: str | None
    """SI unit of its values in results; None for words."""
    label: str
    """Title of axes and columns, as "Offered load"."""
    shown_unit: str = ""
    """Unit shown beside values that have no prefixes, as "packets/s" or "%"; empty for counts and words."""
    digits: int = 3
    """Significant digits that distinguish its values."""

    @classmethod
    def of(cls, network: str, key: str, unit: str | None) -> Axis:
        """The axis of a key of one kind of network; a key that is not declared is labelled by its path."""
        declared = _key(KIND_OF_SCHEME.get(network, network), key)
        shown = declared.get("shown_unit", "" if unit in (None, "1") else unit)
        return cls(key, unit, declared.get("label", key), shown if unit is not None else "")


def axes(network: str, units: Mapping[str, str | None]) -> dict[str, Axis]:
    """The axes of keys with these SI units."""
    return {key: Axis.of(network, key, unit) for key, unit in units.items()}


AVERAGES = ("mos", "r_factor", "voice_channels", "frames_per_token")
"""Metrics of unit 1 that are neither shares nor counts, so that their zero is not a total."""


def is_average(name: str) -> bool:
    """Whether a metric of unit 1 is averaged over replications, not added up."""
    return name.split("/", maxsplit=1)[0] in AVERAGES


def is_share(name: str) -> bool:
    """Whether a metric of unit 1 is a share of a whole, at most 1, not a count."""
    return bool(metric(name).get("shown_unit") == "%")


def metric(name: str) -> dict[str, Any]:
    """The registry's row of a metric, with or without a member; empty where there is none."""
    return _metrics().get(name.split("/", maxsplit=1)[0], {})


def metric_label(name: str) -> str:
    """A metric's label, as "Response time"; the member follows a colon."""
    base, _, member = name.partition("/")
    label = metric(base).get("label") or base.replace("_", " ").capitalize()
    return f"{label}: {member}" if member else str(label)


def better_when(name: str) -> str | None:
    """ "lower", "higher", or None for a metric that is neither good nor bad, as `utilisation`."""
    better: str | None = metric(name).get("better")
    return better


def budget_order(component: str) -> tuple[int, str]:
    """Sort key of delay budget components, from sender to receiver; undeclared components go last."""
    plain = component.replace("-", "_").lower()
    return (_BUDGET.index(plain) if plain in _BUDGET else len(_BUDGET), plain)


@cache
def figure_kinds() -> dict[str, dict[str, Any]]:
    """The kinds of figures, by name."""
    return _with_common(call_json("figure_kinds"))


@cache
def answer_kinds() -> dict[str, dict[str, Any]]:
    """The kinds of answers, by name."""
    return _with_common(call_json("answer_kinds"))


def _with_common(declared: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Kinds by name, each with its own options and the common ones."""
    return {kind["name"]: kind | {"options": kind["options"] + declared["common"]} for kind in declared["kinds"]}


@cache
def _metrics() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in call_json("metrics")}


@cache
def _key(network: str, key: str) -> dict[str, Any]:
    text = call("key_label", network, key)
    return {} if text is None else dict(json.loads(text))
