"""The directions of links as queueing disciplines of Linux: netem, token buckets, CoDel, FQ-CoDel (tc-netem(8)).

A packet passes netem first, which loses and delays it. A FIFO that is limited in packets is netem's own, with its
`rate`, which keeps packets in order whatever their jitter. Other queues stand below it behind a token bucket.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from sojourn.labs.network import Direction, Jitter, Network

HEADER = 14
"""Octets of an Ethernet header, which Linux counts with a packet (struct ethhdr)."""
LEAST_BURST_S = 1e-3
"""A bucket holds what a link sends in so long: kernels wake up by timers."""
ENDLESS = 100_000
"""Packets that netem may hold for their delay where the queue stands below it."""
LEAVES = ("codel", "fq-codel", "pie")
"""Queues that stand below the bucket; a FIFO stands for others."""
GAIN = 16
"""What tc-pie(8) takes alpha and beta in: sixteenths of one per second."""


@dataclass
class Impairment:
    """What one direction is made of."""

    direction: Direction
    delay_s: float
    """Propagation, forwarding by the router before, and the middle of the jitter."""
    jitter_s: float
    """The largest deviation of uniform jitter, the standard deviation of normal jitter."""
    distribution: str | None
    disciplines: list[list[str]] = field(default_factory=list)
    """Arguments of `tc qdisc replace dev DEVICE`."""
    notes: list[str] = field(default_factory=list)
    """What they do not say."""


def impairments(network: Network) -> list[Impairment]:
    """Those of all directions."""
    return [impairment(one, network.forwarding_s[one.from_] or 0.0) for one in network.directions]


def impairment(direction: Direction, forwarding_s: float = 0.0) -> Impairment:
    """That of one direction behind a router that takes so long to forward."""
    middle_s, spread_s, distribution, notes = _jitter(direction.jitter)
    found = Impairment(direction, direction.delay_s + forwarding_s + middle_s, spread_s, distribution, notes=notes)
    _note_what_is_left_out(found)
    queue = direction.queue
    is_own = queue.kind == "fifo" and queue.packets is not None and queue.octets is None and queue.shaping is None
    if direction.rate is None and queue.shaping is None:
        found.disciplines.append(["root", "handle", "1:", *_netem(found, ENDLESS)])
        if queue.kind != "fifo":
            found.notes.append(f"queue {queue.kind}: without a rate nothing waits in it")
        _note_order(found)
    elif is_own:
        found.disciplines.append(["root", "handle", "1:", *_netem(found, _limit(found)), *_rate(direction)])
        if direction.reorders:
            found.notes.append("reordering: netem with a rate keeps packets in order")
    else:
        found.disciplines.append(["root", "handle", "1:", *_netem(found, ENDLESS)])
        found.disciplines += _below(found)
        _note_order(found)
    return found


def milliseconds(seconds: float) -> str:
    """A time as tc takes it, to a nanosecond: `5.00005ms`."""
    return f"{seconds * 1e3:.6f}".rstrip("0").rstrip(".") + "ms"


def percent(share: float) -> str:
    """A share as tc takes it: `1.5%`."""
    return f"{share * 100:.6f}".rstrip("0").rstrip(".") + "%"


def script(network: Network, title: str) -> str:
    """A shell script that sets the disciplines of the devices that its variables name."""
    lines = [
        "#!/bin/sh",
        f"# Link impairments of {title}, by tc of iproute2, as root.",
        *[f"# {line}" for line in general_notes(network)],
        "# Each variable is the device by which a station sends on the link; what is not set is left as it is:",
        *[f"#   {variable(one)}=eth1" for one in network.directions],
        "set -eu",
        'on() { device=$1; shift; [ -z "$device" ] || tc qdisc replace dev "$device" "$@"; }',
    ]
    for one in impairments(network):
        lines += ["", *comments(one)]
        lines += [f'on "${{{variable(one.direction)}-}}" {" ".join(each)}' for each in one.disciplines]
    return "\n".join([*lines, ""])


def general_notes(network: Network) -> list[str]:
    """What no tool says, of the whole scenario."""
    notes = [
        "A lost packet takes no time on the link here; in the simulation it does. Hosts cost what real ones do.",
    ]
    if network.events:
        notes.append(f"Not in here: the events {', '.join(network.events)}.")
    return notes


def comments(one: Impairment) -> list[str]:
    """The heading of a direction, and what its arguments do not say."""
    return [f"# {one.direction.title}", *[f"#   not in here: {note}" for note in one.notes]]


def variable(direction: Direction) -> str:
    """The variable with the device of a direction: `ROUTER_TO_PROVIDER`."""
    return "".join(
        letter if letter.isascii() and letter.isalnum() else "_" for letter in f"{direction.from_}_to_{direction.to}"
    ).upper()


def _jitter(jitter: Jitter | None) -> tuple[float, float, str | None, list[str]]:
    """What is added to the delay, its spread, the distribution of netem, and what it does not say."""
    if jitter is None:
        return 0.0, 0.0, None, []
    if jitter.distribution == "uniform":
        # netem without a table is uniform between delay - jitter and delay + jitter
        return jitter.mean_s, jitter.mean_s, None, []
    if jitter.distribution == "deterministic":
        return jitter.mean_s, 0.0, None, []
    if jitter.distribution == "normal":
        return jitter.mean_s, jitter.deviation_s or 0.0, "normal", []
    mean = milliseconds(jitter.mean_s)
    note = f"jitter: netem has no {jitter.distribution} distribution; its mean, {mean}, is in the delay"
    return jitter.mean_s, 0.0, None, [note]


def _note_what_is_left_out(found: Impairment) -> None:
    direction, queue = found.direction, found.direction.queue
    if direction.recorded_losses:
        found.notes.append("the recorded losses: netem loses by chance")
    if direction.trace is not None:
        found.notes.append("the rate over time: its mean is the rate (--mahimahi has it over time)")
    if queue.early:
        found.notes.append("random early detection before the queue")
    if queue.kind not in ("fifo", *LEAVES):
        found.notes.append(f"queue {queue.kind}: a FIFO stands for it")
    if queue.parameters.get("bandwidth") is not None:
        found.notes.append(f"the shaper of {queue.kind}, {queue.parameters['bandwidth']} bit/s")
    if queue.parameters.get("ce_threshold_s") is not None:
        found.notes.append(f"ce_threshold of {queue.kind}")
    if queue.shaping is not None and direction.rate is not None:
        slower, name = min((queue.shaping["rate"], "the link's rate"), (direction.rate, "the queue's token bucket"))
        found.notes.append(f"{name}: the slower of both, {slower} bit/s, limits here")


def _note_order(found: Impairment) -> None:
    if found.jitter_s > 0 and not found.direction.reorders:
        found.notes.append("packets in order: netem without a rate lets those with less jitter overtake")


def _netem(found: Impairment, limit: int) -> list[str]:
    spread = [milliseconds(found.jitter_s)] if found.jitter_s > 0 else []
    shape = ["distribution", found.distribution] if spread and found.distribution else []
    delay = ["delay", milliseconds(found.delay_s), *spread, *shape] if found.delay_s > 0 else []
    loss = ["loss", percent(found.direction.loss)] if found.direction.loss > 0 else []
    return ["netem", "limit", str(limit), *delay, *loss]


def _rate(direction: Direction) -> list[str]:
    """The rate, with the octets of framing beyond the header that Linux counts."""
    return ["rate", f"{direction.rate}bit", str(direction.overhead - HEADER)]


def _limit(found: Impairment) -> int:
    """netem's limit counts packets in flight as well: those of the queue, the one being sent, and the delay's."""
    direction = found.direction
    in_flight = math.ceil((direction.rate or 0) * (found.delay_s + found.jitter_s) / (8 * direction.frame))
    return (direction.queue.packets or 0) + 1 + in_flight


def _below(found: Impairment) -> list[list[str]]:
    """A token bucket below netem, and the queue below that."""
    direction, queue = found.direction, found.direction.queue
    rate, burst, overhead = direction.rate or 0, 0, direction.overhead - HEADER
    if queue.shaping is not None and (direction.rate is None or queue.shaping["rate"] <= direction.rate):
        rate, burst, overhead = queue.shaping["rate"], queue.shaping["burst"], direction.counted - HEADER
    burst = max(burst, direction.mtu + HEADER, math.ceil(rate / 8 * LEAST_BURST_S))
    octets = queue.octets or (queue.packets or ENDLESS) * (direction.mtu + direction.counted)
    shown = ["overhead", str(overhead)] if overhead > 0 else []
    bucket = ["rate", f"{rate}bit", "burst", str(burst), *shown, "limit", str(octets)]
    made = [["parent", "1:1", "handle", "10:", "tbf", *bucket]]
    if queue.kind in LEAVES:
        made.append(["parent", "10:1", "handle", "100:", *_leaf(found)])
    return made


def _leaf(found: Impairment) -> list[str]:
    queue, parameters = found.direction.queue, found.direction.queue.parameters
    limit = ["limit", str(queue.packets)] if queue.packets is not None else []
    if queue.octets is not None:
        found.notes.append(f"limit_bytes of {queue.kind}: Linux limits it in packets")
    keys = ("target", "tupdate") if queue.kind == "pie" else ("target", "interval")
    times = [word for key in keys for word in (key, milliseconds(parameters[f"{key}_s"]))]
    marks = "ecn" if parameters["ecn"] else "noecn"
    if queue.kind == "codel":
        return ["codel", *limit, *times, marks]
    if queue.kind == "pie":
        gains = [word for key in ("alpha", "beta") for word in (key, str(round(GAIN * parameters[key])))]
        return ["pie", *limit, *times, *gains, marks]
    flows = ["flows", str(parameters["flows"])] if parameters["flows"] is not None else []
    if not flows:
        found.notes.append("a queue for each flow: FQ-CoDel of Linux hashes flows")
    return ["fq_codel", *limit, *flows, *times, "quantum", str(parameters["quantum"]), marks]


def joined(disciplines: Sequence[Sequence[str]]) -> str:
    """Disciplines as one line of a log."""
    return "; ".join(" ".join(one) for one in disciplines)
