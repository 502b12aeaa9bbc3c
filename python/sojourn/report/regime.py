"""In which state the host that measured was: without it two measurements differ twentyfold for no reason of the
network's."""

from __future__ import annotations

from typing import Any

from sojourn.units import percent, say

STARVED = 0.01
"""A processor that is held and taken away for a larger share is worth a sentence."""


def statements(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """(title, sentence) of the noise floor, the regime and the pacing; none of a simulation."""
    circumstances = provenance.get("circumstances")
    if not circumstances:
        return []
    calibration = circumstances["calibration"]
    return [
        ("Noise floor", _floor(calibration)),
        ("Regime", _regime(calibration)),
        ("Pacing", _pacing(circumstances)),
        *_clock(circumstances["steps"]),
    ]


def _floor(calibration: dict[str, Any]) -> str:
    least, median, most = calibration["loopback_s"]
    stamping = calibration["stamping"]
    stamps = {
        (True, True): "the kernel stamps what leaves and what arrives",
        (False, True): "the kernel stamps what arrives, not what leaves",
    }.get((stamping["kernel_transmit"], stamping["kernel_receive"]), "the kernel stamps nothing")
    spread = f"least {say(least, 's')}, 99 % {say(most, 's')}"
    return (
        f"Over its own loopback this host takes {say(median, 's')} for a request and its answer ({spread}): "
        "what is measured below that says more of the hosts than of what lies between them. "
        f"A reading of the clock costs {calibration['clock_cost_ns']:.0f} ns; {stamps}."
    )


def _regime(calibration: dict[str, Any]) -> str:
    regime = calibration["regime"]
    parts = [
        f"The host was {regime['load']}: {regime['free_processors']:.1f} of {regime['online']} processors free",
        f"{regime['scheduler']} scheduling",
        "pinned to some of its processors" if regime["pinned"] else "not pinned",
    ]
    limit = regime.get("wake_limit_us")
    if limit is not None:
        parts.append(f"CPU idle exit latency at most {limit} µs" if limit else "CPU idle states disabled")
    if regime.get("governor"):
        parts.append(f"clock rate governed by {regime['governor']}")
    if regime["stolen"] > STARVED:
        parts.append(f"{percent(regime['stolen'])} of the time taken by the host of this virtual machine")
    if calibration["starved"] > STARVED:
        gap = say(calibration["longest_gap_s"], "s")
        parts.append(f"a held processor taken away for {percent(calibration['starved'])} of the time, {gap} at most")
    return ", ".join(parts) + ". Compare it only with results of the same regime."


def _pacing(circumstances: dict[str, Any]) -> str:
    median, most = circumstances["calibration"]["sleep_lateness_s"]
    late = f"sleeps end {say(median, 's')} late (99 % {say(most, 's')})"
    if circumstances["pacing"] == "hybrid":
        margin = say(circumstances["margin_us"] * 1e-6, "s")
        return f"Requests left by sleeping until {margin} before their time, then spinning; {late}."
    if circumstances["pacing"] == "spin":
        return f"Requests left by spinning, without any sleep; here {late}."
    return f"Requests left by sleeping alone; {late}."


def _clock(steps: list[dict[str, float]]) -> list[tuple[str, str]]:
    said = [f"by {step['by_s']:+.3f} s after {step['at_s']:.1f} s" for step in steps]
    return [("Clock set", f"This host's clock was set {', '.join(said)}.")] if said else []
