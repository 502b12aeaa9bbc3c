"""Test conditions of a measurement: state of the measuring host, which can change response times twentyfold."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sojourn.units import format_value, percent

STARVED = 0.01
"""Share of CPU time lost to steal or preemption above which it is reported."""


def statements(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """(title, sentence) of the noise floor, the test conditions and the pacing; none for a simulation."""
    circumstances = provenance.get("circumstances")
    if not circumstances:
        measured = provenance.get("measured_under")
        return [("Test conditions", _of_several(measured))] if measured else []
    calibration = circumstances["calibration"]
    return [
        ("Noise floor", _floor(calibration)),
        ("Test conditions", _regime(calibration)),
        ("Pacing", _pacing(circumstances)),
        *_clock(circumstances["steps"]),
    ]


def _of_several(measured: list[dict[str, Any]]) -> str:
    """The load of the host and its noise floor over the measurements of a study."""
    regimes = [circumstances["calibration"]["regime"] for circumstances in measured]
    loads = Counter(regime["load"] for regime in regimes)
    free = sorted(regime["free_processors"] for regime in regimes)
    floors = sorted(circumstances["calibration"]["loopback_s"][1] for circumstances in measured)
    states = ", ".join(f"{load} in {count} of {len(measured)}" for load, count in loads.most_common())
    text = (
        f"While the study was measured, the host was {states} measurements: {free[0]:.1f} to {free[-1]:.1f} of "
        f"{regimes[0]['online']} CPUs free, noise floor {format_value(floors[0], 's')} "
        f"to {format_value(floors[-1], 's')}."
    )
    if loads.keys() - {"idle"}:
        text += " Other processes ran on it, and lengthen the measured times."
    return text


def _floor(calibration: dict[str, Any]) -> str:
    least, median, most = calibration["loopback_s"]
    stamping = calibration["stamping"]
    stamps = {
        (True, True): "kernel timestamps in both directions",
        (False, True): "kernel receive timestamps only",
    }.get((stamping["kernel_transmit"], stamping["kernel_receive"]), "no kernel timestamps")
    spread = f"minimum {format_value(least, 's')}, p99 {format_value(most, 's')}"
    return (
        f"The loopback RTT of this host is {format_value(median, 's')} ({spread}): response times below it reflect the "
        f"hosts, not the network. A clock reading costs {calibration['clock_cost_ns']:.0f} ns; {stamps}."
    )


def _regime(calibration: dict[str, Any]) -> str:
    regime = calibration["regime"]
    parts = [
        f"The host was {regime['load']}: {regime['free_processors']:.1f} of {regime['online']} CPUs free",
        f"{regime['scheduler']} scheduling",
        "pinned to some CPUs" if regime["pinned"] else "not pinned",
    ]
    limit = regime.get("wake_limit_us")
    if limit is not None:
        parts.append(f"CPU wake-up latency limited to {limit} µs" if limit else "CPU idle states disabled")
    if regime.get("governor"):
        parts.append(f"CPU frequency governor {regime['governor']}")
    if regime["stolen"] > STARVED:
        parts.append(f"{percent(regime['stolen'])} steal time")
    if calibration["starved"] > STARVED:
        gap = format_value(calibration["longest_gap_s"], "s")
        parts.append(
            f"a spinning thread was preempted for {percent(calibration['starved'])} of the time, at most {gap} at once"
        )
    return ", ".join(parts) + ". Compare only with results under the same conditions."


def _pacing(circumstances: dict[str, Any]) -> str:
    median, most = circumstances["calibration"]["sleep_lateness_s"]
    late = f"timer wake-ups are {format_value(median, 's')} late (p99 {format_value(most, 's')})"
    if circumstances["pacing"] == "hybrid":
        margin = format_value(circumstances["margin_us"] * 1e-6, "s")
        return f"Requests were sent after sleeping until {margin} before the scheduled time, then spinning; {late}."
    if circumstances["pacing"] == "spin":
        return f"Requests were sent after spinning, without sleeping; {late}."
    return f"Requests were sent after sleeping alone; {late}."


def _clock(steps: list[dict[str, float]]) -> list[tuple[str, str]]:
    changes = [f"by {step['by_s']:+.3f} s after {step['at_s']:.1f} s" for step in steps]
    return [("Clock set", f"This host's clock was set {', '.join(changes)}.")] if changes else []
