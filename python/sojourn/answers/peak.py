"""The largest throughput over a key and what is left at the end."""

from __future__ import annotations

from sojourn.answers.asked import Asked


def say(asked: Asked) -> list[str]:
    """One sentence per experiment."""
    return [sentence for experiment in asked.experiments for sentence in _of(asked, experiment)]


def _of(asked: Asked, experiment: str) -> list[str]:
    curve = asked.curve(experiment)
    if len(curve) < 2:
        return []
    x, _, largest = max(curve, key=lambda row: row[2].mean or 0.0)
    end, _, last = curve[-1]
    sentence = f"{asked.name(experiment)} carries at most {asked.said(largest)}, at {asked.at(x)} offered"
    if end == x:
        return [f"{sentence}, the largest load tried: it may carry more."]
    return [f"{sentence}, and {asked.said(last)} at {asked.at(end)}."]
