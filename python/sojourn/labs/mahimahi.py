"""The watched path of a scenario for Mahimahi: traces of packet-delivery opportunities, and shells around a command.

Mahimahi delivers 1504 octets at each instant of a trace and begins again after the last (`link_queue.cc` of its
source): here one instant for each packet of full length, so that smaller packets share
one, which a link with framing does not do quite so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sojourn.errors import UserError
from sojourn.labs.network import Direction, Network, Trace

MOST = 100_000
"""Lines of a trace of a constant rate, unless its period needs fewer."""
LEAST_MS = 10_000
"""Such a trace lasts so long at least: instants are whole milliseconds."""
US = 1_000_000
NAMES = ("uplink.trace", "downlink.trace")


def files(network: Network, title: str) -> dict[str, str]:
    """The traces of both directions and the script `run.sh`, by their names."""
    if network.ends is None or network.watched is None:
        raise UserError("--mahimahi takes the path of a probe or a flow, and the scenario has neither")
    routes = [[network.directions[number] for number in route] for route in network.watched]
    slowest = [min(route, key=lambda one: (one.trace is None, _rate(one) or math.inf)) for route in routes]
    found = {name: _lines(opportunities(one, network.run_s)) for name, one in zip(NAMES, slowest, strict=True)}
    return found | {"run.sh": _script(network, title, routes, slowest)}


def opportunities(direction: Direction, run_s: float) -> list[int]:
    """The milliseconds at which packets of full length may leave; the last is the period."""
    trace = direction.trace
    if trace is not None and trace.opportunities_ms is not None:
        return list(trace.opportunities_ms)
    bits = 8 * _frame(direction)
    if trace is not None:
        return _over_time(trace, bits, run_s)
    each_ms = Fraction(1000 * bits, _rate(direction) or 1)
    enough = max(1, math.ceil(LEAST_MS / each_ms))
    # after a whole number of milliseconds nothing is rounded
    count = each_ms.denominator if each_ms.denominator <= MOST else min(enough, MOST)
    return [math.ceil(number * each_ms) for number in range(1, count + 1)]


def _over_time(trace: Trace, bits: int, run_s: float) -> list[int]:
    """Of rates over time: the instants at which the link has sent one packet more."""
    period_us = round((trace.period_s or run_s) * US)
    steps = [(round(at * US), rate) for at, rate in trace.rates or ()]
    found: list[int] = []
    sent = 0
    for (begin, rate), end in _steps(steps, period_us):
        whole = sent + (end - begin) * rate
        while rate > 0 and (len(found) + 1) * bits * US <= whole:
            at = begin + Fraction((len(found) + 1) * bits * US - sent, rate)
            found.append(math.ceil(at / 1000))
        sent = whole
    if not found:
        raise UserError("--mahimahi: the rate over time is less than a packet in its period")
    # the last instant is the period
    return [*found[:-1], max(found[-1], math.ceil(period_us / 1000))]


def _steps(steps: Sequence[tuple[int, int]], until: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Each step that begins before the period ends, with its own end."""
    ends = [*(begin for begin, _ in steps[1:]), until]
    for step, end in zip(steps, ends, strict=True):
        if step[0] < until:
            yield step, min(end, until)


def _script(network: Network, title: str, routes: Sequence[Sequence[Direction]], slowest: Sequence[Direction]) -> str:
    notes = _notes(network, routes, slowest)
    delays = [1000 * _delay_s(network, route) for route in routes]
    delay = round(sum(delays) / 2)
    if any(abs(one - delay) > 1e-3 for one in delays):
        exact = " and ".join(f"{one:g} ms" for one in delays)
        notes.append(f"the exact delays, {exact}: Mahimahi takes whole milliseconds, alike in both directions")
    shells = [f"mm-delay {delay}"] if delay else []
    for name, route in zip(("uplink", "downlink"), routes, strict=True):
        loss = 1 - math.prod(1 - one.loss for one in route)
        shells += [f"mm-loss {name} {loss:.6g}"] if loss > 0 else []
    queues = [
        word for name, one in zip(("uplink", "downlink"), slowest, strict=True) for word in _queue(name, one, notes)
    ]
    client, server = network.ends or ("", "")
    lines = [
        "#!/bin/sh",
        f"# The path of {title} from {client} to {server} for Mahimahi: ./run.sh COMMAND runs COMMAND at {client}.",
        *[f"# Not in here: {note}." for note in notes],
        'cd "$(dirname "$0")"',
        " ".join(["exec", *shells, "mm-link", *NAMES, *queues, "--", '"$@"']),
    ]
    return "\n".join([*lines, ""])


def _notes(network: Network, routes: Sequence[Sequence[Direction]], slowest: Sequence[Direction]) -> list[str]:
    notes = [f"the events {', '.join(network.events)}"] if network.events else []
    for route, bottleneck in zip(routes, slowest, strict=True):
        others = [one for one in route if one is not bottleneck]
        notes += [f"the jitter of {one.title}, which has no shell" for one in route if one.jitter is not None]
        notes += [f"the recorded losses of {one.title}" for one in route if one.recorded_losses]
        notes += [f"the rate over time of {one.title}" for one in others if one.trace is not None]
        notes += [
            f"the rate of {one.title}, {_rate(one)} bit/s, since that of {bottleneck.medium} is lower"
            for one in others
            if one.trace is None and _rate(one) is not None
        ]
        trace = bottleneck.trace
        if trace is not None and trace.rates is not None and trace.period_s is None:
            notes.append(f"what follows the run of {network.run_s:g} s: the trace of {bottleneck.title} begins again")
    return notes


def _queue(name: str, direction: Direction, notes: list[str]) -> list[str]:
    """The options of a queue; a kind that Mahimahi lacks is a FIFO with tail drop."""
    queue = direction.queue
    limits = [("packets", queue.packets), ("bytes", queue.octets)]
    arguments = [f"{key}={value}" for key, value in limits if value is not None]
    if queue.kind == "codel":
        times = [(key, round(1000 * queue.parameters[f"{key}_s"])) for key in ("target", "interval")]
        arguments += [f"{key}={max(1, value)}" for key, value in times]
        kind = "codel"
    else:
        kind = "droptail" if arguments else "infinite"
        if queue.kind != "fifo" or queue.early:
            what = "random early detection" if queue.kind == "fifo" else f"the queue {queue.kind}"
            notes.append(f"{what} of {direction.title}: a FIFO stands for it")
    shown = [f'--{name}-queue-args="{", ".join(arguments)}"'] if arguments else []
    return [f"--{name}-queue={kind}", *shown]


def _delay_s(network: Network, route: Sequence[Direction]) -> float:
    """Propagation and the forwarding of the routers between."""
    return sum(one.delay_s for one in route) + sum(network.forwarding_s[one.from_] or 0.0 for one in route[1:])


def _rate(direction: Direction) -> int | None:
    """That of the link or of the token bucket before it, whichever is lower."""
    shaping = direction.queue.shaping
    rates = [rate for rate in (direction.rate, shaping and shaping["rate"]) if rate]
    return min(rates, default=None)


def _frame(direction: Direction) -> int:
    """Octets that a packet of full length counts for at that rate."""
    return direction.frame if _rate(direction) == direction.rate else direction.mtu + direction.counted


def _lines(numbers: Sequence[int]) -> str:
    return "".join(f"{number}\n" for number in numbers)
